#include "engine/service/predictions/sensitivity.h"

#include "engine/model/what_if.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::service {
namespace {

using base::Nanos;

/// Simulates the order of a prediction under other what-ifs.
class OtherCircumstances {
public:
    explicit OtherCircumstances(const Prediction &prediction) : m_prediction(prediction) {}
    [[nodiscard]] base::Result<Nanos> iteration(const model::WhatIf &whatIf) const
    {
        model::Experiment other = m_prediction.experiment;
        other.whatIf = whatIf;
        const auto costs = simulate::makeCostModel(other, *m_prediction.schedule);
        if (!costs)
            return costs.error();
        const auto timeline = simulate::simulate(*m_prediction.schedule, *costs);
        return timeline ? base::Result<Nanos>(timeline->iteration()) : timeline.error();
    }

private:
    const Prediction &m_prediction;
};

class PartCosts {
public:
    PartCosts(const Prediction &prediction, const std::stop_token &stop)
        : m_whatIf(prediction.experiment.whatIf), m_other(prediction), m_stop(stop)
    {}
    base::Result<std::vector<WhatIfPart>> run();

private:
    base::Result<> addSlow();
    base::Result<> addLinks();
    base::Result<> add(WhatIfPart part, const model::WhatIf &without);
    base::Result<> moveToFirst(WhatIfPart &part, std::vector<model::SlowPart> slow, std::size_t index);

    const model::WhatIf &m_whatIf;
    OtherCircumstances m_other;
    const std::stop_token &m_stop;
    std::vector<WhatIfPart> m_parts;
};

base::Result<> PartCosts::add(WhatIfPart part, const model::WhatIf &without)
{
    if (m_stop.stop_requested())
        return base::Error::cancelled();
    const auto iteration = m_other.iteration(without);
    if (!iteration)
        return iteration.error();
    part.without = *iteration;
    m_parts.push_back(std::move(part));
    return {};
}

/// Returns nothing if the first device itself is the slow one.
base::Result<> PartCosts::moveToFirst(WhatIfPart &part, std::vector<model::SlowPart> slow, std::size_t index)
{
    const auto isFirst = [](const model::SlowPart &each) {
        return each.target == model::SlowTarget::Device && each.index == 0;
    };
    if (std::ranges::any_of(slow, isFirst))
        return {};
    slow[index].index = 0;
    model::WhatIf moved = m_whatIf;
    moved.slow = model::slowText(slow);
    const auto iteration = m_other.iteration(moved);
    if (!iteration)
        return iteration.error();
    part.ifFirst = *iteration;
    return {};
}

base::Result<> PartCosts::addSlow()
{
    const auto slow = model::parseSlowParts(m_whatIf.slow);
    if (!slow)
        return slow.error();
    for (std::size_t index = 0; index < slow->size(); ++index) {
        const model::SlowPart &each = (*slow)[index];
        const bool isDevice = each.target == model::SlowTarget::Device;
        std::vector<model::SlowPart> others = *slow;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
        model::WhatIf without = m_whatIf;
        without.slow = model::slowText(others);
        WhatIfPart part{model::targetText(each), isDevice ? each.index : -1, each.factor, 0, {}};
        if (isDevice)
            if (const auto moved = moveToFirst(part, *slow, index); !moved)
                return moved;
        if (const auto added = add(std::move(part), without); !added)
            return added;
    }
    return {};
}

base::Result<> PartCosts::addLinks()
{
    const auto links = model::parseSlowLinks(m_whatIf.slowLink);
    if (!links)
        return links.error();
    for (std::size_t index = 0; index < links->size(); ++index) {
        const model::SlowLink &each = (*links)[index];
        std::vector<model::SlowLink> others = *links;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
        model::WhatIf without = m_whatIf;
        without.slowLink = model::slowLinkText(others);
        if (const auto added = add({fmt::format("link {}-{}", each.from, each.to), -1, each.factor, 0, {}}, without); !added)
            return added;
    }
    return {};
}

base::Result<std::vector<WhatIfPart>> PartCosts::run()
{
    if (const auto added = addSlow(); !added)
        return added.error();
    if (const auto added = addLinks(); !added)
        return added.error();
    if (!m_whatIf.lengths.empty()) {
        model::WhatIf without = m_whatIf;
        without.lengths.clear();
        if (const auto added = add({"lengths", -1, 0, 0, {}}, without); !added)
            return added.error();
    }
    return std::move(m_parts);
}

} // namespace

bool hasWhatIfs(const model::Experiment &experiment)
{
    const model::WhatIf &whatIf = experiment.whatIf;
    return model::changesTimes(whatIf) || whatIf.jitter || whatIf.failureInterval;
}

base::Result<Sensitivity> sensitivityOf(const Prediction &prediction, int cores, const SensitivityOptions &options)
{
    const model::WhatIf &whatIf = prediction.experiment.whatIf;
    Sensitivity answer;
    answer.iteration = answer.planned = prediction.timeline->iteration();
    if (model::changesTimes(whatIf)) {
        const auto planned = OtherCircumstances(prediction).iteration({});
        if (!planned)
            return planned.error();
        answer.planned = *planned;
        auto parts = PartCosts(prediction, options.stop).run();
        if (!parts)
            return std::move(parts).error();
        answer.parts = *std::move(parts);
    }
    double step = static_cast<double>(answer.iteration);
    if (whatIf.jitter) {
        const auto costs = simulate::makeCostModel(prediction.experiment, *prediction.schedule);
        if (!costs)
            return costs.error();
        auto jitter = simulate::simulateJitter(*prediction.schedule, *costs,
                                               {*whatIf.jitter, model::drawsOf(whatIf), prediction.experiment.training.seed,
                                                cores, options.stop, options.progress});
        if (!jitter)
            return std::move(jitter).error();
        step = static_cast<double>(jitter->iteration.mean);
        answer.jitter = *std::move(jitter);
    }
    answer.failures = simulate::failureForecast(whatIf, step / static_cast<double>(base::kNanosPerSecond));
    return answer;
}

} // namespace stagelens::service
