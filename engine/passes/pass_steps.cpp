// The steps of the passes of stages, and of EF and EB, around those of the vocabulary layers.
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <utility>

namespace stagelens::schedule {
namespace {

/// Writes the steps of a pass.
class Writer {
public:
    Writer(const VocabularySteps &vocabulary, const PassRole &role, bool recomputes, Sharing sharing)
        : m_vocabulary(vocabulary), m_role(role), m_recomputes(recomputes), m_sharing(sharing)
    {}

    [[nodiscard]] PassSteps make()
    {
        switch (m_role.kind) {
        case PassKind::F: forward(); break;
        case PassKind::B:
        case PassKind::I: backward(); break;
        case PassKind::W: weights(); break;
        case PassKind::S: m_steps = m_vocabulary.s; break;
        case PassKind::U: m_steps = m_vocabulary.u; break;
        case PassKind::T: m_steps = m_vocabulary.t; break;
        case PassKind::EF:
            if (m_vocabulary.shardsEmbedding)
                m_steps = m_sharing == Sharing::Sequence ? embed(PassValue::Embeddings)
                                                         : PassSteps{step(PassStepKind::Embed, {}, {PassValue::Embeddings})};
            if (m_vocabulary.shardsEmbedding)
                m_steps.push_back(send(PassValue::Embeddings));
            break;
        case PassKind::EB:
            if (m_vocabulary.shardsEmbedding) {
                m_steps = {receive(PassValue::FirstGradient, {PassValue::FirstGradient})};
                append(m_steps, tokenGradient(PassValue::FirstGradient));
            }
            break;
        case PassKind::O: break;
        }
        return std::move(m_steps);
    }

private:
    void add(PassStepKind kind, std::vector<PassValue> in, std::vector<PassValue> out)
    {
        m_steps.push_back(step(kind, std::move(in), std::move(out)));
    }

    /// Returns the steps that make the embeddings of a microbatch from the rows of all tensor ranks.
    [[nodiscard]] PassSteps embed(PassValue out) const
    {
        if (m_sharing == Sharing::Sequence)
            return {step(PassStepKind::Embed, {}, {PassValue::TokenPartial}),
                    step(PassStepKind::SumRows, {PassValue::TokenPartial}, {out})};
        PassSteps steps{step(PassStepKind::Embed, {}, {out})};
        if (m_sharing == Sharing::Tensor)
            steps.push_back(step(PassStepKind::SumRows, {out}, {out}));
        return steps;
    }

    [[nodiscard]] PassSteps tokenGradient(PassValue gradient) const
    {
        if (m_sharing == Sharing::Sequence)
            return {step(PassStepKind::GatherRows, {gradient}, {PassValue::TokenPartial}),
                    step(PassStepKind::TokenGradient, {PassValue::TokenPartial}, {})};
        return {step(PassStepKind::TokenGradient, {gradient}, {})};
    }

    void forward()
    {
        // An empty stage passes its input on.
        const PassValue output = m_role.isLast ? PassValue::NormInput : PassValue::Output;
        const PassValue input = m_role.hasLayers ? PassValue::StageInput : output;
        const PassValue rows = m_vocabulary.mapsInput ? PassValue::TokenRows : input; // of the token table
        if (!m_role.isFirst)
            m_steps.push_back(receiveCopy(PassValue::Output, input));
        else if (m_vocabulary.shardsEmbedding)
            m_steps.push_back(receiveCopy(PassValue::Embeddings, rows));
        else
            append(m_steps, apart(embed(rows)));
        if (m_role.isFirst && m_vocabulary.shardsEmbedding && m_sharing == Sharing::Tensor)
            add(PassStepKind::SumRows, {rows}, {rows});
        if (m_role.isFirst && m_vocabulary.mapsInput)
            append(m_steps, apart({step(PassStepKind::Widen, {rows}, {input})}));
        if (m_role.isFirst)
            add(PassStepKind::AddPositions, {input}, {input});
        if (m_role.hasLayers)
            add(PassStepKind::LayersForward, {PassValue::StageInput}, {output, PassValue::StageSlots});
        if (!m_role.isLast)
            return m_steps.push_back(send(PassValue::Output));
        const PassValue normed = m_vocabulary.mapsOutput ? PassValue::HeadInput : m_vocabulary.normOutput;
        add(PassStepKind::FinalNorm, {PassValue::NormInput}, {normed, PassValue::NormStatistics});
        if (m_vocabulary.mapsOutput)
            append(m_steps, apart({step(PassStepKind::Narrow, {normed}, {m_vocabulary.normOutput})}));
        append(m_steps, m_vocabulary.forward);
        if (m_vocabulary.sendsNormOutput)
            m_steps.push_back(send(m_vocabulary.normOutput));
    }

    void backward()
    {
        const bool isSplit = m_role.kind == PassKind::I;
        const bool mapsRows = m_role.isFirst && m_vocabulary.mapsInput;
        // Of the embeddings, in the first stage.
        const PassValue ofRows = m_vocabulary.shardsEmbedding || (mapsRows && !isSplit) ? PassValue::FirstGradient
                                 : isSplit                                              ? PassValue::EmbeddingGradient
                                                                                        : PassValue::Gradient;
        const PassValue gradient = m_role.isFirst && !mapsRows ? ofRows : PassValue::Gradient;
        if (m_role.isLast) {
            append(m_steps, m_vocabulary.backward);
            const PassValue ofNorm = m_vocabulary.mapsOutput ? PassValue::NormGradient : PassValue::OutputGradient;
            if (m_vocabulary.mapsOutput)
                append(m_steps, apart({step(PassStepKind::NarrowBackward, {PassValue::OutputGradient, PassValue::HeadInput},
                                            {ofNorm})}));
            add(PassStepKind::FinalNormBackward, {ofNorm, PassValue::NormInput, PassValue::NormStatistics}, {gradient});
        } else {
            m_steps.push_back(receiveCopy(PassValue::Gradient, gradient));
        }
        if (m_role.hasLayers) {
            const std::vector<PassValue> in{gradient, PassValue::StageInput, PassValue::StageSlots};
            add(isSplit ? PassStepKind::LayersInputGradient : PassStepKind::LayersBackward, in,
                isSplit && m_recomputes ? std::vector{gradient, PassValue::Recomputed} : std::vector{gradient});
        }
        if (!m_role.isFirst)
            return m_steps.push_back(send(PassValue::Gradient));
        add(PassStepKind::PositionGradient, {gradient}, {});
        if (mapsRows)
            append(m_steps, apart({step(PassStepKind::WidenBackward, {gradient, PassValue::TokenRows}, {ofRows})}));
        if (m_vocabulary.shardsEmbedding)
            m_steps.push_back(send(PassValue::FirstGradient));
        else if (!isSplit)
            append(m_steps, apart(tokenGradient(ofRows)));
    }

    void weights()
    {
        if (m_role.hasLayers)
            add(PassStepKind::LayersWeightGradient,
                m_recomputes ? std::vector{PassValue::StageInput, PassValue::StageSlots, PassValue::Recomputed}
                             : std::vector{PassValue::StageInput, PassValue::StageSlots},
                {});
        if (m_role.isFirst && !m_vocabulary.shardsEmbedding)
            append(m_steps, apart(tokenGradient(PassValue::EmbeddingGradient)));
    }

    const VocabularySteps &m_vocabulary;
    PassRole m_role;
    bool m_recomputes;
    Sharing m_sharing;
    PassSteps m_steps;
};

} // namespace

PassSteps stepsOf(const PassRole &role, const VocabularySteps &vocabulary, bool recomputes, Sharing sharing)
{
    return Writer(vocabulary, role, recomputes, sharing).make();
}

} // namespace stagelens::schedule
