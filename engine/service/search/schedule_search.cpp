#include "engine/service/search/schedule_search.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/service/engine_service.h"
#include "engine/service/search/examined_plans.h"
#include "engine/service/search/search_space.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/sensitivity/what_if_costs.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;
using base::Nanos;

/// A plan with what can be said of it before its passes are in order.
struct Entry {
    model::Experiment plan;
    Nanos leastTime = 0;
    double leastMemory = 0;
    double work = 0;       ///< about how many passes must be placed
    std::size_t place = 0; ///< in the order of the registry
    std::size_t given = 0; ///< index of the given plan
};

/// Passes that a search places at most. Measured: about 6 million a second.
constexpr double kMostWork = 60e6;
/// How often a family places each pass whose order looks at durations, about.
constexpr double kOrdersTried = 8;

double workOf(const model::Experiment &plan, const schedule::Family &family)
{
    const double kinds = (family.splitsBackward ? 3 : 2) * model::stagesPerDevice(plan.schedule) +
                         (model::traits(plan.schedule.vocabulary).isSharded ? 4 : 0);
    return kinds * plan.parallel.devices * plan.parallel.microbatches * (schedule::looksAtDurations(plan) ? kOrdersTried : 1.0);
}

/// Memory that every order takes: parameters, and one microbatch on the way.
double leastMemory(const model::Experiment &plan, const simulate::Outline &outline)
{
    if (!plan.hasModel)
        return 0;
    Bytes least = 0;
    for (int device = 0; device < outline.schedule.devices(); ++device) {
        const simulate::MemoryNeeds needs = simulate::memoryNeeds(plan, outline.schedule, device);
        least = std::max(least, needs.parameters + needs.activation);
    }
    return static_cast<double>(least);
}

/// Tells schedules apart by their passes, their layers and what the passes wait for.
std::uint64_t fingerprint(const schedule::Schedule &schedule, const model::Experiment &plan)
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a, a word at a time
    const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
    add(model::traits(schedule.vocabulary()).isSharded ? static_cast<std::uint64_t>(schedule.vocabulary()) : 0);
    for (const int count : plan.parallel.stageLayers)
        add(static_cast<std::uint64_t>(count));
    for (const int size : {plan.parallel.microbatchSize, plan.parallel.replicas, plan.parallel.zero, plan.parallel.tensor,
                           plan.parallel.context, plan.parallel.hasSequenceParallel() ? 1 : 0})
        add(static_cast<std::uint64_t>(size));
    add(static_cast<std::uint64_t>(plan.schedule.recompute));
    for (const int count : plan.schedule.recomputeLayers)
        add(static_cast<std::uint64_t>(count));
    for (int device = 0; device < schedule.devices(); ++device) {
        add(~std::uint64_t{0});
        for (const schedule::Pass &pass : schedule.device(device))
            add((std::uint64_t{pass.stage} << 48U) | (static_cast<std::uint64_t>(pass.kind) << 40U) |
                (std::uint64_t{pass.pairedWithNext} << 32U) | static_cast<std::uint32_t>(pass.microbatch));
    }
    return hash;
}

class Search {
public:
    Search(const model::Experiment &experiment, Purpose purpose, const SearchOptions &options)
        : m_experiment(experiment), m_purpose(purpose), m_options(options)
    {}
    /// Leaves out plans that cannot fit instead of telling how much the least of them needs.
    void skipTooLarge() { m_skipsTooLarge = true; }
    /// Records what becomes of every plan.
    void recordIn(std::vector<ExaminedPlan> &examined) { m_examined = &examined; }
    SearchResult run(std::vector<model::Experiment> plans);

private:
    void findLimit();
    void enter(model::Experiment plan);
    void enterCut(const model::Experiment &plan, const simulate::Outline &outline);
    void tryOut(const Entry &entry);
    void refuse(const base::Problems &problems);
    void record(Examination examination, const std::vector<int> &stageLayers, Nanos iteration, std::optional<Bytes> memory);
    void record(Examination examination, const Entry &entry);
    void keep(Candidate &&candidate, std::size_t place);
    [[nodiscard]] bool isBeaten(const Entry &entry) const;
    [[nodiscard]] bool isAllowed(const model::Experiment &plan, const schedule::Schedule &schedule);
    void choose();
    void report(std::size_t done) const;

    const model::Experiment &m_experiment;
    Purpose m_purpose;
    const SearchOptions &m_options;
    SearchResult m_result;
    std::vector<Entry> m_entries;
    std::vector<std::size_t> m_places; ///< of the front's plans
    std::unordered_set<std::uint64_t> m_known;
    std::vector<ExaminedPlan> *m_examined = nullptr;
    std::size_t m_given = 0; ///< index of the plan at hand
    bool m_skipsTooLarge = false;
    bool m_isRefusedByPurpose = false; ///< and no longer by a family
};

void Search::findLimit()
{
    m_result.limit = m_experiment.schedule.memoryLimit;
    const auto *preset = std::get_if<model::HardwarePreset>(&m_experiment.cost.source);
    if (m_result.limit || preset == nullptr || !m_experiment.hasModel)
        return;
    const auto hardware = model::hardwareOf(*preset);
    if (!hardware || hardware->memoryCapacity <= 0)
        return;
    m_result.limit = hardware->usableMemory();
    m_result.isCapacity = true;
}

void Search::refuse(const base::Problems &problems)
{
    ++m_result.refused;
    if (m_result.firstRefusal.empty())
        m_result.firstRefusal = problems;
    if (m_examined != nullptr)
        m_examined->push_back(
            {m_given, Examination::Refused, {}, 0, {}, problems.empty() ? std::string() : problems.front().message});
}

void Search::record(Examination examination, const std::vector<int> &stageLayers, Nanos iteration, std::optional<Bytes> memory)
{
    if (m_examined != nullptr)
        m_examined->push_back({m_given, examination, stageLayers, iteration, memory, {}});
}

void Search::record(Examination examination, const Entry &entry)
{
    record(examination, entry.plan.parallel.stageLayers, entry.leastTime, static_cast<Bytes>(entry.leastMemory));
}

/// Takes up a plan with each cut of its layers.
void Search::enter(model::Experiment plan)
{
    if (base::Problems problems = model::validate(plan); !problems.empty())
        return refuse(problems);
    const bool isCutGiven = !plan.parallel.stageLayers.empty();
    plan.parallel.stageLayers = operators::stageLayers(plan);
    const auto outline = simulate::outlineOf(plan);
    if (!outline)
        return refuse(outline.error().problems);
    enterCut(plan, *outline);
    if (isCutGiven)
        return;
    std::vector<std::vector<int>> entered{plan.parallel.stageLayers};
    const std::array cuts{balancedStageLayers(plan, *outline), leastMemoryStageLayers(plan, *outline)};
    for (const std::vector<int> &cut : cuts) {
        if (cut.empty() || std::ranges::find(entered, cut) != entered.end())
            continue;
        plan.parallel.stageLayers = cut;
        auto costs = simulate::plannedCosts(plan, outline->schedule);
        if (!costs)
            return refuse(costs.error().problems);
        enterCut(plan, {outline->schedule, *std::move(costs)});
        entered.push_back(cut);
    }
}

void Search::enterCut(const model::Experiment &plan, const simulate::Outline &outline)
{
    const schedule::Family &family = *schedule::findFamily(plan.schedule.family);
    const auto costs = simulate::withWhatIfs(outline.costs, plan, outline.schedule);
    if (!costs)
        return refuse(costs.error().problems);
    const double memory = leastMemory(plan, outline);
    if (m_skipsTooLarge && m_result.limit && memory > static_cast<double>(*m_result.limit)) {
        ++m_result.tooLarge;
        return record(Examination::TooLarge, plan.parallel.stageLayers, 0, static_cast<Bytes>(memory));
    }
    m_entries.push_back(
        {plan, simulate::lowerBoundOfShape(outline.schedule, *costs, plan.parallel.microbatches, family.splitsBackward), memory,
         workOf(plan, family), m_entries.size(), m_given});
}

bool Search::isBeaten(const Entry &entry) const
{
    return std::ranges::any_of(m_result.front, [&](const Candidate &found) {
        return found.iteration <= entry.leastTime && found.memory() <= entry.leastMemory;
    });
}

bool Search::isAllowed(const model::Experiment &plan, const schedule::Schedule &schedule)
{
    if (m_purpose == Purpose::Predict)
        return true;
    base::Problems problems = trainingProblems(plan, schedule);
    if (problems.empty())
        return true;
    ++m_result.refused;
    // What keeps the plan with the fewest problems from being trained is what the person can mend.
    if (std::exchange(m_isRefusedByPurpose, true) && problems.size() >= m_result.firstRefusal.size())
        return false;
    m_result.firstRefusal = std::move(problems);
    return false;
}

void Search::tryOut(const Entry &entry)
{
    const auto outline = simulate::outlineOf(entry.plan);
    if (!outline)
        return refuse(outline.error().problems);
    const auto schedule = simulate::orderedSchedule(entry.plan, *outline);
    if (!schedule)
        return refuse(schedule.error().problems);
    if (!m_known.insert(fingerprint(*schedule, entry.plan)).second) {
        ++m_result.duplicates;
        return;
    }
    if (!isAllowed(entry.plan, *schedule))
        return;
    const auto costs = simulate::withWhatIfs(outline->costs, entry.plan, *schedule);
    if (!costs)
        return refuse(costs.error().problems);
    const auto timeline = simulate::simulate(*schedule, *costs);
    if (!timeline)
        return refuse(timeline.error().problems);
    ++m_result.tried;
    Candidate candidate{entry.plan.schedule,
                        entry.plan.parallel,
                        timeline->iteration(),
                        timeline->makespan(),
                        simulate::lowerBound(*schedule, *costs),
                        {},
                        0};
    for (int device = 0; device < schedule->devices(); ++device) {
        candidate.peakActivations =
            std::max(candidate.peakActivations, simulate::peakActivationMicrobatches(*timeline, schedule->placement(), device));
        if (entry.plan.hasModel)
            candidate.peakMemory = std::max(candidate.peakMemory.value_or(0),
                                            simulate::memoryPeak(entry.plan, *schedule, *timeline, device).total);
    }
    record(Examination::Simulated, entry.plan.parallel.stageLayers, candidate.iteration, candidate.peakMemory);
    keep(std::move(candidate), entry.place);
}

/// Puts a plan into the front unless another is as good; of equals the first of the registry stays.
void Search::keep(Candidate &&candidate, std::size_t place)
{
    auto &front = m_result.front;
    for (std::size_t i = 0; i < front.size(); ++i) {
        if (front[i].iteration > candidate.iteration || front[i].memory() > candidate.memory())
            continue;
        if (front[i].iteration == candidate.iteration && front[i].memory() == candidate.memory() && place < m_places[i]) {
            front[i] = std::move(candidate);
            m_places[i] = place;
        }
        return;
    }
    for (std::size_t i = front.size(); i-- > 0;)
        if (front[i].iteration >= candidate.iteration && front[i].memory() >= candidate.memory()) {
            front.erase(front.begin() + static_cast<std::ptrdiff_t>(i));
            m_places.erase(m_places.begin() + static_cast<std::ptrdiff_t>(i));
        }
    const auto at = std::ranges::lower_bound(front, candidate.iteration, {}, &Candidate::iteration) - front.begin();
    front.insert(front.begin() + at, std::move(candidate));
    m_places.insert(m_places.begin() + at, place);
}

void Search::choose()
{
    const double limit = m_result.limit ? static_cast<double>(*m_result.limit) : std::numeric_limits<double>::infinity();
    const auto fits = [&](const Candidate &candidate) { return !candidate.peakMemory || candidate.memory() <= limit; };
    const auto found = std::ranges::find_if(m_result.front, fits);
    if (found != m_result.front.end() && !m_result.cancelled)
        m_result.chosen = static_cast<std::size_t>(found - m_result.front.begin());
}

void Search::report(std::size_t done) const
{
    if (!m_options.progress)
        return;
    const auto &front = m_result.front;
    m_options.progress({done, m_entries.size(), front.empty() ? std::nullopt : std::optional(front.front().iteration)});
}

SearchResult Search::run(std::vector<model::Experiment> plans)
{
    findLimit();
    for (model::Experiment &plan : plans) {
        if (m_options.stop.stop_requested())
            break;
        enter(std::move(plan));
        ++m_given;
    }
    // The most promising first, so that their figures spare the others the work.
    std::ranges::stable_sort(m_entries, {}, &Entry::leastTime);
    const auto least = std::ranges::min_element(m_entries, {}, &Entry::work);
    double work = 0;
    std::size_t done = 0;
    for (auto entry = m_entries.begin(); entry != m_entries.end() && !m_options.stop.stop_requested(); ++entry) {
        m_given = entry->given;
        if (isBeaten(*entry)) {
            ++m_result.beaten;
            record(Examination::Beaten, *entry);
        } else if (work + entry->work > kMostWork && entry != least) {
            ++m_result.leftOut;
            record(Examination::LeftOut, *entry);
        } else {
            work += entry->work;
            tryOut(*entry);
        }
        report(++done);
    }
    m_result.cancelled = m_options.stop.stop_requested();
    choose();
    return std::move(m_result);
}

} // namespace

SearchResult searchSchedules(const model::Experiment &experiment, Purpose purpose, const SearchOptions &options)
{
    return Search(experiment, purpose, options).run(plansOf(experiment));
}

SearchResult searchPlans(const std::vector<model::Experiment> &plans, const SearchOptions &options)
{
    std::vector<ExaminedPlan> ignored;
    return examinePlans(plans, options, ignored);
}

SearchResult examinePlans(const std::vector<model::Experiment> &plans, const SearchOptions &options,
                          std::vector<ExaminedPlan> &examined)
{
    if (plans.empty())
        return {};
    Search search(plans.front(), Purpose::Predict, options);
    search.skipTooLarge();
    search.recordIn(examined);
    return search.run(plans);
}

base::Result<Candidate> chosenOf(const SearchResult &result)
{
    if (result.cancelled)
        return base::Error::cancelled();
    if (result.chosen)
        return result.front[*result.chosen];
    if (result.front.empty())
        return result.firstRefusal.empty()
                   ? base::Error::invalid("schedule.family", "no family has so many stages a device; leave chunks out")
                   : base::Error::invalid(result.firstRefusal);
    const Candidate &smallest = result.front.back();
    return base::Error::invalid(
        "schedule.memory_limit",
        base::concat("no plan fits ", *result.limit, result.isCapacity ? " bytes, the capacity of the hardware" : " bytes",
                     "; the least found is ", smallest.peakMemory.value_or(0), " bytes a device (", smallest.schedule.family,
                     "); raise memory_limit to that, recompute activations, or give more devices"));
}

base::Result<ChosenPlan> withChosenSchedule(const model::Experiment &experiment, Purpose purpose, const SearchOptions &options)
{
    if (experiment.schedule.family != model::kAutomaticFamily)
        return ChosenPlan{experiment, nullptr};
    if (experiment.schedule.memoryLimit && !experiment.hasModel)
        return base::Error::invalid("schedule.memory_limit",
                                    "a limit in bytes needs a model; give one or leave memory_limit out");
    auto result = std::make_shared<const SearchResult>(searchSchedules(experiment, purpose, options));
    auto chosen = chosenOf(*result);
    if (!chosen)
        return chosen.error();
    ChosenPlan plan{experiment, std::move(result)};
    plan.experiment.schedule = chosen->schedule;
    plan.experiment.parallel.stageLayers = experiment.hasModel ? chosen->parallel.stageLayers : experiment.parallel.stageLayers;
    return plan;
}

} // namespace stagelens::service
