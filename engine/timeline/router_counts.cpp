#include "engine/timeline/router_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::timeline {

void RouterCounts::add(const RouterCounts &other)
{
    rows.resize(std::max(rows.size(), other.rows.size()));
    for (std::size_t i = 0; i < other.rows.size(); ++i)
        rows[i] += other.rows[i];
    dropped += other.dropped;
    entropy += other.entropy;
    tokens += other.tokens;
}

double maxViolation(const std::vector<std::int64_t> &rows)
{
    const auto all = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    if (all == 0)
        return 0;
    return static_cast<double>(*std::ranges::max_element(rows)) * static_cast<double>(rows.size()) / static_cast<double>(all) -
           1;
}

std::vector<double> relativeLoads(const RouterCounts &counts, int parts)
{
    const auto all = std::accumulate(counts.rows.begin(), counts.rows.end(), std::int64_t{0});
    if (all == 0 || parts < 1 || counts.rows.size() % static_cast<std::size_t>(parts) != 0)
        return {};
    std::vector<double> loads(static_cast<std::size_t>(parts));
    const std::size_t each = counts.rows.size() / loads.size();
    for (std::size_t expert = 0; expert < counts.rows.size(); ++expert)
        loads[expert / each] += static_cast<double>(counts.rows[expert]) * parts / static_cast<double>(all);
    return loads;
}

double relativeEntropy(const RouterCounts &counts)
{
    const double most = std::log(static_cast<double>(counts.rows.size()));
    return counts.tokens > 0 && most > 0 ? counts.entropy / static_cast<double>(counts.tokens) / most : 0;
}

} // namespace stagelens::timeline
