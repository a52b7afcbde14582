#include "engine/model/what_if.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace stagelens::model {
namespace {

using base::concat;
using base::Problems;
using base::quoted;

constexpr std::string_view kSlow = "what_if.slow";
constexpr std::string_view kSlowLink = "what_if.slow_link";
constexpr double kLeastFactor = 0.01;
constexpr double kMostFactor = 100;
/// Passes that all draws may simulate. About 100 million a second on two cores.
constexpr double kMostDrawnPasses = 2e10;

constexpr std::array<std::pair<SlowTarget, std::string_view>, 4> kTargets{
    {{SlowTarget::Device, "device"}, {SlowTarget::Rank, "rank"}, {SlowTarget::Node, "node"}, {SlowTarget::Replica, "replica"}}};

std::string_view nameOf(SlowTarget target)
{
    return std::ranges::find(kTargets, target, &std::pair<SlowTarget, std::string_view>::first)->second;
}

std::optional<int> indexOf(std::string_view text)
{
    const auto index = base::parseInteger(base::trim(text));
    return index && std::in_range<int>(*index) ? std::optional(static_cast<int>(*index)) : std::nullopt;
}

/// Why a factor cannot be used; empty if it can.
std::string factorFault(std::string_view entry, std::optional<double> factor)
{
    if (!factor)
        return concat(quoted(entry), " has no number for its factor; write 1.5 for half as long again");
    if (*factor >= kLeastFactor && *factor <= kMostFactor)
        return {};
    return concat(quoted(entry), " has the factor ", *factor, "; choose ", kLeastFactor, " to ", kMostFactor, ", such as ",
                  std::clamp(*factor, kLeastFactor, kMostFactor));
}

/// "3=1.5", "device=3:1.5" or "rank=7:1.2".
std::string readPart(std::string_view entry, SlowPart &part)
{
    const auto unreadable = [&] {
        return concat(quoted(entry), " names nothing slow; write DEVICE=F, rank=R:F, node=N:F or replica=K:F, such as 3=1.5");
    };
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
        return unreadable();
    const std::string_view name = base::trim(entry.substr(0, equals));
    std::string_view index = name;
    std::string_view factor = entry.substr(equals + 1);
    const auto target = std::ranges::find(kTargets, name, &std::pair<SlowTarget, std::string_view>::second);
    if (target != kTargets.end()) {
        const std::size_t colon = factor.find(':');
        if (colon == std::string_view::npos)
            return unreadable();
        index = factor.substr(0, colon);
        factor = factor.substr(colon + 1);
        part.target = target->first;
    }
    const auto number = indexOf(index);
    if (!number)
        return unreadable();
    part.index = *number;
    const auto times = base::parseNumber(base::trim(factor));
    part.factor = times.value_or(1);
    return factorFault(entry, times);
}

/// "2-3=4".
std::string readLink(std::string_view entry, SlowLink &link)
{
    const std::size_t equals = entry.find('=');
    const std::size_t dash = entry.find('-');
    const bool isWhole = equals != std::string_view::npos && dash < equals;
    const auto from = isWhole ? indexOf(entry.substr(0, dash)) : std::nullopt;
    const auto to = isWhole ? indexOf(entry.substr(dash + 1, equals - dash - 1)) : std::nullopt;
    if (!from || !to)
        return concat(quoted(entry), " names no link; write two devices and a factor, such as 2-3=4");
    link.from = *from;
    link.to = *to;
    const auto times = base::parseNumber(base::trim(entry.substr(equals + 1)));
    link.factor = times.value_or(1);
    return factorFault(entry, times);
}

template <class Entry, class Read>
base::Result<std::vector<Entry>> parseEntries(const std::string &text, std::string_view field, Read read)
{
    std::vector<Entry> entries;
    Problems problems;
    if (base::trim(text).empty())
        return entries;
    for (const std::string_view part : base::split(text, ',')) {
        Entry entry;
        if (std::string fault = read(base::trim(part), entry); fault.empty())
            entries.push_back(entry);
        else
            problems.push_back({std::string(field), std::move(fault)});
    }
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    return entries;
}

class WhatIfChecks {
public:
    explicit WhatIfChecks(const Experiment &experiment) : m_experiment(experiment), m_whatIf(experiment.whatIf) {}
    Problems run()
    {
        checkSlowParts();
        checkSlowLinks();
        checkDraws();
        checkFailures();
        if (!base::isUtf8(m_whatIf.lengths) || m_whatIf.lengths.find('\0') != std::string::npos)
            add("what_if.lengths", "holds bytes that are no UTF-8 text; rename the file");
        return std::move(m_problems);
    }

private:
    void checkSlowParts();
    void checkSlowLinks();
    void checkDraws();
    void checkFailures();
    void add(std::string_view field, std::string message) { m_problems.push_back({std::string(field), std::move(message)}); }
    void take(const Problems &problems) { m_problems.insert(m_problems.end(), problems.begin(), problems.end()); }
    /// Whether an optional number is given and within the range of its field.
    bool inRange(std::optional<double> value, std::string_view path);
    bool isIndex(std::string_view field, std::string_view what, int index, std::int64_t count);

    const Experiment &m_experiment;
    const WhatIf &m_whatIf;
    Problems m_problems;
};

bool WhatIfChecks::inRange(std::optional<double> value, std::string_view path)
{
    if (!value)
        return false;
    const Field &field = schemaField(path);
    if (*value >= field.least && *value <= field.most)
        return true;
    add(path, concat("is ", *value, "; choose ", field.least, " to ", field.most));
    return false;
}

bool WhatIfChecks::isIndex(std::string_view field, std::string_view what, int index, std::int64_t count)
{
    if (count < 1 || (index >= 0 && index < count)) // a plan without devices has its own problem
        return true;
    const std::int64_t nearest = std::clamp<std::int64_t>(index, 0, count - 1);
    add(field, count == 1 ? concat("names ", what, ' ', index, ", but the plan has only ", what, " 0; name that")
                          : concat("names ", what, ' ', index, ", but the plan has ", what, "s 0 to ", count - 1, "; choose ",
                                   nearest));
    return false;
}

void WhatIfChecks::checkSlowParts()
{
    const auto parts = parseSlowParts(m_whatIf.slow);
    if (!parts)
        return take(parts.error().problems);
    const ParallelPlan &plan = m_experiment.parallel;
    for (auto part = parts->begin(); part != parts->end(); ++part) {
        const bool isTwice = std::any_of(parts->begin(), part, [&](const SlowPart &other) {
            return other.target == part->target && other.index == part->index;
        });
        if (isTwice)
            add(kSlow, concat("names ", targetText(*part), " twice; keep one"));
        switch (part->target) {
        case SlowTarget::Device: isIndex(kSlow, "device", part->index, plan.devices); break;
        case SlowTarget::Rank: isIndex(kSlow, "rank", part->index, plan.ranks(plan.devices)); break;
        case SlowTarget::Replica: isIndex(kSlow, "replica", part->index, plan.replicas); break;
        case SlowTarget::Node:
            if (!std::holds_alternative<HardwarePreset>(m_experiment.cost.source))
                add(kSlow, "names a node, but durations that are given say nothing of nodes; name devices or ranks, or choose "
                           "a hardware preset");
            break;
        }
    }
}

void WhatIfChecks::checkSlowLinks()
{
    const auto links = parseSlowLinks(m_whatIf.slowLink);
    if (!links)
        return take(links.error().problems);
    for (auto link = links->begin(); link != links->end(); ++link) {
        const bool isSound = isIndex(kSlowLink, "device", link->from, m_experiment.parallel.devices) &&
                             isIndex(kSlowLink, "device", link->to, m_experiment.parallel.devices);
        if (isSound && link->from == link->to)
            add(kSlowLink, concat("joins device ", link->from, " to itself; name two devices, such as ",
                                  std::max(link->from, 1) - 1, '-', std::max(link->from, 1)));
        const bool isTwice = std::any_of(links->begin(), link, [&](const SlowLink &other) {
            return std::minmax(other.from, other.to) == std::minmax(link->from, link->to);
        });
        if (isTwice)
            add(kSlowLink, concat("names ", link->from, '-', link->to, " twice; keep one"));
    }
}

void WhatIfChecks::checkDraws()
{
    const std::string_view path = "what_if.draws";
    if (m_whatIf.jitter && !inRange(m_whatIf.jitter, "what_if.jitter"))
        return;
    if (!m_whatIf.draws && !m_whatIf.jitter)
        return;
    if (!m_whatIf.jitter)
        return add(path, "is given without jitter, so that all draws are equal; add jitter such as 0.05, or leave it out");
    if (m_whatIf.draws && !inRange(*m_whatIf.draws, path))
        return;
    const ParallelPlan &plan = m_experiment.parallel;
    const double kinds =
        3.0 * stagesPerDevice(m_experiment.schedule) + (traits(m_experiment.schedule.vocabulary).isSharded ? 4 : 0);
    const double passes = kinds * plan.devices * plan.microbatches * plan.replicas;
    const double most = std::floor(kMostDrawnPasses / std::max(passes, 1.0));
    if (drawsOf(m_whatIf) > most)
        add(path,
            most >= 1
                ? concat("is ", drawsOf(m_whatIf), ", and each draw simulates about ", passes, " passes; choose at most ", most)
                : concat("cannot be used: one draw would simulate about ", passes, " passes of all replicas, and at most ",
                         kMostDrawnPasses, " are drawn; lower the replicas or the microbatches, or leave jitter out"));
}

void WhatIfChecks::checkFailures()
{
    const std::string_view interval = "what_if.failure_interval";
    const std::string_view checkpoint = "what_if.checkpoint_seconds";
    const bool hasInterval = inRange(m_whatIf.failureInterval, interval);
    const bool hasCheckpoint = inRange(m_whatIf.checkpointSeconds, checkpoint);
    inRange(m_whatIf.restartSeconds, "what_if.restart_seconds");
    if (m_whatIf.failureInterval && !m_whatIf.checkpointSeconds)
        add(interval, "needs checkpoint_seconds, the time of a checkpoint; give both, or neither");
    if (m_whatIf.checkpointSeconds && !m_whatIf.failureInterval)
        add(checkpoint, "needs failure_interval, the hours between failures; give both, or neither");
    if (m_whatIf.restartSeconds && !m_whatIf.failureInterval)
        add("what_if.restart_seconds", "needs failure_interval, the hours between failures; give it, or leave this out");
    if (!hasInterval || !hasCheckpoint)
        return;
    constexpr double kHour = 3600;
    const double half = *m_whatIf.failureInterval * kHour / 2;
    if (*m_whatIf.checkpointSeconds >= half)
        add(checkpoint, concat("is ", *m_whatIf.checkpointSeconds, ", but with a failure every ", *m_whatIf.failureInterval,
                               " hours a checkpoint must take less than half of that; choose less than ", half));
}

} // namespace

std::string targetText(const SlowPart &part)
{
    return concat(nameOf(part.target), ' ', part.index);
}

base::Result<std::vector<SlowPart>> parseSlowParts(const std::string &text)
{
    return parseEntries<SlowPart>(text, kSlow, readPart);
}

base::Result<std::vector<SlowLink>> parseSlowLinks(const std::string &text)
{
    return parseEntries<SlowLink>(text, kSlowLink, readLink);
}

std::string slowText(const std::vector<SlowPart> &parts)
{
    std::vector<std::string> words;
    for (const SlowPart &part : parts)
        words.push_back(part.target == SlowTarget::Device ? concat(part.index, '=', part.factor)
                                                          : concat(nameOf(part.target), '=', part.index, ':', part.factor));
    return base::join(words, ",");
}

std::string slowLinkText(const std::vector<SlowLink> &links)
{
    std::vector<std::string> words;
    for (const SlowLink &link : links)
        words.push_back(concat(link.from, '-', link.to, '=', link.factor));
    return base::join(words, ",");
}

bool changesTimes(const WhatIf &whatIf)
{
    return !whatIf.slow.empty() || !whatIf.slowLink.empty() || !whatIf.lengths.empty();
}

base::Problems whatIfProblems(const Experiment &experiment)
{
    return WhatIfChecks(experiment).run();
}

} // namespace stagelens::model
