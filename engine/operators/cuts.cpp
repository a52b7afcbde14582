#include "engine/operators/cuts.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace stagelens::operators {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<double> sums(const std::vector<double> &times)
{
    std::vector<double> sums{0};
    for (const double time : times)
        sums.push_back(sums.back() + time);
    return sums;
}

} // namespace

PartCut leastGreatestPart(const std::vector<double> &times, int parts)
{
    const std::size_t items = times.size();
    const auto count = static_cast<std::size_t>(parts);
    const std::vector<double> upTo = sums(times);
    // least[k][i]: of the items from i on in k + 1 parts. The first part ends at end[k][i].
    std::vector<std::vector<double>> least(count, std::vector<double>(items + 1, kNever));
    std::vector<std::vector<std::size_t>> end(count, std::vector<std::size_t>(items + 1, items));
    for (std::size_t i = 0; i < items; ++i)
        least[0][i] = upTo[items] - upTo[i];
    for (std::size_t k = 1; k < count; ++k)
        for (std::size_t i = 0; i + k < items; ++i)
            for (std::size_t j = i + 1; j + k <= items; ++j)
                if (const double greatest = std::max(upTo[j] - upTo[i], least[k - 1][j]); greatest <= least[k][i]) {
                    least[k][i] = greatest;
                    end[k][i] = j;
                }
    PartCut cut{{}, least[count - 1][0]};
    std::size_t begin = 0;
    for (std::size_t k = count; k-- > 0;) {
        cut.sizes.push_back(static_cast<int>(end[k][begin] - begin));
        begin = end[k][begin];
    }
    return cut;
}

ReplicatedPlan pipeDreamPlan(const std::vector<PlannedLayer> &layers, int machines, double bandwidth)
{
    const std::size_t count = layers.size();
    const auto most = static_cast<std::size_t>(machines);
    std::vector<double> times{0};
    std::vector<double> weights{0};
    for (const PlannedLayer &layer : layers) {
        times.push_back(times.back() + layer.time);
        weights.push_back(weights.back() + layer.weights);
    }
    const auto stageTime = [&](std::size_t begin, std::size_t end, std::size_t replicas) {
        const auto number = static_cast<double>(replicas);
        return std::max((times[end] - times[begin]) / number,
                        2 * (number - 1) / number * (weights[end] - weights[begin]) / bandwidth);
    };
    struct State {
        double time = kNever;
        std::size_t layers = 0;   ///< before the last stage
        std::size_t machines = 0; ///< of the last stage
    };
    std::vector<std::vector<State>> best(count + 1, std::vector<State>(most + 1));
    for (std::size_t j = 1; j <= count; ++j)
        for (std::size_t all = 1; all <= most; ++all) {
            State &state = best[j][all];
            state = {stageTime(0, j, all), 0, all};
            for (std::size_t i = 1; i < j; ++i)
                for (std::size_t own = 1; own < all; ++own)
                    if (const double time =
                            std::max({best[i][all - own].time, 2 * layers[i - 1].activation / bandwidth, stageTime(i, j, own)});
                        time < state.time)
                        state = {time, i, own};
        }
    ReplicatedPlan plan{{}, best[count][most].time};
    std::size_t left = most;
    for (std::size_t j = count; j > 0;) {
        const State &state = best[j][left];
        plan.stages.push_back({static_cast<int>(j - state.layers), static_cast<int>(state.machines)});
        j = state.layers;
        left -= state.machines;
    }
    std::ranges::reverse(plan.stages);
    return plan;
}

PartCut teraPipeCut(int units, int stages, const std::function<double(int length, int before)> &time, int most)
{
    const auto count = static_cast<std::size_t>(units);
    const auto parts = static_cast<std::size_t>(most > 0 ? std::min(most, units) : units);
    std::vector<std::vector<double>> times(count + 1, std::vector<double>(count + 1, kNever)); // of [begin, end)
    std::vector<double> bounds;
    for (std::size_t begin = 0; begin < count; ++begin)
        for (std::size_t end = begin + 1; end <= count; ++end)
            bounds.push_back(times[begin][end] = time(static_cast<int>(end - begin), static_cast<int>(begin)));
    std::ranges::sort(bounds);
    bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
    PartCut best{{}, kNever};
    for (const double bound : bounds) {
        // least[k][end]: of the units up to `end` in k slices that take no longer than the bound.
        std::vector<std::vector<double>> least(parts + 1, std::vector<double>(count + 1, kNever));
        std::vector<std::vector<std::size_t>> from(parts + 1, std::vector<std::size_t>(count + 1, 0));
        least[0][0] = 0;
        for (std::size_t k = 1; k <= parts; ++k)
            for (std::size_t end = k; end <= count; ++end)
                for (std::size_t begin = k - 1; begin < end; ++begin)
                    if (const double sum = least[k - 1][begin] + times[begin][end];
                        times[begin][end] <= bound && sum < least[k][end]) {
                        least[k][end] = sum;
                        from[k][end] = begin;
                    }
        for (std::size_t k = 1; k <= parts; ++k) {
            const double whole = least[k][count] + (stages - 1) * bound;
            if (whole >= best.cost)
                continue;
            best = {std::vector<int>(k), whole};
            std::size_t end = count;
            for (std::size_t slice = k; slice > 0; --slice) {
                best.sizes[slice - 1] = static_cast<int>(end - from[slice][end]);
                end = from[slice][end];
            }
        }
    }
    return best;
}

} // namespace stagelens::operators
