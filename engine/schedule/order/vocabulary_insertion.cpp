#include "engine/schedule/order/vocabulary_insertion.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/order/list_schedule.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace stagelens::schedule {

namespace {

using base::Nanos;
using model::VocabularyMethod;

/// Which passes run first if several are ready.
enum class Preference : unsigned char { VocabularyFirst, LayersFirst };

/// Builds the orders of all devices for one preference.
class Insertion {
public:
    Insertion(const LayerOrder &order, int microbatches, int slices, VocabularyMethod method, const Durations &durations,
              Preference preference);
    ListOutcome run();

private:
    /// Returns the microbatch of the i-th pass of a kind: EB follow the backwards.
    [[nodiscard]] int microbatchOf(PassKind kind, int i) const { return kind == PassKind::EB ? backwardPlace(i, m_slices) : i; }
    /// Returns the passes of a kind in that order, each with the pass that it must wait for (gateOf).
    PassQueue passesOf(PassKind kind, int stage) const;
    /// Returns all vocabulary passes of stage 0, sorted by the completion of their collectives.
    std::vector<Pass> commonOrder(const ListOutcome &outcome) const;
    [[nodiscard]] std::optional<Pass> gateOf(const Pass &pass) const;
    [[nodiscard]] ListTask task() const { return {m_order.placement, m_microbatches, m_method, {}}; }

    const LayerOrder &m_order;
    int m_microbatches;
    int m_slices;
    VocabularyMethod m_method;
    const Durations &m_durations;
    int m_layerRank;
    std::vector<int> m_firstStage;
};

Insertion::Insertion(const LayerOrder &order, int microbatches, int slices, VocabularyMethod method, const Durations &durations,
                     Preference preference)
    : m_order(order), m_microbatches(microbatches), m_slices(slices), m_method(method), m_durations(durations),
      m_layerRank(preference == Preference::VocabularyFirst ? 1 : -1), m_firstStage(order.placement.firstStages())
{}

/// A device holds the embeddings, or their gradients, of two microbatches at a time.
std::optional<Pass> Insertion::gateOf(const Pass &pass) const
{
    constexpr int kAhead = 2;
    if (pass.kind == PassKind::EF && pass.microbatch >= kAhead)
        return makePass(PassKind::F, 0, pass.microbatch - kAhead);
    if (const int next = backwardPlace(pass.microbatch, m_slices) + 1; pass.kind == PassKind::EB && next < m_microbatches)
        return makePass(PassKind::B, 0, backwardPlace(next, m_slices));
    return std::nullopt;
}

PassQueue Insertion::passesOf(PassKind kind, int stage) const
{
    PassQueue queue;
    for (int i = 0; i < m_microbatches; ++i) {
        queue.passes.push_back(makePass(kind, stage, microbatchOf(kind, i)));
        queue.gates.push_back(gateOf(queue.passes.back()));
    }
    return queue;
}

std::vector<Pass> Insertion::commonOrder(const ListOutcome &outcome) const
{
    std::vector<Nanos> ends(static_cast<std::size_t>(kPassKindCount) * static_cast<std::size_t>(m_microbatches));
    const auto endOf = [&](const Pass &pass) -> Nanos & {
        return ends[static_cast<std::size_t>(pass.kind) * static_cast<std::size_t>(m_microbatches) +
                    static_cast<std::size_t>(pass.microbatch)];
    };
    for (std::size_t device = 0; device < outcome.devices.size(); ++device)
        for (std::size_t i = 0; i < outcome.devices[device].size(); ++i) {
            Nanos &end = endOf(outcome.devices[device][i]);
            end = std::max(end, outcome.ends[device][i]);
        }
    std::vector<Pass> order;
    for (const PassKind kind : vocabularyPasses(m_method))
        for (int i = 0; i < m_microbatches; ++i)
            order.push_back(makePass(kind, 0, microbatchOf(kind, i)));
    // Stable: of several that complete at the same time, none precedes its dependencies.
    std::ranges::stable_sort(order, {}, endOf);
    return order;
}

ListOutcome Insertion::run()
{
    // Schedules each kind separately first to find when its collectives complete. Sorting by completion time yields an order
    // that cannot deadlock.
    ListTask apart = task();
    for (std::size_t device = 0; device < m_order.devices.size(); ++device) {
        DeviceWork &work = apart.devices.emplace_back();
        work.queues.push_back({m_order.devices[device], m_layerRank, false, {}});
        // Runs T of microbatch i before S of i + 1, which bounds the number of softmax buffers alive.
        std::vector<PassKind> kinds = vocabularyPasses(m_method);
        std::reverse(kinds.begin() + 1, kinds.end() - 1);
        for (const PassKind kind : kinds)
            work.queues.push_back(passesOf(kind, m_firstStage[device]));
    }
    const std::vector<Pass> order = commonOrder(listSchedule(apart, m_durations));
    ListTask together = task();
    for (std::size_t device = 0; device < m_order.devices.size(); ++device) {
        PassQueue vocabulary;
        for (Pass pass : order) {
            vocabulary.gates.push_back(gateOf(pass));
            pass.stage = static_cast<std::uint16_t>(m_firstStage[device]);
            vocabulary.passes.push_back(pass);
        }
        together.devices.push_back({{PassQueue{m_order.devices[device], m_layerRank, false, {}}, std::move(vocabulary)}});
    }
    return listSchedule(together, m_durations);
}

/// Returns the shorter of two schedules of the same passes under these durations.
Schedule shorterOf(Schedule first, Schedule second, const Durations &durations)
{
    const auto time = [&](const Schedule &schedule) {
        return makespanOf(schedule, durations).value_or(std::numeric_limits<Nanos>::max());
    };
    return time(second) < time(first) ? std::move(second) : std::move(first);
}

/// Inserts the vocabulary passes between the layer passes without moving these. Every device runs its next vocabulary pass as
/// early as possible. All devices share one order of vocabulary passes, so collectives neither cross nor deadlock: the order in
/// which they complete if every kind runs as early as possible, with T before U before S. EF runs at most two microbatches
/// before the first stage needs it, and EB after the next backward of the first stage. With order `best`, returns the shortest
/// of several placements for these durations.
Schedule placeVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                         const Durations &durations)
{
    const VocabularyMethod method = experiment.schedule.vocabulary;
    const int slices = model::slicesOf(experiment.schedule);
    const int microbatches = experiment.parallel.microbatches * slices;
    if (vocabularyPasses(method).empty())
        return {std::string(family), order.placement, microbatches, method, order.devices, WeightUpdate::EndOfStep, slices};
    const auto placed = [&](Preference preference) {
        const ListOutcome outcome = Insertion(order, microbatches, slices, method, durations, preference).run();
        assert(outcome.isComplete);
        return Schedule(std::string(family), order.placement, microbatches, method, outcome.devices, WeightUpdate::EndOfStep,
                        slices);
    };
    Schedule published = placed(Preference::VocabularyFirst);
    if (experiment.schedule.vocabularyOrder == model::VocabularyOrder::Published)
        return published;
    return shorterOf(std::move(published), placed(Preference::LayersFirst), durations);
}

int barriersOf(const model::Experiment &experiment)
{
    return model::traits(experiment.schedule.vocabulary).barriers;
}

} // namespace

Schedule withVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                        const Durations &durations)
{
    const int barriers = barriersOf(experiment);
    return barriers == 0 ? placeVocabulary(family, order, experiment, durations)
                         : placeVocabulary(family, withBarriers(order, barriers), experiment, durations);
}

Schedule withVocabulary(std::string_view family, const OrderOfBarriers &order, const model::Experiment &experiment,
                        const Durations &durations)
{
    return placeVocabulary(family, order(barriersOf(experiment)), experiment, durations);
}

Schedule publishedOrShorter(std::string_view family, const Placement &placement, const PublishedOrder &published,
                            const OrderOfBarriers &placed, const model::Experiment &experiment, const Durations &durations)
{
    const int barriers = barriersOf(experiment);
    Schedule schedule(std::string(family), placement, experiment.parallel.microbatches, experiment.schedule.vocabulary,
                      published(barriers));
    if (experiment.schedule.vocabularyOrder == model::VocabularyOrder::Published || barriers == 0)
        return schedule;
    return shorterOf(std::move(schedule), withVocabulary(family, placed, experiment, durations), durations);
}

std::vector<std::int64_t> roomBesideBarriers(const model::Experiment &experiment, const Durations &durations)
{
    std::vector<std::int64_t> room = durations.activationLimit;
    for (std::int64_t &each : room)
        each -= barriersOf(experiment);
    return room;
}

Schedule withVocabularyOfShorter(std::string_view family, const LayerOrder &first, const LayerOrder &second,
                                 const model::Experiment &experiment, const Durations &durations)
{
    Schedule schedule = withVocabulary(family, first, experiment, durations);
    if (first.devices == second.devices)
        return schedule;
    return shorterOf(std::move(schedule), withVocabulary(family, second, experiment, durations), durations);
}

std::optional<Nanos> makespanOf(const Schedule &schedule, const Durations &durations)
{
    ListTask task{schedule.placement(), schedule.microbatches(), schedule.vocabulary(), {}};
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> passes = schedule.device(device);
        task.devices.push_back({{PassQueue{{passes.begin(), passes.end()}, 0, false, {}}}});
    }
    const ListOutcome outcome = listSchedule(task, durations);
    return outcome.isComplete ? std::optional(outcome.makespan) : std::nullopt;
}

} // namespace stagelens::schedule
