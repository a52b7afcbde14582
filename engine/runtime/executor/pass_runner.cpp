// Runs each kind of pass on a device. engine/passes/requirements.h defines who needs what.
#include "engine/base/text.h"
#include "engine/runtime/executor/device.h"
#include "engine/runtime/executor/kernel_recorder.h"

#include <cmath>
#include <new>

namespace stagelens::runtime {
namespace {

using backend::Tensor;
using kernels::SoftmaxStatistics;
using schedule::Pass;
using schedule::PassKind;
using simulate::BufferKind;

} // namespace

class Device::InVocabulary {
public:
    explicit InVocabulary(Device &device) : m_device(device), m_begin(device.compute().mark()) {}
    InVocabulary(const InVocabulary &) = delete;
    InVocabulary &operator=(const InVocabulary &) = delete;
    ~InVocabulary()
    {
        try {
            m_device.m_inVocabulary.emplace_back(m_begin, m_device.compute().mark());
        } catch (const std::exception &) {
            return; // what the device has, the next call tells
        }
    }

private:
    Device &m_device;
    backend::Compute::Mark m_begin;
};

kernels::SoftmaxStatistics Device::statistics(int microbatch) const
{
    if (!m_plan.isSharded()) // the shard is the whole vocabulary
        return OutputShard::statistics(microbatch, m_context);
    return {m_memory.at(BufferKind::GlobalStatistics, 0, microbatch), m_plan.shape.tokens()};
}

std::string Device::stepText() const
{
    return base::concat("step ", m_step + 1, " of ", m_plan.experiment.training.steps);
}

base::Result<Mail> Device::compute(const Pass &pass, Mail in)
{
    m_inVocabulary.clear();
    const bool hasOneVersion = m_plan.schedule.isSynchronous() || m_use == StepUse::Evaluation;
    const auto place = [&] { return base::concat("device ", m_rank, " in ", stepText(), ", pass ", schedule::text(pass)); };
    hold(in);
    try {
        compute().beginPass({schedule::name(pass.kind), pass.stage, pass.microbatch, kernelOwner(m_rank, m_passBegins.size())});
        const auto begin = compute().mark();
        auto made = hasOneVersion ? carryOut(pass, std::move(in)) : computeWithVersion(pass, std::move(in));
        const auto end = compute().mark();
        compute().endPass();
        finish();
        m_passBegins.push_back(compute().timeOf(begin));
        m_lastPass = {compute().timeOf(begin), compute().timeOf(end)};
        m_vocabularyTime = 0;
        for (const auto &[from, to] : m_inVocabulary)
            m_vocabularyTime += compute().timeOf(to) - compute().timeOf(from);
        m_memory.leave();
        return made;
    } catch (const std::bad_alloc &) {
        return base::Error::failed(place() + " got no more memory from the machine; lower model.hidden, model.sequence or "
                                             "parallel.microbatch_size");
    } catch (const std::exception &error) {
        return base::Error::failed(place() + " stopped: " + error.what());
    }
}

base::Result<Mail> Device::computeNewest(const Pass &pass, Mail in)
{
    hold(in);
    auto made = carryOut(pass, std::move(in));
    finish();
    return made;
}

void Device::hold(const Mail &mail)
{
    for (const Tensor &tensor : {mail.tensor, mail.rows.exponentials, mail.rows.targets})
        if (tensor)
            m_held.push_back(tensor);
}

void Device::finish()
{
    compute().finish();
    m_held.clear();
}

base::Result<Mail> Device::computeWithVersion(const Pass &pass, Mail in)
{
    if (const auto stash = m_stashes.find(pass.stage); stash != m_stashes.end() && pass.kind == PassKind::F)
        stash->second.keep(pass.microbatch);
    swapWeights(pass);
    auto made = carryOut(pass, std::move(in));
    swapWeights(pass);
    if (made && endsBackward(pass.kind))
        updateStage(pass);
    return made;
}

base::Result<Mail> Device::carryOut(const Pass &pass, Mail in)
{
    switch (pass.kind) {
    case PassKind::F: return forward(pass, std::move(in));
    case PassKind::B:
    case PassKind::I: return backward(pass, std::move(in));
    case PassKind::W: backwardWeights(pass); return Mail{};
    case PassKind::S: return firstVocabularyPass(pass.microbatch);
    case PassKind::T: return lastVocabularyPass(pass);
    case PassKind::U: return secondVocabularyPass(pass.microbatch);
    case PassKind::EF: {
        Mail out;
        embed(pass.microbatch, newMessage(out.tensor));
        return out;
    }
    case PassKind::EB: addTokenGradients(pass.microbatch, m_context.of(in.tensor)); return Mail{};
    default: return base::Error::failed(base::concat("pass ", schedule::text(pass), " is unknown to the executor"));
    }
}

base::Result<Mail> Device::forward(const Pass &pass, Mail in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    if (pass.stage == 0) {
        const bool isWhole = !m_plan.isSharded();
        const Values x = isWhole || !in.tensor ? inputPlace(pass, in.tensor) : m_context.of(in.tensor);
        if (isWhole) {
            const InVocabulary inVocabulary(*this);
            embed(microbatch, x);
        }
        if (m_positions != nullptr)
            compute().addPositions(x, m_positions->weights(), shape.batch, shape.sequence, shape.hidden);
    }
    Mail out = std::move(in);
    if (const Stage &stage = m_stages.at(pass.stage); !stage.isEmpty())
        stage.forward(microbatch,
                      isLast(pass) ? m_context.at(BufferKind::NormInput, pass.stage, microbatch) : newMessage(out.tensor),
                      m_context);
    if (!isLast(pass))
        return out;
    normalise(pass, m_plan.isSharded() ? newMessage(out.tensor) : m_context.at(BufferKind::OutputInput, 0, microbatch));
    if (m_plan.isSharded())
        return out;
    const InVocabulary inVocabulary(*this);
    m_output->project(microbatch, labels(microbatch), m_context);
    if (auto finite = recordLoss(microbatch, &pass); !finite)
        return finite.error();
    return Mail{};
}

base::Result<Tensor> Device::outputGradient(const Pass &pass, Mail in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    if (!in.tensor) {
        const InVocabulary inVocabulary(*this);
        return m_output->differentiate(microbatch, statistics(microbatch), labels(microbatch), m_context);
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

base::Result<Mail> Device::backward(const Pass &pass, Mail in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    const bool isKept = pass.kind == PassKind::I && pass.stage == 0 && !m_plan.isSharded();
    Mail out;
    Values gradient;
    if (isLast(pass)) {
        const auto above = outputGradient(pass, std::move(in));
        if (!above)
            return above.error();
        hold({.tensor = *above});
        gradient = gradientPlace(pass, out.tensor);
        differentiateNorm(pass, gradient, m_context.of(*above));
    } else {
        out = std::move(in);
        gradient = isKept ? m_context.at(BufferKind::EmbeddingGradient, 0, microbatch) : m_context.of(out.tensor);
    }
    if (const Stage &stage = m_stages.at(pass.stage); !stage.isEmpty())
        stage.backward(microbatch, gradient, pass.kind == PassKind::I ? Backward::Inputs : Backward::Whole, m_context);
    if (pass.stage > 0)
        return out;
    if (m_positions != nullptr)
        compute().addPositionGradients(m_positions->gradient.data(), gradient, shape.batch, shape.sequence, shape.hidden);
    if (m_plan.isSharded() || isKept)
        return out;
    hold(out);
    const InVocabulary inVocabulary(*this);
    addTokenGradients(microbatch, gradient);
    return Mail{};
}

void Device::backwardWeights(const Pass &pass)
{
    if (const Stage &stage = m_stages.at(pass.stage); !stage.isEmpty())
        stage.backwardWeights(pass.microbatch, m_context);
    if (pass.stage > 0 || m_plan.isSharded())
        return;
    const InVocabulary inVocabulary(*this);
    addTokenGradients(pass.microbatch, m_context.at(BufferKind::EmbeddingGradient, 0, pass.microbatch));
}

void Device::addTokenGradients(int microbatch, ConstValues gradient)
{
    compute().scatterAddRows(m_table->gradient.data(), tableShard(), inputs(microbatch), gradient, 1.0F, m_plan.shape.tokens());
}

Tensor Device::messageOf(const float *statistics, std::int64_t floats) const
{
    Tensor message = m_memory.takeMessage(floats);
    compute().copy(message->data(), statistics, floats);
    return message;
}

Mail Device::firstVocabularyPass(int microbatch)
{
    const Labels targets = labels(microbatch);
    const std::int64_t tokens = m_plan.shape.tokens();
    const float *local = OutputShard::statistics(microbatch, m_context).maximum;
    if (m_plan.vocabulary().hasPassU) {
        m_output->projectMaxima(microbatch, targets, m_context);
        return {.tensor = messageOf(local, tokens)};
    }
    m_output->project(microbatch, targets, m_context);
    Mail out{.tensor = messageOf(local, 3 * tokens)};
    if (m_plan.vocabulary().isGradientFromS)
        out.rows = m_output->weigh(microbatch, targets, m_context);
    return out;
}

Mail Device::secondVocabularyPass(int microbatch)
{
    m_output->exponentiate(microbatch, m_context);
    return {.tensor = messageOf(OutputShard::statistics(microbatch, m_context).sum, 2 * m_plan.shape.tokens())};
}

base::Result<Mail> Device::lastVocabularyPass(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const Labels targets = labels(microbatch);
    const SoftmaxStatistics all = statistics(microbatch);
    if (m_plan.vocabulary().isGradientFromS) {
        m_output->differentiateWeight(microbatch, all, targets, m_context);
        return Mail{};
    }
    Mail out{.tensor = m_output->differentiate(microbatch, all, targets, m_context)};
    if (m_rank == m_plan.lastDevice(microbatch))
        if (auto finite = recordLoss(microbatch, &pass); !finite)
            return finite.error();
    return out;
}

kernels::TableShard Device::tableShard() const
{
    return {m_table->firstRow, m_table->rows, m_plan.shape.hidden};
}

void Device::embed(int microbatch, Values rows) const
{
    compute().gatherRows(rows, m_table->weights(), tableShard(), inputs(microbatch), m_plan.shape.tokens());
}

void Device::normalise(const Pass &pass, Values out) const
{
    forwardNorm(m_finalNorm, out, m_memory.at(BufferKind::NormStatistics, pass.stage, pass.microbatch),
                m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch), m_context);
}

void Device::differentiateNorm(const Pass &pass, Values gradient, ConstValues outGradient) const
{
    compute().zero(gradient, m_plan.shape.boundary());
    backwardNorm(m_finalNorm, gradient, outGradient, m_context.at(BufferKind::NormInput, pass.stage, pass.microbatch),
                 m_memory.at(BufferKind::NormStatistics, pass.stage, pass.microbatch), m_context);
}

base::Result<> Device::recordLoss(int microbatch, const Pass *pass)
{
    const double loss = compute().lossSum(statistics(microbatch), m_countedTokens);
    m_losses[size(microbatch)] = loss;
    if (std::isfinite(loss))
        return {};
    const std::string at = m_use == StepUse::Evaluation ? std::string() : " in " + stepText();
    return base::Error::failed(base::concat("the loss is not finite", at, ", microbatch ", microbatch, ", on device ", m_rank,
                                            pass != nullptr ? ", in pass " + schedule::text(*pass) : "",
                                            ": training diverged; lower the learning rate (it is ",
                                            m_plan.experiment.training.optimizer.learningRate,
                                            ") or limit the gradient's norm with clip"),
                               "training.optimizer.lr");
}

} // namespace stagelens::runtime
