#include "engine/schedule/durations.h"

#include "engine/model/family_shape.h"

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

/// Uniform durations, if usable.
class Given {
public:
    /// `stages` of a device.
    Given(const model::UniformCosts &costs, int stages)
        : m_costs(costs), m_shares(costs.per == model::UniformPer::Device ? stages : 1)
    {}

    [[nodiscard]] std::optional<Nanos> find(const char *word) const
    {
        constexpr double kLongest = static_cast<double>(base::kLongestPass) / base::kNanosPerMilli;
        const auto found = m_costs.milliseconds.find(word);
        if (found == m_costs.milliseconds.end() || !(found->second >= 0 && found->second <= kLongest))
            return std::nullopt;
        return std::llround(found->second * base::kNanosPerMilli);
    }
    [[nodiscard]] Nanos of(const char *word) const { return find(word).value_or(0); }
    /// Of one stage.
    [[nodiscard]] std::optional<Nanos> findShare(const char *word) const
    {
        const std::optional<Nanos> whole = find(word);
        return whole ? std::optional(*whole / m_shares) : std::nullopt;
    }
    [[nodiscard]] Nanos shareOf(const char *word) const { return findShare(word).value_or(0); }

private:
    const model::UniformCosts &m_costs;
    int m_shares;
};

} // namespace

Durations nominalDurations(const model::Experiment &experiment)
{
    const auto *const uniform = std::get_if<model::UniformCosts>(&experiment.cost.source);
    if (uniform == nullptr)
        return unitDurations();
    const Given given(*uniform, model::stagesPerDevice(experiment.schedule));
    const Nanos forward = given.shareOf("F");
    const Nanos backward = given.findShare("B").value_or(given.shareOf("I") + given.shareOf("W"));
    if (forward <= 0 || backward <= 0)
        return unitDurations();
    Durations durations;
    durations.common[at(PassKind::F)] = forward;
    durations.common[at(PassKind::B)] = backward;
    const bool isSplitGiven = given.find("I") || given.find("W");
    durations.common[at(PassKind::I)] = isSplitGiven ? given.shareOf("I") : backward / 2;
    durations.common[at(PassKind::W)] = isSplitGiven ? given.shareOf("W") : backward - backward / 2;
    for (const PassKind kind : {PassKind::S, PassKind::U, PassKind::T, PassKind::EF, PassKind::EB})
        durations.common[at(kind)] = given.of(std::string(name(kind)).c_str());
    for (const auto &[word, transfer] : {std::pair("send", Transfer::Send), std::pair("c0", Transfer::BroadcastX),
                                         std::pair("c1", Transfer::Statistics), std::pair("c2", Transfer::ReduceGradient)})
        durations.transfers[static_cast<std::size_t>(transfer)] = given.of(word);
    durations.pairScale =
        static_cast<double>(given.findShare("FB").value_or(forward + backward)) / static_cast<double>(forward + backward);
    return durations;
}

} // namespace stagelens::schedule
