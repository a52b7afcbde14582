// The choices of a router and the order of its rows.
//
// A warp chooses for a token: k passes over its E logits, in each of which the lanes agree on the next greatest. Then a block
// an expert numbers the expert's rows in the order of tokens: each thread counts those of a run of choices, so there are
// neither atomics nor a sort; a capacity adds 32 passes, which bisect the smallest gate that stays. A last kernel adds the rows
// of the experts before. Every block reads all choices: E T k numbers from L2, about 10 us with 128 experts and 32768 rows.
#include "kernels/cuda/experts/choices.h"

namespace stagelens::kernels::gpu {
namespace {

/// Writes the softmax over the logits of the choices; of one choice, over all logits.
template <class T>
STAGELENS_DEVICE void writeSoftmax(float *gates, const std::int32_t *choices, const T *logits, int experts, int k)
{
    const int lane = threadIndex() % kWarpLanes;
    const float top = numberOf(logits[choices[0]]);
    float sum = 0;
    if (k == 1)
        for (int e = lane; e < experts; e += kWarpLanes)
            sum += std::exp(numberOf(logits[e]) - top);
    else
        for (int j = lane; j < k; j += kWarpLanes)
            sum += std::exp(numberOf(logits[choices[j]]) - top);
    sum = warpSum(sum);
    for (int j = lane; j < k; j += kWarpLanes)
        gates[j] = std::exp(numberOf(logits[choices[j]]) - top) / sum;
}

template <class T>
STAGELENS_DEVICE void writeSigmoids(float *gates, const std::int32_t *choices, const T *logits, int k, float scale)
{
    const int lane = threadIndex() % kWarpLanes;
    float sum = 0;
    for (int j = lane; j < k; j += kWarpLanes)
        sum += routerSigmoid(numberOf(logits[choices[j]]));
    sum = warpSum(sum);
    for (int j = lane; j < k; j += kWarpLanes) {
        const float score = routerSigmoid(numberOf(logits[choices[j]]));
        gates[j] = scale * (k > 1 ? score / sum : score);
    }
}

/// Returns the key of the last chosen group of experts. `sums` is shared memory of the warp, one number a group.
template <class ScoreOf>
STAGELENS_DEVICE std::uint64_t lastGroup(float *sums, int experts, int k, const RouterRule &rule, const ScoreOf &scoreOf)
{
    const int groups = static_cast<int>(rule.groups);
    const int each = experts / groups;
    const int share = k / static_cast<int>(rule.chosenGroups);
    const int best = share < 1 ? 1 : share > each ? each : share;
    for (int group = 0; group < groups; ++group) {
        float sum = 0;
        std::uint64_t key = kAboveAll;
        for (int i = 0; i < best; ++i) {
            key = nextGreatest(group * each, each, key, scoreOf);
            sum += scoreOf(indexOf(key));
        }
        if (threadIndex() % kWarpLanes == 0)
            sums[group] = sum;
    }
    syncWarp();
    std::uint64_t last = kAboveAll;
    for (int i = 0; i < rule.chosenGroups; ++i)
        last = nextGreatest(0, groups, last, [sums](int group) { return sums[group]; });
    return last;
}

/// A warp a token. `each` is the floats of shared memory of a warp.
template <class T>
STAGELENS_KERNEL(kChoiceThreads, 4)
chooseKernel(float *gates, std::int32_t *choices, const T *logits, const float *bias, RoutingShape shape, RouterRule rule,
             int each)
{
    const int warp = threadIndex() / kWarpLanes;
    const std::int64_t token = std::int64_t{blockIndex()} * (blockThreads() / kWarpLanes) + warp;
    if (token >= shape.tokens)
        return;
    const int experts = static_cast<int>(shape.experts);
    const int k = static_cast<int>(shape.topK);
    const T *row = logits + token * experts;
    std::int32_t *own = choices + token * k;
    const auto scoreOf = [&](int e) {
        const float logit = numberOf(row[e]);
        return rule.isSigmoid ? routerSigmoid(logit) + (bias != nullptr ? bias[e] : 0.0F) : logit;
    };
    float *sums = reinterpret_cast<float *>(sharedBytes()) + warp * each;
    const bool isGrouped = rule.isSigmoid && rule.chosenGroups < rule.groups;
    const std::uint64_t last = isGrouped ? lastGroup(sums, experts, k, rule, scoreOf) : 0;
    const auto keptScoreOf = [&](int e) {
        const int group = e / (experts / static_cast<int>(rule.groups));
        return isGrouped && keyOf(sums[group], group) < last ? kMinusInfinity : scoreOf(e);
    };
    std::uint64_t key = kAboveAll;
    for (int j = 0; j < k; ++j) {
        key = nextGreatest(0, experts, key, keptScoreOf);
        if (threadIndex() % kWarpLanes == 0)
            own[j] = indexOf(key);
    }
    syncWarp();
    if (rule.isSigmoid)
        writeSigmoids(gates + token * k, own, row, k, rule.scale);
    else
        writeSoftmax(gates + token * k, own, row, experts, k);
}

/// A run of the choices for each thread of a block.
struct Run {
    std::int64_t first;
    std::int64_t end;
    STAGELENS_DEVICE explicit Run(std::int64_t count)
    {
        const std::int64_t each = (count + blockThreads() - 1) / blockThreads();
        first = each * threadIndex();
        first = first < count ? first : count;
        end = first + each < count ? first + each : count;
    }
};

struct Ranks {
    int before; ///< of earlier threads
    int all;
};
/// Adds up a number of each thread. `parts` is shared memory, one number a thread, that no thread may still read.
STAGELENS_DEVICE Ranks ranksOf(int own, int *parts)
{
    parts[threadIndex()] = own;
    syncBlock();
    Ranks ranks{0, 0};
    for (int thread = 0; thread < blockThreads(); ++thread) {
        ranks.before += thread < threadIndex() ? parts[thread] : 0;
        ranks.all += parts[thread];
    }
    return ranks;
}

/// A block an expert: rows[slot] becomes the number of the row among those of the expert, -1 if it is dropped, and
/// counts[expert] how many stay.
STAGELENS_KERNEL(kChoiceThreads, 4)
rankKernel(std::int32_t *rows, std::int32_t *counts, const std::int32_t *choices, const float *gates, std::int64_t count,
           std::int64_t capacity, bool dropsLast)
{
    int *parts = reinterpret_cast<int *>(sharedBytes()); // two of a number a thread
    int *others = parts + kChoiceThreads;
    const std::int32_t expert = blockIndex();
    const Run run(count);
    const auto countIf = [&](const auto &isCounted) {
        int own = 0;
        for (std::int64_t slot = run.first; slot < run.end; ++slot)
            own += choices[slot] == expert && isCounted(slot) ? 1 : 0;
        return own;
    };
    const Ranks all = ranksOf(countIf([](std::int64_t) { return true; }), parts);
    const int most = capacity > 0 && capacity < all.all ? static_cast<int>(capacity) : all.all;
    if (most == all.all || dropsLast) {
        int rank = all.before;
        for (std::int64_t slot = run.first; slot < run.end; ++slot)
            if (choices[slot] == expert) {
                rows[slot] = rank < most ? rank : -1;
                ++rank;
            }
    } else {
        // The gate of the last row that stays, bit by bit from the highest.
        std::uint32_t least = 0;
        for (int bit = 31; bit >= 0; --bit) {
            const std::uint32_t trial = least | 1U << static_cast<unsigned>(bit);
            const int own = countIf([&](std::int64_t slot) { return orderOf(gates[slot]) >= trial; });
            int *place = bit % 2 != 0 ? others : parts;
            if (blockSum(own, place) >= most)
                least = trial;
        }
        syncBlock();
        const Ranks greater = ranksOf(countIf([&](std::int64_t slot) { return orderOf(gates[slot]) > least; }), parts);
        const Ranks equal = ranksOf(countIf([&](std::int64_t slot) { return orderOf(gates[slot]) == least; }), others);
        const int room = most - greater.all; // for equal gates, the first of which stay
        int tie = equal.before;
        int rank = greater.before + (tie < room ? tie : room);
        for (std::int64_t slot = run.first; slot < run.end; ++slot)
            if (choices[slot] == expert) {
                const std::uint32_t order = orderOf(gates[slot]);
                const bool stays = order > least || (order == least && tie < room);
                tie += order == least ? 1 : 0;
                rows[slot] = stays ? rank : -1;
                rank += stays ? 1 : 0;
            }
    }
    if (threadIndex() == 0)
        counts[expert] = most;
}

/// Adds the rows of the experts before, and writes the inverse table.
STAGELENS_KERNEL(kChoiceThreads, 4)
placeKernel(std::int32_t *rows, std::int32_t *slots, const std::int32_t *choices, const std::int32_t *counts, int experts,
            std::int64_t count)
{
    auto *own = reinterpret_cast<std::int32_t *>(sharedBytes()); // counts, then first rows
    std::int32_t *first = own + experts;
    for (int e = threadIndex(); e < experts; e += blockThreads())
        own[e] = counts[e];
    syncBlock();
    for (int e = threadIndex(); e <= experts; e += blockThreads()) {
        std::int32_t sum = 0;
        for (int before = 0; before < e; ++before)
            sum += own[before];
        first[e] = sum;
    }
    syncBlock();
    const std::int64_t slot = std::int64_t{blockIndex()} * blockThreads() + threadIndex();
    if (slot >= count)
        return;
    if (slot >= first[experts])
        slots[slot] = -1;
    if (const std::int32_t rank = rows[slot]; rank >= 0) {
        const std::int32_t row = first[choices[slot]] + rank;
        rows[slot] = row;
        slots[row] = static_cast<std::int32_t>(slot);
    }
}

} // namespace

template <class T>
Status routeForward(Stream stream, float *gates, std::int32_t *routes, const T *logits, const float *bias,
                    const RoutingShape &shape, const RouterRule &rule, void *scratch)
{
    const std::int64_t rows = shape.rows();
    const auto groups = static_cast<int>(rule.groups);
    const std::int64_t shared = std::int64_t{kChoiceWarps} * groups * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t tables = (2 * shape.experts + 1) * static_cast<std::int64_t>(sizeof(std::int32_t));
    if (shared > mostSharedBytes() || tables > mostSharedBytes())
        return kUnsupported;
    auto *counts = static_cast<std::int32_t *>(scratch);
    const Status chosen =
        launch<chooseKernel<T>>({(shape.tokens + kChoiceWarps - 1) / kChoiceWarps, kChoiceThreads, shared, stream}, gates,
                                routes, logits, bias, shape, rule, groups);
    if (chosen.failed())
        return chosen;
    const Status ranked = launch<rankKernel>({shape.experts, kChoiceThreads, 2 * kChoiceThreads * sizeof(int), stream},
                                             routes + rows, counts, routes, gates, rows, rule.capacity, rule.dropsLast);
    if (ranked.failed())
        return ranked;
    return launch<placeKernel>({(rows + kChoiceThreads - 1) / kChoiceThreads, kChoiceThreads, tables, stream}, routes + rows,
                               routes + 2 * rows, routes, counts, static_cast<int>(shape.experts), rows);
}

#define STAGELENS_ROUTING_OF(T)                                                                                                \
    template Status routeForward(Stream, float *, std::int32_t *, const T *, const float *, const RoutingShape &,              \
                                 const RouterRule &, void *);
STAGELENS_EVERY_TYPE(STAGELENS_ROUTING_OF)
#undef STAGELENS_ROUTING_OF

} // namespace stagelens::kernels::gpu
