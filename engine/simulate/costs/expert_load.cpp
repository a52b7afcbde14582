#include "engine/simulate/costs/expert_load.h"

#include "engine/base/random.h"
#include "engine/model/family_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace stagelens::simulate {
namespace {

constexpr std::uint64_t kSeed = 17;

/// Draws how many of n independent events of probability p occur: by their normal limit where it holds, else one by one with
/// skips (the gaps between events are geometric).
class Binomial {
public:
    [[nodiscard]] std::int64_t draw(std::int64_t n, double p)
    {
        if (n == 0 || p <= 0)
            return 0;
        if (p >= 1)
            return n;
        if (p > 0.5)
            return n - draw(n, 1 - p);
        const double mean = static_cast<double>(n) * p;
        constexpr double kMany = 50;
        if (mean > kMany) {
            const double value = mean + std::sqrt(mean * (1 - p)) * m_random.normal(m_next++);
            return std::clamp<std::int64_t>(std::llround(value), 0, n);
        }
        std::int64_t count = 0;
        const double each = std::log1p(-p);
        for (double at = gap(each); at < static_cast<double>(n); at += 1 + gap(each))
            ++count;
        return count;
    }
    [[nodiscard]] std::int64_t below(std::int64_t end) { return m_uniform.integer(m_next++, 0, end - 1); }

private:
    [[nodiscard]] double gap(double each) { return std::floor(std::log(1 - m_uniform.uniform(m_next++)) / each); }

    base::Random m_random{kSeed};
    base::Random m_uniform{kSeed, 1};
    std::uint64_t m_next = 0;
};

std::vector<double> popularities(const ExpertGroup &group)
{
    std::vector<double> shares;
    for (int i = 1; i <= group.experts; ++i)
        shares.push_back(std::pow(i, -group.skew));
    return shares;
}

} // namespace

ExpertLoad expertLoad(const ExpertGroup &group, const std::vector<double> &capacities, int draws)
{
    const std::int64_t rows = group.ranks * group.tokens * group.topK;
    const double mean = static_cast<double>(rows) / group.experts;
    ExpertLoad load{0, 0, std::vector<double>(capacities.size())};
    std::vector<double> shares = popularities(group);
    Binomial binomial;
    for (int draw = 0; draw < draws; ++draw) {
        for (std::size_t i = shares.size(); i > 1; --i)
            std::swap(shares[i - 1], shares[static_cast<std::size_t>(binomial.below(static_cast<std::int64_t>(i)))]);
        double rest = std::accumulate(shares.begin(), shares.end(), 0.0);
        std::int64_t left = rows;
        std::int64_t ofRank = 0;
        std::int64_t mostOfRank = 0;
        std::int64_t mostOfExpert = 0;
        for (int expert = 0; expert < group.experts; ++expert) {
            const double share = shares[static_cast<std::size_t>(expert)];
            const std::int64_t own = expert + 1 == group.experts ? left : binomial.draw(left, share / rest);
            left -= own;
            rest -= share;
            mostOfExpert = std::max(mostOfExpert, own);
            ofRank = expert % (group.experts / group.ranks) == 0 ? own : ofRank + own;
            mostOfRank = std::max(mostOfRank, ofRank);
            for (std::size_t i = 0; i < capacities.size(); ++i)
                load.dropped[i] += std::max(0.0, static_cast<double>(own) - std::ceil(capacities[i] * mean));
        }
        load.busiestRank += static_cast<double>(mostOfRank);
        load.busiestExpert += static_cast<double>(mostOfExpert);
    }
    load.busiestRank *= group.ranks / (static_cast<double>(rows) * draws);
    load.busiestExpert /= mean * draws;
    for (double &each : load.dropped)
        each /= static_cast<double>(rows) * draws;
    return load;
}

double busiestRank(const model::Experiment &experiment)
{
    const model::ModelConfig &model = experiment.model;
    const int ranks = experiment.parallel.expert;
    if (model.capacityFactor) { // an expert computes at most that, whatever its rank has
        model::Experiment dropless = experiment;
        dropless.model.capacityFactor.reset();
        return std::min(busiestRank(dropless), *model.capacityFactor);
    }
    if (ranks == 1 || !experiment.whatIf.expertSkew || model.experts < ranks)
        return 1;
    // A prediction asks several times for the same layer.
    struct Known {
        std::array<double, 5> key;
        double load;
    };
    const model::ParallelPlan &plan = experiment.parallel;
    const std::int64_t parts =
        std::int64_t{plan.context} * (plan.foldsExperts() ? plan.tensor : 1) * model::slicesOf(experiment.schedule);
    const std::int64_t tokens = std::max<std::int64_t>(1, std::int64_t{plan.microbatchSize} * model.sequence / parts);
    const std::array<double, 5> key{static_cast<double>(ranks), static_cast<double>(model.experts),
                                    static_cast<double>(model.topK), static_cast<double>(tokens),
                                    *experiment.whatIf.expertSkew};
    thread_local std::optional<Known> known;
    if (!known || known->key != key)
        known = Known{key, expertLoad({ranks, model.experts, model.topK, tokens, *experiment.whatIf.expertSkew}).busiestRank};
    return known->load;
}

} // namespace stagelens::simulate
