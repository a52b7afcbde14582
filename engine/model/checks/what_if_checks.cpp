// The what-ifs. The nodes of a plan are checked with its costs, for they depend on the machine.
#include "engine/base/text.h"
#include "engine/model/checks/checks.h"
#include "engine/model/family_shape.h"
#include "engine/model/what_if.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::model {

namespace {

constexpr std::string_view kSlow = "what_if.slow";
constexpr std::string_view kSlowLink = "what_if.slow_link";
/// Passes that all draws may simulate. About 100 million a second on two cores.
constexpr double kMostDrawnPasses = 2e10;

bool isIndex(Checks &checks, std::string_view field, std::string_view what, int index, std::int64_t count)
{
    if (count < 1 || (index >= 0 && index < count)) // a plan without devices has its own problem
        return true;
    const std::int64_t nearest = std::clamp<std::int64_t>(index, 0, count - 1);
    checks.fails(field, count == 1 ? fmt::format("names {} {}, but the plan has only {} 0; name that", what, index, what)
                                   : fmt::format("names {} {}, but the plan has {}s 0 to {}; choose {}", what, index, what,
                                                 count - 1, nearest));
    return false;
}

void checkSlowParts(Checks &checks)
{
    const WhatIf &whatIf = checks.experiment.whatIf;
    const auto parts = parseSlowParts(whatIf.slow);
    if (!parts)
        return checks.add(parts.error().problems);
    const ParallelPlan &plan = checks.experiment.parallel;
    for (auto part = parts->begin(); part != parts->end(); ++part) {
        const bool isTwice = std::any_of(parts->begin(), part, [&](const SlowPart &other) {
            return other.target == part->target && other.index == part->index;
        });
        if (isTwice)
            checks.fails(kSlow, fmt::format("names {} twice; keep one", targetText(*part)));
        switch (part->target) {
        case SlowTarget::Device: isIndex(checks, kSlow, "device", part->index, plan.devices); break;
        case SlowTarget::Rank: isIndex(checks, kSlow, "rank", part->index, plan.ranks(plan.devices)); break;
        case SlowTarget::Replica: isIndex(checks, kSlow, "replica", part->index, plan.replicas); break;
        case SlowTarget::Node:
            if (!std::holds_alternative<HardwarePreset>(checks.experiment.cost.source))
                checks.fails(
                    kSlow, "names a node, but durations that are given say nothing of nodes; name devices or ranks, or choose "
                           "a hardware preset");
            break;
        }
    }
}

void checkSlowLinks(Checks &checks)
{
    const WhatIf &whatIf = checks.experiment.whatIf;
    const auto links = parseSlowLinks(whatIf.slowLink);
    if (!links)
        return checks.add(links.error().problems);
    for (auto link = links->begin(); link != links->end(); ++link) {
        const bool isSound = isIndex(checks, kSlowLink, "device", link->from, checks.experiment.parallel.devices) &&
                             isIndex(checks, kSlowLink, "device", link->to, checks.experiment.parallel.devices);
        if (isSound && link->from == link->to)
            checks.fails(kSlowLink, fmt::format("joins device {} to itself; name two devices, such as {}-{}", link->from,
                                                std::max(link->from, 1) - 1, std::max(link->from, 1)));
        const bool isTwice = std::any_of(links->begin(), link, [&](const SlowLink &other) {
            return std::minmax(other.from, other.to) == std::minmax(link->from, link->to);
        });
        if (isTwice)
            checks.fails(kSlowLink, fmt::format("names {}-{} twice; keep one", link->from, link->to));
    }
}

void checkDraws(Checks &checks)
{
    const WhatIf &whatIf = checks.experiment.whatIf;
    const std::string_view path = "what_if.draws";
    if (!checks.inRange("what_if.jitter") || (!whatIf.draws && !whatIf.jitter))
        return;
    if (!whatIf.jitter)
        return checks.fails(path,
                            "is given without jitter, so that all draws are equal; add jitter such as 0.05, or leave it out");
    if (!checks.inRange(path))
        return;
    const ParallelPlan &plan = checks.experiment.parallel;
    const double passes = passesOfMicrobatch(checks.experiment.schedule) * plan.devices * plan.microbatches * plan.replicas;
    const double most = std::floor(kMostDrawnPasses / std::max(passes, 1.0));
    if (drawsOf(whatIf) > most)
        checks.fails(
            path, most >= 1 ? fmt::format("is {}, and each draw simulates about {:g} passes; choose at most {:g}",
                                          drawsOf(whatIf), passes, most)
                            : fmt::format("cannot be used: one draw would simulate about {:g} passes of all replicas, and at "
                                          "most {:g} are drawn; lower the replicas or the microbatches, or leave jitter out",
                                          passes, kMostDrawnPasses));
}

void checkFailures(Checks &checks)
{
    const WhatIf &whatIf = checks.experiment.whatIf;
    const std::string_view interval = "what_if.failure_interval";
    const std::string_view checkpoint = "what_if.checkpoint_seconds";
    const bool areSound = checks.inRange(interval) & checks.inRange(checkpoint) & checks.inRange("what_if.restart_seconds");
    if (whatIf.failureInterval && !whatIf.checkpointSeconds)
        checks.fails(interval, "needs checkpoint_seconds, the time of a checkpoint; give both, or neither");
    if (whatIf.checkpointSeconds && !whatIf.failureInterval)
        checks.fails(checkpoint, "needs failure_interval, the hours between failures; give both, or neither");
    if (whatIf.restartSeconds && !whatIf.failureInterval)
        checks.fails("what_if.restart_seconds",
                     "needs failure_interval, the hours between failures; give it, or leave this out");
    if (!areSound || !whatIf.failureInterval || !whatIf.checkpointSeconds)
        return;
    constexpr double kHour = 3600;
    const double half = *whatIf.failureInterval * kHour / 2;
    if (*whatIf.checkpointSeconds >= half)
        checks.fails(checkpoint, fmt::format("is {:g}, but with a failure every {:g} hours a checkpoint must take less than "
                                             "half of that; choose less than {:g}",
                                             *whatIf.checkpointSeconds, *whatIf.failureInterval, half));
}

} // namespace

void checkWhatIf(Checks &checks)
{
    const std::string &lengths = checks.experiment.whatIf.lengths;
    checkSlowParts(checks);
    checkSlowLinks(checks);
    checkDraws(checks);
    checkFailures(checks);
    checks.holds(base::isUtf8(lengths) && lengths.find('\0') == std::string::npos, "what_if.lengths",
                 "holds bytes that are no UTF-8 text; rename the file");
}

} // namespace stagelens::model
