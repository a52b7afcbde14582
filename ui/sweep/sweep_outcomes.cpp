#include "ui/sweep/sweep_outcomes.h"

#include "ui/sweep/sweep_content.h"

#include <algorithm>
#include <array>

namespace stagelens::ui {

namespace {
/// The points of a kind have numbers from this times its own on.
constexpr int kIdsOfKind = 1'000'000;
} // namespace

SweepOutcomes::Kind SweepOutcomes::kindOf(int id)
{
    return static_cast<Kind>(std::max(id, 0) / kIdsOfKind);
}

void SweepOutcomes::begin(Kind kind, const SweepSetup &setup, std::vector<SweepEntry> entries, PublishedPoints published)
{
    Outcome &other = of(kind == Kind::Predicted ? Kind::Trained : Kind::Predicted);
    if (other.entries != entries)
        other = {};
    m_setup = setup;
    m_running = kind;
    auto points = std::make_shared<service::SweepSnapshot>();
    points->points = std::move(published.points);
    of(Kind::Published) = {std::move(published.entries), std::move(points)};
    of(kind) = {std::move(entries), nullptr};
}

bool SweepOutcomes::isComplete(Kind kind, const std::vector<SweepEntry> &entries) const
{
    const Outcome &outcome = of(kind);
    return outcome.state && outcome.state->finished && !outcome.state->cancelled && outcome.entries == entries;
}

bool SweepOutcomes::areOf(const std::vector<SweepEntry> &entries) const
{
    return std::ranges::any_of(std::array{Kind::Predicted, Kind::Trained},
                               [&](Kind kind) { return of(kind).state && of(kind).entries == entries; });
}

std::vector<SweepResult> SweepOutcomes::done() const
{
    std::vector<SweepResult> results;
    for (std::size_t kind = 0; kind < m_outcomes.size(); ++kind) {
        const Outcome &outcome = m_outcomes[kind];
        for (std::size_t i = 0; outcome.state && i < outcome.entries.size(); ++i)
            if (outcome.state->points[i].done)
                results.push_back({static_cast<int>(kind) * kIdsOfKind + static_cast<int>(i), &outcome.entries[i],
                                   &outcome.state->points[i]});
    }
    return results;
}

const SweepEntry *SweepOutcomes::entry(int id) const
{
    const Outcome &outcome = of(kindOf(id));
    const auto index = static_cast<std::size_t>(id % kIdsOfKind);
    return id >= 0 && index < outcome.entries.size() ? &outcome.entries[index] : nullptr;
}

QString SweepOutcomes::words(int id) const
{
    const SweepEntry *known = entry(id);
    const Outcome &outcome = of(kindOf(id));
    const auto index = static_cast<std::size_t>(id % kIdsOfKind);
    const bool hasPoint = known && outcome.state && index < outcome.state->points.size();
    return hasPoint ? sweepWords(*known, outcome.state->points[index]) : QString();
}

bool SweepOutcomes::areAllOf(std::string_view family) const
{
    return std::ranges::all_of(of(m_running).entries,
                               [family](const SweepEntry &entry) { return entry.plan.schedule.family == family; });
}

std::vector<std::size_t> SweepOutcomes::seriesOf(int id) const
{
    std::vector<std::size_t> places;
    const SweepEntry *chosen = entry(id);
    const Outcome &outcome = of(kindOf(id));
    for (std::size_t i = 0; chosen && outcome.state && i < outcome.entries.size(); ++i)
        if (outcome.entries[i].series == chosen->series && outcome.state->points[i].done &&
            impossibility(outcome.state->points[i]).isEmpty())
            places.push_back(i);
    return places;
}

std::vector<std::pair<QString, model::Experiment>> SweepOutcomes::series(int id, std::size_t most) const
{
    const Outcome &outcome = of(kindOf(id));
    std::vector<std::size_t> places = seriesOf(id);
    if (places.size() > most) {
        std::ranges::stable_sort(places, {}, [&](std::size_t i) {
            return std::pair(&outcome.entries[i] != entry(id), outcome.state->points[i].iteration);
        });
        places.resize(most);
        std::ranges::sort(places);
    }
    std::vector<std::pair<QString, model::Experiment>> plans;
    for (const std::size_t i : places)
        plans.emplace_back(outcome.entries[i].words, outcome.entries[i].plan);
    return plans;
}

} // namespace stagelens::ui
