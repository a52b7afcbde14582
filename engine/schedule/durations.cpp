#include "engine/schedule/durations.h"

#include <cmath>
#include <optional>
#include <variant>

namespace stagelens::schedule {

namespace {

using base::Nanos;

constexpr std::size_t at(PassKind kind)
{
    return static_cast<std::size_t>(kind);
}

Durations unitDurations()
{
    constexpr Nanos kUnit = base::kNanosPerMilli;
    Durations durations;
    for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W})
        durations.common[at(kind)] = kUnit;
    durations.common[at(PassKind::B)] = 2 * kUnit;
    for (const PassKind kind : {PassKind::S, PassKind::U, PassKind::T, PassKind::EF, PassKind::EB})
        durations.common[at(kind)] = kUnit / 4;
    return durations;
}

/// Uniform durations, where they can be used.
class Given {
public:
    explicit Given(const model::UniformCosts &costs) : m_costs(costs) {}

    [[nodiscard]] std::optional<Nanos> find(const char *word) const
    {
        constexpr double kLongest = static_cast<double>(base::kLongestPass) / base::kNanosPerMilli;
        const auto found = m_costs.milliseconds.find(word);
        if (found == m_costs.milliseconds.end() || !(found->second >= 0 && found->second <= kLongest))
            return std::nullopt;
        return std::llround(found->second * base::kNanosPerMilli);
    }
    [[nodiscard]] Nanos of(const char *word) const { return find(word).value_or(0); }

private:
    const model::UniformCosts &m_costs;
};

} // namespace

Durations nominalDurations(const model::Experiment &experiment)
{
    const auto *const uniform = std::get_if<model::UniformCosts>(&experiment.cost.source);
    if (uniform == nullptr)
        return unitDurations();
    const Given given(*uniform);
    const Nanos forward = given.of("F");
    const Nanos backward = given.find("B").value_or(given.of("I") + given.of("W"));
    if (forward <= 0 || backward <= 0)
        return unitDurations();
    Durations durations;
    durations.common[at(PassKind::F)] = forward;
    durations.common[at(PassKind::B)] = backward;
    const bool isSplitGiven = given.find("I") || given.find("W");
    durations.common[at(PassKind::I)] = isSplitGiven ? given.of("I") : backward / 2;
    durations.common[at(PassKind::W)] = isSplitGiven ? given.of("W") : backward - backward / 2;
    for (const PassKind kind : {PassKind::S, PassKind::U, PassKind::T, PassKind::EF, PassKind::EB})
        durations.common[at(kind)] = given.of(std::string(name(kind)).c_str());
    for (const auto &[word, transfer] : {std::pair("send", Transfer::Send), std::pair("c0", Transfer::BroadcastX),
                                         std::pair("c1", Transfer::Statistics), std::pair("c2", Transfer::ReduceGradient)})
        durations.transfers[static_cast<std::size_t>(transfer)] = given.of(word);
    durations.pairScale =
        static_cast<double>(given.find("FB").value_or(forward + backward)) / static_cast<double>(forward + backward);
    return durations;
}

} // namespace stagelens::schedule
