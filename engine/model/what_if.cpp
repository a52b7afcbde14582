#include "engine/model/what_if.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace stagelens::model {
namespace {

using base::Problems;
using base::quoted;

constexpr std::string_view kSlow = "what_if.slow";
constexpr std::string_view kSlowLink = "what_if.slow_link";
constexpr double kLeastFactor = 0.01;
constexpr double kMostFactor = 100;

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
        return fmt::format("{} has no number for its factor; write 1.5 for half as long again", quoted(entry));
    if (*factor >= kLeastFactor && *factor <= kMostFactor)
        return {};
    return fmt::format("{} has the factor {:g}; choose {:g} to {:g}, such as {:g}", quoted(entry), *factor, kLeastFactor,
                       kMostFactor, std::clamp(*factor, kLeastFactor, kMostFactor));
}

/// "3=1.5", "device=3:1.5" or "rank=7:1.2".
std::string readPart(std::string_view entry, SlowPart &part)
{
    const auto unreadable = [&] {
        return fmt::format("{} names nothing slow; write DEVICE=F, rank=R:F, node=N:F or replica=K:F, such as 3=1.5",
                           quoted(entry));
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
        return fmt::format("{} names no link; write two devices and a factor, such as 2-3=4", quoted(entry));
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

} // namespace

std::string targetText(const SlowPart &part)
{
    return fmt::format("{} {}", nameOf(part.target), part.index);
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
        words.push_back(part.target == SlowTarget::Device
                            ? fmt::format("{}={:g}", part.index, part.factor)
                            : fmt::format("{}={}:{:g}", nameOf(part.target), part.index, part.factor));
    return base::join(words, ",");
}

std::string slowLinkText(const std::vector<SlowLink> &links)
{
    std::vector<std::string> words;
    for (const SlowLink &link : links)
        words.push_back(fmt::format("{}-{}={:g}", link.from, link.to, link.factor));
    return base::join(words, ",");
}

bool changesTimes(const WhatIf &whatIf)
{
    return !whatIf.slow.empty() || !whatIf.slowLink.empty() || !whatIf.lengths.empty();
}

} // namespace stagelens::model
