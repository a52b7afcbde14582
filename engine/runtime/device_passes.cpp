// How a device runs each kind of pass. Which pass needs and makes what is told in engine/schedule/dependencies.h.
#include "engine/base/text.h"
#include "engine/runtime/device.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"

#include <chrono>
#include <cmath>

namespace stagelens::runtime {
namespace {

using backend::MessageKey;
using backend::Tensor;
using model::VocabularyMethod;
using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;
using simulate::MemoryCategory;

/// Rounds of the transfer `Statistics`: every method's first; the naive method's sums; VOCAB-2's reductions.
enum Round : std::uint16_t { kStatistics = 0, kSums = 1, kExponentials = 2, kTargets = 3 };

MessageKey keyOf(Transfer transfer, int slot, int microbatch)
{
    return {static_cast<std::uint8_t>(transfer), static_cast<std::uint16_t>(slot), microbatch};
}

/// Adds the time from its making to its end.
class Stopwatch {
public:
    explicit Stopwatch(base::Nanos &total) : m_total(total) {}
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;
    ~Stopwatch()
    {
        const auto elapsed = std::chrono::steady_clock::now() - m_begin;
        m_total += std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    }

private:
    base::Nanos &m_total;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

} // namespace

std::optional<Mail> Device::receive(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const auto broadcast = [&](int root, Transfer transfer) {
        return m_transport.receiveBroadcast(root, m_rank, keyOf(transfer, 0, microbatch));
    };
    Mail in;
    bool came = true;
    switch (pass.kind) {
    case PassKind::F: came = receiveForward(pass, in.tensor); break;
    case PassKind::B:
    case PassKind::I: came = receiveBackward(pass, in); break;
    case PassKind::S: came = (in.tensor = broadcast(m_plan.lastDevice(microbatch), Transfer::BroadcastX)) != nullptr; break;
    case PassKind::U: {
        const auto parts = m_transport.gather(m_rank, keyOf(Transfer::Statistics, kStatistics, microbatch));
        came = !parts.empty();
        if (came)
            in.maximum = combineMaxima(parts, m_plan.shape.tokens());
        break;
    }
    case PassKind::T: came = receiveStatistics(microbatch); break;
    case PassKind::EB:
        came = (in.tensor = broadcast(m_plan.firstDevice(microbatch), Transfer::EmbedBroadcast)) != nullptr;
        break;
    default: break;
    }
    return came ? std::optional(std::move(in)) : std::nullopt;
}

bool Device::receiveForward(const Pass &pass, Tensor &input)
{
    if (pass.stage > 0) {
        const int from = m_plan.deviceOf(pass.stage - 1, pass.microbatch);
        input = m_transport.receive(from, m_rank, keyOf(Transfer::Send, pass.stage, pass.microbatch));
    } else if (m_plan.isSharded()) {
        input = m_transport.reduce(m_rank, keyOf(Transfer::EmbedReduce, 0, pass.microbatch));
    } else {
        return true;
    }
    if (!input)
        return false;
    input->chargeTo(meter(), category(MemoryCategory::Activations));
    return true;
}

bool Device::receiveBackward(const Pass &pass, Mail &in)
{
    const int microbatch = pass.microbatch;
    if (!isLast(pass)) {
        const MessageKey key = keyOf(Transfer::Send, m_plan.schedule.stages() + pass.stage, microbatch);
        in.tensor = m_transport.receive(m_plan.deviceOf(pass.stage + 1, microbatch), m_rank, key);
    } else if (m_plan.schedule.vocabulary() == VocabularyMethod::Vocab2) {
        if (!receiveStatistics(microbatch))
            return false;
        in.rows.targets = m_transport.reduce(m_rank, keyOf(Transfer::Statistics, kTargets, microbatch));
        in.tensor = m_transport.reduceScaled(m_rank, keyOf(Transfer::Statistics, kExponentials, microbatch),
                                             m_shardFactors[microbatch]);
        m_shardFactors.erase(microbatch);
        return in.tensor != nullptr && in.rows.targets != nullptr;
    } else if (m_plan.isSharded()) {
        in.tensor = m_transport.reduce(m_rank, keyOf(Transfer::ReduceGradient, 0, microbatch));
    } else {
        return true;
    }
    if (!in.tensor)
        return false;
    in.tensor->chargeTo(meter(), category(MemoryCategory::Communication));
    return true;
}

bool Device::receiveStatistics(int microbatch)
{
    // VOCAB-2's last device needs them twice, in T and in B (or I), and gets them once.
    if (m_statistics.contains(microbatch))
        return true;
    const VocabularyMethod method = m_plan.schedule.vocabulary();
    const int round = method == VocabularyMethod::Naive ? kSums : kStatistics;
    const auto parts = m_transport.gather(m_rank, keyOf(Transfer::Statistics, round, microbatch));
    if (parts.empty())
        return false;
    if (method == VocabularyMethod::Naive) {
        m_statistics[microbatch] = combineSums(std::move(m_maxima[microbatch]), parts);
        return true;
    }
    const SoftmaxStatistics &all = m_statistics[microbatch] = combineShards(parts, m_plan.shape.tokens());
    if (method == VocabularyMethod::Vocab2 && m_rank == m_plan.lastDevice(microbatch))
        m_shardFactors[microbatch] = shardFactors(parts, all);
    return true;
}

base::Result<Mail> Device::compute(const Pass &pass, Mail in)
{
    const int microbatch = pass.microbatch;
    m_vocabularyTime = 0;
    switch (pass.kind) {
    case PassKind::F: return forward(pass, std::move(in.tensor));
    case PassKind::B:
    case PassKind::I: return backward(pass, std::move(in));
    case PassKind::W: backwardWeights(pass); return Mail{};
    case PassKind::S: return firstVocabularyPass(microbatch, std::move(in.tensor));
    case PassKind::T: return lastVocabularyPass(microbatch);
    case PassKind::U: {
        Mail out{.tensor = m_output->exponentiate(microbatch, in.maximum, m_context)};
        m_maxima[microbatch] = std::move(in.maximum);
        return out;
    }
    case PassKind::EF: return Mail{.tensor = embed(microbatch)};
    case PassKind::EB: addTokenGradients(microbatch, in.tensor); return Mail{};
    default: return base::Error::failed(base::concat("pass ", schedule::text(pass), " is unknown to the executor"));
    }
}

void Device::publish(const Pass &pass, Mail mail)
{
    const int microbatch = pass.microbatch;
    const VocabularyMethod method = m_plan.schedule.vocabulary();
    if (!mail.tensor)
        return;
    switch (pass.kind) {
    case PassKind::F:
        if (isLast(pass))
            return m_transport.broadcast(m_rank, keyOf(Transfer::BroadcastX, 0, microbatch), std::move(mail.tensor));
        return m_transport.send(m_rank, m_plan.deviceOf(pass.stage + 1, microbatch),
                                keyOf(Transfer::Send, pass.stage + 1, microbatch), std::move(mail.tensor));
    case PassKind::B:
    case PassKind::I:
        if (pass.stage == 0)
            return m_transport.broadcast(m_rank, keyOf(Transfer::EmbedBroadcast, 0, microbatch), std::move(mail.tensor));
        return m_transport.send(m_rank, m_plan.deviceOf(pass.stage - 1, microbatch),
                                keyOf(Transfer::Send, m_plan.schedule.stages() + pass.stage - 1, microbatch),
                                std::move(mail.tensor));
    case PassKind::S:
        m_transport.giveToAll(m_rank, keyOf(Transfer::Statistics, kStatistics, microbatch), std::move(mail.tensor));
        if (method != VocabularyMethod::Vocab2)
            return;
        m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::Statistics, kExponentials, microbatch),
                               std::move(mail.rows.exponentials));
        return m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::Statistics, kTargets, microbatch),
                                      std::move(mail.rows.targets));
    case PassKind::U:
        return m_transport.giveToAll(m_rank, keyOf(Transfer::Statistics, kSums, microbatch), std::move(mail.tensor));
    case PassKind::T:
        return m_transport.giveToRoot(m_rank, m_plan.lastDevice(microbatch), keyOf(Transfer::ReduceGradient, 0, microbatch),
                                      std::move(mail.tensor));
    case PassKind::EF:
        return m_transport.giveToRoot(m_rank, m_plan.firstDevice(microbatch), keyOf(Transfer::EmbedReduce, 0, microbatch),
                                      std::move(mail.tensor));
    default: return;
    }
}

base::Result<Mail> Device::forward(const Pass &pass, Tensor x)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    if (pass.stage == 0) {
        if (!x) {
            const Stopwatch inVocabulary(m_vocabularyTime);
            x = embed(microbatch);
            x->chargeTo(meter(), category(MemoryCategory::Activations));
        }
        for (std::int64_t sequence = 0; m_positions != nullptr && sequence < shape.batch; ++sequence)
            kernels::add(x->data() + sequence * shape.sequence * shape.hidden, m_positions->value.data(),
                         shape.sequence * shape.hidden);
    }
    x = m_stages.at(pass.stage).forward(microbatch, std::move(x), m_context);
    if (!isLast(pass))
        return Mail{.tensor = std::move(x)};
    x = normalise(microbatch, std::move(x));
    if (m_plan.isSharded())
        return Mail{.tensor = std::move(x)};
    const Stopwatch inVocabulary(m_vocabularyTime);
    const Tensor statistics = m_output->project(microbatch, std::move(x), m_batch->labels(microbatch), m_context);
    m_statistics[microbatch] = combineShards({statistics}, shape.tokens());
    if (auto finite = recordLoss(microbatch); !finite)
        return finite.error();
    return Mail{};
}

base::Result<Mail> Device::backward(const Pass &pass, Mail in)
{
    const int microbatch = pass.microbatch;
    const Shape &shape = m_plan.shape;
    Tensor gradient = std::move(in.tensor);
    if (isLast(pass)) {
        if (!gradient) {
            const Stopwatch inVocabulary(m_vocabularyTime);
            gradient = m_output->differentiate(microbatch, m_statistics.at(microbatch), m_batch->labels(microbatch), m_context);
        } else if (in.rows.targets) { // VOCAB-2: u (factors E W - G W), and the loss
            kernels::addScaled(gradient->data(), in.rows.targets->data(), -1.0F, shape.boundary());
            kernels::scale(gradient->data(), gradient->data(), shape.tokenWeight(), shape.boundary());
            if (auto finite = recordLoss(microbatch); !finite)
                return finite.error();
        }
        gradient = differentiateNorm(microbatch, gradient);
    }
    const Backward part = pass.kind == PassKind::I ? Backward::Inputs : Backward::Whole;
    gradient = m_stages.at(pass.stage).backward(microbatch, std::move(gradient), part, m_context);
    if (pass.stage > 0)
        return Mail{.tensor = std::move(gradient)};
    for (std::int64_t sequence = 0; m_positions != nullptr && sequence < shape.batch; ++sequence)
        kernels::add(m_positions->gradient.data(), gradient->data() + sequence * shape.sequence * shape.hidden,
                     shape.sequence * shape.hidden);
    if (m_plan.isSharded())
        return Mail{.tensor = std::move(gradient)};
    if (part == Backward::Inputs) {
        gradient->chargeTo(meter(), category(MemoryCategory::Activations));
        m_embeddingGradients[microbatch] = std::move(gradient);
        return Mail{};
    }
    const Stopwatch inVocabulary(m_vocabularyTime);
    addTokenGradients(microbatch, gradient);
    return Mail{};
}

void Device::backwardWeights(const Pass &pass)
{
    m_stages.at(pass.stage).backwardWeights(pass.microbatch, m_context);
    if (pass.stage > 0 || m_plan.isSharded())
        return;
    const Stopwatch inVocabulary(m_vocabularyTime);
    addTokenGradients(pass.microbatch, m_embeddingGradients.extract(pass.microbatch).mapped());
}

void Device::addTokenGradients(int microbatch, const Tensor &gradient)
{
    kernels::scatterAddRows(m_table->gradient.data(), tableShard(), m_batch->inputs(microbatch).data(), gradient->data(), 1.0F,
                            m_plan.shape.tokens());
}

Mail Device::firstVocabularyPass(int microbatch, Tensor x)
{
    const Labels labels = m_batch->labels(microbatch);
    if (m_plan.schedule.vocabulary() == VocabularyMethod::Naive)
        return {.tensor = m_output->projectMaxima(microbatch, std::move(x), labels, m_context)};
    Mail out{.tensor = m_output->project(microbatch, std::move(x), labels, m_context)};
    if (m_plan.schedule.vocabulary() == VocabularyMethod::Vocab2)
        out.rows = m_output->weigh(microbatch, labels, m_context);
    return out;
}

base::Result<Mail> Device::lastVocabularyPass(int microbatch)
{
    const Labels labels = m_batch->labels(microbatch);
    const SoftmaxStatistics &all = m_statistics.at(microbatch);
    if (m_plan.schedule.vocabulary() == VocabularyMethod::Vocab2) {
        m_output->differentiateWeight(microbatch, all, labels, m_context);
        return Mail{};
    }
    Mail out{.tensor = m_output->differentiate(microbatch, all, labels, m_context)};
    if (m_rank == m_plan.lastDevice(microbatch))
        if (auto finite = recordLoss(microbatch); !finite)
            return finite.error();
    return out;
}

kernels::TableShard Device::tableShard() const
{
    return {m_table->firstRow, m_table->rows, m_plan.shape.hidden};
}

Tensor Device::embed(int microbatch)
{
    auto rows =
        std::make_shared<backend::Buffer>(m_pool.take(size(m_plan.shape.boundary()), category(MemoryCategory::Communication)));
    kernels::gatherRows(rows->data(), m_table->value.data(), tableShard(), m_batch->inputs(microbatch).data(),
                        m_plan.shape.tokens());
    return rows;
}

Tensor Device::normalise(int microbatch, Tensor input)
{
    const Shape &shape = m_plan.shape;
    NormInFlight &kept = m_norms[microbatch];
    kept.input = std::move(input);
    kept.input->chargeTo(meter(), category(MemoryCategory::Activations));
    kept.statistics = m_pool.take(size(normStatistics(shape)), category(MemoryCategory::Activations));
    const auto use = m_plan.isSharded() ? MemoryCategory::Communication : MemoryCategory::Vocabulary;
    auto out = std::make_shared<backend::Buffer>(m_pool.take(size(shape.boundary()), category(use)));
    forwardNorm(m_finalNorm, out->data(), kept.statistics.data(), kept.input->data(), shape);
    return out;
}

Tensor Device::differentiateNorm(int microbatch, const Tensor &outGradient)
{
    const Shape &shape = m_plan.shape;
    const NormInFlight kept = std::move(m_norms.extract(microbatch).mapped());
    auto gradient =
        std::make_shared<backend::Buffer>(m_pool.takeZeroed(size(shape.boundary()), category(MemoryCategory::Communication)));
    backwardNorm(m_finalNorm, gradient->data(), outGradient->data(), kept.input->data(), kept.statistics.data(), shape);
    return gradient;
}

base::Result<> Device::recordLoss(int microbatch)
{
    const double loss = m_statistics.at(microbatch).loss();
    m_losses[size(microbatch)] = loss;
    if (std::isfinite(loss))
        return {};
    return base::Error::failed(base::concat("the loss is not finite in step ", m_step, ", microbatch ", microbatch,
                                            ", on device ", m_rank, ": training diverged; lower the learning rate (it is ",
                                            m_plan.experiment.training.optimizer.learningRate,
                                            ") or limit the gradient's norm with clip"),
                               "training.optimizer.lr");
}

} // namespace stagelens::runtime
