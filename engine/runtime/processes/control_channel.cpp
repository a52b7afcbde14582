#include "engine/runtime/processes/control_channel.h"

#include "engine/backend/plugin.h"
#include "engine/backend/process_frames.h"
#include "engine/base/hash.h"
#include "engine/model/experiment_json.h"
#include "engine/runtime/processes/packed_timeline.h"
#include "engine/schedule/text_form.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>

namespace stagelens::runtime {
namespace {

using backend::Bytes;

/// Moves a lane to a clock that began earlier by `by`.
void shift(timeline::Lane &lane, base::Nanos by)
{
    for (const auto times : {&lane.begin, &lane.end})
        for (base::Nanos &time : *times)
            time += by;
    for (timeline::AnchoredSlice &slice : lane.anchored) {
        slice.begin += by;
        slice.end += by;
    }
    lane.tailBegin += by;
    lane.tailEnd += by;
}

base::Error malformedResult(std::size_t rank)
{
    return base::Error::failed(
        fmt::format("process {} sent a malformed result; start all processes from the same build", rank));
}

/// Returns the sum of squares of this replica's share of each parameter's gradient on a device, in double, or of all of it if
/// replicas train alone; 0 for parameters that it does not hold or holds as a copy.
std::vector<double> gradientSquares(const RunPlan &plan, const Device &device)
{
    std::vector<double> squares(plan.parameters.size());
    if (device.place().share >= plan.experiment.parallel.shardGroup())
        return squares; // another group has the same sums
    const bool isAlone = plan.experiment.parallel.averagesWeights();
    std::vector<std::size_t> held;
    std::vector<std::span<const float>> gradients;
    for (std::size_t index = 0; index < squares.size(); ++index)
        if (const Parameter *part = device.find(static_cast<int>(index));
            part != nullptr && !part->isCopy && !part->isRepeated && !part->biasRate) {
            const layout::Interval own = isAlone ? part->whole() : part->share;
            held.push_back(index);
            gradients.emplace_back(part->gradient.data() + own.begin, size(own.size()));
        }
    const std::vector<double> sums = device.compute().sumsOfSquares(gradients);
    for (std::size_t i = 0; i < held.size(); ++i)
        squares[held[i]] = sums[i];
    return squares;
}

/// Returns the norm of the whole gradient from the squares of every rank, added parameter by parameter and in rank order; if
/// replicas train alone, the norm of each replica's.
std::vector<double> normsOf(const RunPlan &plan, const std::vector<std::vector<double>> &squares)
{
    const bool areAlone = plan.experiment.parallel.averagesWeights();
    std::vector<double> norms(areAlone ? size(plan.replicas()) : 1);
    for (std::size_t index = 0; index < squares.front().size(); ++index)
        for (std::size_t rank = 0; rank < squares.size(); ++rank)
            norms[areAlone ? size(plan.placeOf(static_cast<int>(rank)).replica) : 0] += squares[rank][index];
    for (double &norm : norms)
        norm = std::sqrt(norm);
    return norms;
}

/// Most numbers of several tensors in one message; 16 MiB.
constexpr std::int64_t kBatch = std::int64_t{1} << 22U;

/// Returns the end of the tensors from `begin` on that travel in one message: at least one.
std::size_t endOfBatch(std::span<const std::int64_t> sizes, std::size_t begin)
{
    std::size_t end = begin + 1;
    for (std::int64_t sum = sizes[begin]; end < sizes.size() && sum + sizes[end] <= kBatch; ++end)
        sum += sizes[end];
    return end;
}

/// Returns the pieces of some tensors; nothing if there is no memory for them.
Bytes packedPieces(std::size_t begin, std::size_t end, const std::function<TensorPieces(int)> &own)
{
    try {
        Packer packer;
        for (std::size_t index = begin; index < end; ++index) {
            const TensorPieces pieces = own(static_cast<int>(index));
            packer.put(pieces.runs);
            packer.put(pieces.values);
        }
        return packer.take();
    } catch (const std::bad_alloc &) {
        return {};
    }
}

/// Reads the pieces of another process into a tensor.
void addPieces(std::vector<float> &tensor, Unpacker &packed)
{
    const auto runs = packed.values<std::int64_t>();
    const auto values = packed.values<float>();
    auto from = values.begin();
    for (std::size_t run = 0; run + 1 < runs.size(); run += 2) {
        const std::int64_t first = runs[run];
        const std::int64_t count = runs[run + 1];
        packed.require(first >= 0 && count >= 0 && count <= values.end() - from && first <= std::ssize(tensor) - count);
        if (!packed.isWhole())
            return;
        std::copy_n(from, count, tensor.begin() + first);
        from += count;
    }
    packed.require(from == values.end());
}

/// Reads what packedPieces() of another process returned.
base::Result<> addPieces(std::span<std::vector<float>> tensors, const Bytes &bytes, std::size_t rank)
{
    const auto lacksMemory = [](std::size_t process) {
        return base::Error::failed(fmt::format("process {} has no memory for a copy of its tensors", process));
    };
    if (bytes.empty())
        return lacksMemory(rank);
    try {
        Unpacker packed(bytes);
        for (std::vector<float> &tensor : tensors)
            addPieces(tensor, packed);
        return packed.isWhole() ? base::Result<>() : malformedResult(rank);
    } catch (const std::bad_alloc &) {
        return lacksMemory(0);
    }
}

} // namespace

std::string mpiProblem()
{
    return backend::mpiProblem();
}

base::Result<ProcessGroupPtr> joinThroughMpi()
{
    return backend::joinThroughMpi();
}

base::Result<> requireSame(backend::ProcessGroup &group, const std::string &what, const std::string &value,
                           const std::string &remedy, const std::stop_token &stop)
{
    Packer own;
    own.put(value);
    const auto all = group.gather(own.take(), stop);
    if (!all)
        return all.error();
    std::string verdict;
    for (std::size_t rank = 1; rank < all->size() && verdict.empty(); ++rank)
        if ((*all)[rank] != all->front())
            verdict = fmt::format("process {} has another {} than process 0; {}", rank, what, remedy);
    Packer result;
    result.put(verdict);
    const auto received = group.broadcast(result.take(), stop);
    if (!received)
        return received.error();
    verdict = Unpacker(*received).text();
    return verdict.empty() ? base::Result<>() : base::Error::invalid("--transport", verdict);
}

base::Result<std::vector<Bytes>> allGather(backend::ProcessGroup &group, Bytes own, const std::stop_token &stop)
{
    const auto gathered = group.gather(std::move(own), stop);
    if (!gathered)
        return gathered.error();
    Packer all;
    for (const Bytes &part : *gathered)
        all.put(part);
    const auto received = group.broadcast(all.take(), stop);
    if (!received)
        return received.error();
    Unpacker parts(*received);
    std::vector<Bytes> result;
    for (int rank = 0; rank < group.size(); ++rank)
        result.push_back(parts.values<std::byte>());
    return result;
}

base::Result<std::string> shareText(backend::ProcessGroup &group, const std::function<base::Result<std::string>()> &find)
{
    if (group.isFirst()) {
        auto found = find();
        Packer packer;
        packer.put(found.ok());
        if (found)
            packer.put(*found);
        else
            packer.put(backend::errorBytes(found.error()));
        (void)group.broadcast(packer.take(), {});
        return found;
    }
    const auto received = group.broadcast({}, group.broken());
    if (!received)
        return group.failure().value_or(received.error());
    Unpacker packed(*received);
    if (!packed.value<bool>())
        return backend::errorOf(packed.values<std::byte>(), 0);
    return packed.text();
}

base::Result<> reportOutcome(const ProcessGroupPtr &group, base::Result<> outcome)
{
    if (!group || outcome)
        return outcome;
    if (outcome.error().kind == base::ErrorKind::Cancelled)
        if (auto why = group->failure())
            return *std::move(why);
    group->giveUp(outcome.error());
    return outcome;
}

ControlChannel::ControlChannel(ProcessGroupPtr group, int ranks, std::stop_token halt)
    : m_group(std::move(group)), m_halt(std::move(halt))
{
    m_ranks.resize(m_group ? 1 : size(ranks));
    std::iota(m_ranks.begin(), m_ranks.end(), m_group ? m_group->rank() : 0);
}

std::unique_ptr<backend::Transport> ControlChannel::makeTransport(std::stop_token halt) const
{
    if (!m_group)
        return backend::makeInProcessTransport(static_cast<int>(m_ranks.size()), std::move(halt));
    return m_group->makeTransport(std::move(halt));
}

base::Result<std::vector<Bytes>> ControlChannel::allGather(Bytes own)
{
    return runtime::allGather(*m_group, std::move(own), m_halt);
}

base::Result<> ControlChannel::checkSameInputs(const RunPlan &plan, const Batch &first)
{
    if (isAlone())
        return {};
    const std::string experiment = model::toJson(plan.experiment).dump();
    if (auto same = requireSame(*m_group, "experiment", experiment, "give all of them the same options and files", m_halt);
        !same)
        return same;
    if (auto same =
            requireSame(*m_group, "schedule", schedule::toText(plan.schedule),
                        "it follows this machine's calibration; export it once and give all of them --schedule-file", m_halt);
        !same)
        return same;
    const std::span<const std::int32_t> tokens = first.allInputs();
    return requireSame(*m_group, "first batch",
                       base::hashText({reinterpret_cast<const char *>(tokens.data()), tokens.size_bytes()}),
                       "the files of --data differ between the machines", m_halt);
}

base::Result<> ControlChannel::barrier()
{
    if (isAlone())
        return {};
    if (const auto gathered = m_group->gather({}, m_halt); !gathered)
        return gathered.error();
    const auto received = m_group->broadcast({}, m_halt);
    return received ? base::Result<>() : received.error();
}

void ControlChannel::reportProgress(int step, std::size_t passesDone)
{
    if (m_group)
        m_group->note(step, passesDone);
}

base::Result<std::vector<double>> ControlChannel::gradientNorms(const RunPlan &plan, const Devices &devices)
{
    std::vector<std::vector<double>> squares;
    for (const auto &device : devices)
        squares.push_back(gradientSquares(plan, *device));
    if (isAlone())
        return normsOf(plan, squares);
    Packer own;
    own.put(squares.front());
    const auto all = allGather(own.take());
    if (!all)
        return all.error();
    squares.clear();
    for (const Bytes &part : *all)
        squares.push_back(Unpacker(part).values<double>());
    return normsOf(plan, squares);
}

base::Result<bool> ControlChannel::isAny(bool own)
{
    if (isAlone())
        return own;
    Packer mine;
    mine.put(own);
    const auto all = allGather(mine.take());
    if (!all)
        return all.error();
    return std::ranges::any_of(*all, [](const Bytes &part) { return Unpacker(part).value<bool>(); });
}

base::Result<> ControlChannel::gatherOutcomes(std::vector<DeviceOutcome> &outcomes, Clock::time_point begin)
{
    if (isAlone())
        return {};
    const DeviceOutcome mine = outcomes.front();
    Packer own;
    own.put(std::chrono::duration_cast<std::chrono::nanoseconds>(begin.time_since_epoch()).count() + m_group->clock().offset);
    own.put(mine.losses);
    own.put(mine.peakMemory);
    own.put(mine.peakHost);
    pack(own, mine.lane);
    pack(own, mine.routers);
    pack(own, mine.operators);
    const auto all = m_group->gather(own.take(), m_halt);
    if (!all)
        return all.error();
    if (!isFirst())
        return {};
    outcomes.clear();
    std::vector<base::Nanos> begins;
    for (const Bytes &part : *all) {
        Unpacker packed(part);
        DeviceOutcome &outcome = outcomes.emplace_back();
        begins.push_back(packed.value<base::Nanos>());
        outcome.losses = packed.values<double>();
        packed.require(outcome.losses.size() == mine.losses.size());
        outcome.peakMemory = packed.value<simulate::MemoryByCategory>();
        outcome.peakHost = packed.value<base::Bytes>();
        outcome.lane = unpackLane(packed);
        outcome.routers = unpackRouters(packed);
        outcome.operators = unpackOperators(packed);
        if (!packed.isWhole())
            return malformedResult(outcomes.size() - 1);
    }
    const base::Nanos earliest = *std::ranges::min_element(begins);
    for (std::size_t rank = 0; rank < outcomes.size(); ++rank)
        shift(outcomes[rank].lane, begins[rank] - earliest);
    return {};
}

base::Result<double> ControlChannel::sumOnFirst(double own)
{
    if (isAlone())
        return own;
    Packer packer;
    packer.put(own);
    const auto all = m_group->gather(packer.take(), m_halt);
    if (!all)
        return all.error();
    double sum = 0;
    for (const Bytes &part : *all)
        sum += Unpacker(part).value<double>();
    return sum;
}

base::Result<Bytes> ControlChannel::fromFirst(Bytes own)
{
    return isAlone() ? base::Result<Bytes>(std::move(own)) : m_group->broadcast(std::move(own), m_halt);
}

base::Result<> ControlChannel::gatherTensors(Tensors &tensors, std::span<const std::int64_t> sizes,
                                             const std::function<TensorPieces(int)> &own)
{
    base::Result<> outcome; // an error that is only this call's must not end it early: the others continue
    for (std::size_t begin = 0; begin < sizes.size() && !isAlone();) {
        const std::size_t end = endOfBatch(sizes, begin);
        if (const auto requested = m_group->broadcast({}, m_halt); !requested)
            return requested.error();
        const auto all = m_group->gather(isFirst() ? Bytes() : packedPieces(begin, end, own), m_halt);
        if (!all)
            return all.error();
        for (std::size_t rank = 1; rank < all->size() && outcome; ++rank)
            outcome = addPieces(std::span(tensors).subspan(begin, end - begin), (*all)[rank], rank);
        begin = end;
    }
    return outcome;
}

base::Result<> ControlChannel::scatterTensors(const Tensors &tensors, std::span<const std::int64_t> sizes,
                                              const std::function<void(int, const std::vector<float> &)> &take)
{
    for (std::size_t begin = 0; begin < sizes.size();) {
        const std::size_t end = isAlone() ? sizes.size() : endOfBatch(sizes, begin);
        Packer packer;
        for (std::size_t index = begin; index < end && isFirst(); ++index) {
            take(static_cast<int>(index), tensors[index]);
            if (!isAlone())
                packer.put(tensors[index]);
        }
        const auto received = fromFirst(packer.take());
        if (!received)
            return received.error();
        Unpacker packed(*received);
        for (std::size_t index = begin; index < end && !isFirst(); ++index) {
            const auto tensor = packed.values<float>();
            if (std::ssize(tensor) != sizes[index])
                return malformedResult(0);
            take(static_cast<int>(index), tensor);
        }
        if (auto ready = barrier(); !ready) // before the first process sends more
            return ready;
        begin = end;
    }
    return {};
}

} // namespace stagelens::runtime
