#include "engine/operators/cuts.h"

#include <algorithm>
#include <cstddef>
#include <functional>
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
    return leastGreatestPart(times, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
}

namespace {

/// The cheapest cut by a dynamic program: least[k][i] is the cost of the items from i on in the last k + 1 parts, whose first
/// ends at end[k][i].
class CutTable {
public:
    /// `costOf(time of a part)`; `join(cost of a part, cost of those after it)`.
    template <class CostOf, class Join>
    CutTable(const std::vector<double> &upTo, const std::vector<double> &factors, const CostOf &costOf, const Join &join)
        : m_items(upTo.size() - 1), m_parts(factors.size()), m_least(m_parts, std::vector<double>(m_items + 1, kNever)),
          m_end(m_parts, std::vector<std::size_t>(m_items + 1, m_items))
    {
        for (std::size_t k = 0; k < m_parts; ++k)
            for (std::size_t i = 0; i + k < m_items; ++i)
                for (std::size_t j = k == 0 ? m_items : i + 1; j + k <= m_items; ++j) {
                    const double own = costOf(factors[m_parts - 1 - k] * (upTo[j] - upTo[i]));
                    if (const double cost = k == 0 ? own : join(own, m_least[k - 1][j]); cost <= m_least[k][i]) {
                        m_least[k][i] = cost;
                        m_end[k][i] = j;
                    }
                }
    }
    [[nodiscard]] double cost() const { return m_least.back().front(); }
    [[nodiscard]] std::vector<int> sizes() const
    {
        std::vector<int> sizes;
        std::size_t begin = 0;
        for (std::size_t k = m_parts; k-- > 0;) {
            sizes.push_back(static_cast<int>(m_end[k][begin] - begin));
            begin = m_end[k][begin];
        }
        return sizes;
    }

private:
    std::size_t m_items;
    std::size_t m_parts;
    std::vector<std::vector<double>> m_least;
    std::vector<std::vector<std::size_t>> m_end;
};

} // namespace

PartCut leastGreatestPart(const std::vector<double> &times, const std::vector<double> &factors)
{
    const std::vector<double> upTo = sums(times);
    const double least =
        CutTable(
            upTo, factors, [](double time) { return time; }, [](double own, double others) { return std::max(own, others); })
            .cost();
    const CutTable evenest(
        upTo, factors, [least](double time) { return time <= least ? time * time : kNever; }, std::plus());
    return {evenest.sizes(), least};
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
        if ((stages - 1) * bound >= best.cost)
            break;
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
