#include "engine/runtime/executor/pass_runner.h"

#include "engine/base/text.h"

#include <cmath>

namespace stagelens::runtime {
namespace {

using backend::Tensor;
using kernels::SoftmaxStatistics;
using schedule::Pass;
using schedule::PassKind;
using simulate::BufferKind;

} // namespace

class PassRunner::InVocabulary {
public:
    explicit InVocabulary(PassRunner &runner) : m_runner(runner), m_begin(runner.compute().mark()) {}
    InVocabulary(const InVocabulary &) = delete;
    InVocabulary &operator=(const InVocabulary &) = delete;
    ~InVocabulary()
    {
        try {
            m_runner.m_inVocabulary.emplace_back(m_begin, m_runner.compute().mark());
        } catch (const std::exception &) {
            return; // the next call to the device reports its failure
        }
    }

private:
    PassRunner &m_runner;
    backend::Compute::Mark m_begin;
};

void PassRunner::hold(const Payload &payload)
{
    for (const Tensor &tensor : {payload.tensor, payload.rows.exponentials, payload.rows.targets})
        if (tensor)
            m_held.push_back(tensor);
}

void PassRunner::finish()
{
    compute().finish();
    m_held.clear();
}

base::Nanos PassRunner::vocabularyTime() const
{
    base::Nanos sum = 0;
    for (const auto &[begin, end] : m_inVocabulary)
        sum += compute().timeOf(end) - compute().timeOf(begin);
    return sum;
}

base::Result<Payload> PassRunner::run(const Pass &pass, Payload in)
{
    m_inVocabulary.clear();
    hold(in);
    switch (pass.kind) {
    case PassKind::F: return forward(pass, std::move(in));
    case PassKind::B:
    case PassKind::I: return backward(pass, std::move(in));
    case PassKind::W: backwardWeights(pass); return Payload{};
    case PassKind::S: return firstVocabularyPass(pass.microbatch);
    case PassKind::T: return lastVocabularyPass(pass);
    case PassKind::U: return secondVocabularyPass(pass.microbatch);
    case PassKind::EF: {
        Payload out;
        embed(pass.microbatch, m_tensors.newMessage(out.tensor));
        return out;
    }
    case PassKind::EB: addTokenGradients(pass.microbatch, m_context.of(in.tensor)); return Payload{};
    default:
        return base::Error::failed(
            base::concat("pass ", schedule::text(pass), " has a kind that the executor does not support"));
    }
}

base::Result<Payload> PassRunner::forward(const Pass &pass, Payload in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    if (pass.stage == 0) {
        const bool isWhole = !m_plan.isSharded();
        const Values x = isWhole || !in.tensor ? m_tensors.input(pass, in.tensor) : m_context.of(in.tensor);
        if (isWhole) {
            const InVocabulary inVocabulary(*this);
            embed(microbatch, x);
        }
        if (m_model.positions() != nullptr)
            compute().addPositions(x, m_model.positions()->weights(), shape.batch, shape.sequence, shape.hidden);
    }
    Payload out = std::move(in);
    if (const Stage &stage = m_model.stage(pass.stage); !stage.isEmpty())
        stage.forward(microbatch,
                      m_plan.isLast(pass) ? m_context.at(BufferKind::NormInput, pass.stage, microbatch)
                                          : m_tensors.newMessage(out.tensor),
                      m_context);
    if (!m_plan.isLast(pass))
        return out;
    normalise(pass,
              m_plan.isSharded() ? m_tensors.newMessage(out.tensor) : m_context.at(BufferKind::OutputInput, 0, microbatch));
    if (m_plan.isSharded())
        return out;
    const InVocabulary inVocabulary(*this);
    m_model.output().project(microbatch, m_step.labels(microbatch), m_context);
    if (auto finite = recordLoss(microbatch, &pass); !finite)
        return finite.error();
    return Payload{};
}

base::Result<Tensor> PassRunner::outputGradient(const Pass &pass, Payload in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    if (!in.tensor) {
        const InVocabulary inVocabulary(*this);
        return m_model.output().differentiate(microbatch, m_tensors.statistics(microbatch), m_step.labels(microbatch),
                                              m_context);
    }
    if (in.rows.targets) { // VOCAB-2: u (factors E W - G W), and the loss
        const Values gradient = m_context.of(in.tensor);
        compute().addScaled(gradient, m_context.of(in.rows.targets), -1.0F, shape.boundary());
        compute().scale(gradient, gradient, shape.tokenWeight(), shape.boundary());
        if (auto finite = recordLoss(microbatch, &pass); !finite)
            return finite.error();
    }
    return std::move(in.tensor);
}

base::Result<Payload> PassRunner::backward(const Pass &pass, Payload in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    Payload out;
    Values gradient;
    if (m_plan.isLast(pass)) {
        const auto above = outputGradient(pass, std::move(in));
        if (!above)
            return above.error();
        hold({.tensor = *above});
        gradient = m_tensors.gradient(pass, out.tensor);
        differentiateNorm(pass, gradient, m_context.of(*above));
    } else {
        out = std::move(in);
        gradient = m_tensors.keepsGradient(pass) ? m_context.at(BufferKind::EmbeddingGradient, 0, microbatch)
                                                 : m_context.of(out.tensor);
    }
    if (const Stage &stage = m_model.stage(pass.stage); !stage.isEmpty())
        stage.backward(microbatch, gradient, pass.kind == PassKind::I ? Backward::Inputs : Backward::Whole, m_context);
    if (pass.stage > 0)
        return out;
    if (m_model.positions() != nullptr)
        compute().addPositionGradients(m_model.positions()->gradient.data(), gradient, shape.batch, shape.sequence,
                                       shape.hidden);
    if (m_plan.isSharded() || m_tensors.keepsGradient(pass))
        return out;
    hold(out);
    const InVocabulary inVocabulary(*this);
    addTokenGradients(microbatch, gradient);
    return Payload{};
}

void PassRunner::backwardWeights(const Pass &pass)
{
    if (const Stage &stage = m_model.stage(pass.stage); !stage.isEmpty())
        stage.backwardWeights(pass.microbatch, m_context);
    if (pass.stage > 0 || m_plan.isSharded())
        return;
    const InVocabulary inVocabulary(*this);
    addTokenGradients(pass.microbatch, m_context.at(BufferKind::EmbeddingGradient, 0, pass.microbatch));
}

void PassRunner::addTokenGradients(int microbatch, ConstValues gradient)
{
    compute().scatterAddRows(m_model.tokenTable()->gradient.data(), m_model.tokenShard(), m_step.inputs(microbatch), gradient,
                             1.0F, m_plan.shape.tokens());
}

Tensor PassRunner::messageOf(const float *statistics, std::int64_t floats) const
{
    Tensor message = m_context.memory.allocateMessage(floats);
    compute().copy(message->data(), statistics, floats);
    return message;
}

Payload PassRunner::firstVocabularyPass(int microbatch)
{
    const Labels targets = m_step.labels(microbatch);
    const std::int64_t tokens = m_plan.shape.tokens();
    const float *local = OutputShard::statistics(microbatch, m_context).maximum;
    if (m_plan.vocabulary().hasPassU) {
        m_model.output().projectMaxima(microbatch, targets, m_context);
        return {.tensor = messageOf(local, tokens)};
    }
    m_model.output().project(microbatch, targets, m_context);
    Payload out{.tensor = messageOf(local, 3 * tokens)};
    if (m_plan.vocabulary().isGradientFromS)
        out.rows = m_model.output().weigh(microbatch, targets, m_context);
    return out;
}

Payload PassRunner::secondVocabularyPass(int microbatch)
{
    m_model.output().exponentiate(microbatch, m_context);
    return {.tensor = messageOf(OutputShard::statistics(microbatch, m_context).sum, 2 * m_plan.shape.tokens())};
}

base::Result<Payload> PassRunner::lastVocabularyPass(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const Labels targets = m_step.labels(microbatch);
    const SoftmaxStatistics all = m_tensors.statistics(microbatch);
    if (m_plan.vocabulary().isGradientFromS) {
        m_model.output().differentiateWeight(microbatch, all, targets, m_context);
        return Payload{};
    }
    Payload out{.tensor = m_model.output().differentiate(microbatch, all, targets, m_context)};
    if (m_rank == m_plan.lastDevice(microbatch))
        if (auto finite = recordLoss(microbatch, &pass); !finite)
            return finite.error();
    return out;
}

void PassRunner::embed(int microbatch, Values rows) const
{
    compute().gatherRows(rows, m_model.tokenTable()->weights(), m_model.tokenShard(), m_step.inputs(microbatch),
                         m_plan.shape.tokens());
}

void PassRunner::normalise(const Pass &pass, Values out) const
{
    forwardNorm(m_model.finalNorm(), out, m_context.memory.at(BufferKind::NormStatistics, pass.stage, pass.microbatch),
                m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch), m_context);
}

void PassRunner::differentiateNorm(const Pass &pass, Values gradient, ConstValues outGradient) const
{
    compute().zero(gradient, m_plan.shape.boundary());
    backwardNorm(m_model.finalNorm(), gradient, outGradient, m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch),
                 m_context.memory.at(BufferKind::NormStatistics, pass.stage, pass.microbatch), m_context);
}

base::Result<> PassRunner::recordLoss(int microbatch, const Pass *pass)
{
    const double loss = compute().lossSum(m_tensors.statistics(microbatch), m_step.countedTokens);
    m_step.losses[size(microbatch)] = loss;
    if (std::isfinite(loss))
        return {};
    const std::string at = m_step.use == StepUse::Evaluation ? std::string() : " in " + m_step.text(m_plan);
    return base::Error::failed(base::concat("the loss is not finite", at, ", microbatch ", microbatch, ", on device ", m_rank,
                                            pass != nullptr ? ", in pass " + schedule::text(*pass) : "",
                                            ": training diverged; lower the learning rate (it is ",
                                            m_plan.experiment.training.optimizer.learningRate,
                                            ") or limit the gradient's norm with clip"),
                               "training.optimizer.lr");
}

} // namespace stagelens::runtime
