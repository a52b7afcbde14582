#include "engine/service/search/schedule_search.h"

#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/schedule/families.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/training_check.h"
#include "engine/service/search/all_cores.h"
#include "engine/service/search/entrance.h"
#include "engine/service/search/examined_plans.h"
#include "engine/service/search/search_space.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;
using base::Nanos;

/// Passes that a search places at most. Measured: about 6 million a second.
constexpr double kMostWork = 60e6;
/// Passes of a plan whose prediction takes much longer than the start of a thread.
constexpr double kWorthOfThread = 5000;

/// A hash of the passes of a schedule, of what is offloaded, of their layers and their requirements.
std::uint64_t fingerprint(const schedule::Schedule &schedule, const model::Experiment &plan)
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a, a word at a time
    const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
    add(schedule.runs(schedule::PassKind::S) ? static_cast<std::uint64_t>(schedule.vocabulary()) : 0);
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
        for (const schedule::Copy &copy : schedule.copies(device))
            add((std::uint64_t{copy.stage} << 32U) | static_cast<std::uint32_t>(copy.microbatch));
    }
    return hash;
}

/// The outcome of a prediction.
struct Trial {
    std::uint64_t fingerprint = 0; ///< 0: refused before its passes were in order
    base::Problems forbidden;      ///< by the purpose
    base::Problems refusal;        ///< by a family, or by the simulation
    std::optional<Candidate> candidate;
};

class Search {
public:
    Search(const model::Experiment &experiment, Purpose purpose, const SearchOptions &options)
        : m_experiment(experiment), m_purpose(purpose), m_options(options)
    {}
    /// Leaves out plans that cannot fit, instead of reporting how much memory the smallest of them needs.
    void skipTooLarge() { m_skipsTooLarge = true; }
    /// Leaves out plans that are not faster than one that fits, however little memory they need.
    void wantFastest() { m_wantsFastest = true; }
    /// Records what becomes of every plan.
    void recordIn(std::vector<ExaminedPlan> &examined) { m_examined = &examined; }
    SearchResult run(std::vector<model::Experiment> plans);

private:
    void findLimit();
    void enter(std::vector<model::Experiment> plans);
    [[nodiscard]] Trial triedOut(const Entry &entry) const;
    void take(const Entry &entry, Trial trial);
    [[nodiscard]] std::size_t examine(std::size_t first);
    void refuse(const base::Problems &problems);
    void record(Examination examination, const std::vector<int> &stageLayers, Nanos iteration, std::optional<Bytes> memory);
    void record(Examination examination, const Entry &entry);
    void keep(Candidate &&candidate, std::size_t place);
    [[nodiscard]] bool fits(const Candidate &candidate) const;
    [[nodiscard]] bool isBeaten(const Entry &entry) const;
    void choose();
    void report(std::size_t done) const;

    const model::Experiment &m_experiment;
    Purpose m_purpose;
    const SearchOptions &m_options;
    SearchResult m_result;
    std::vector<Entry> m_entries;
    std::vector<std::size_t> m_places; ///< of the front's plans
    std::unordered_set<std::uint64_t> m_known;
    double m_work = 0;       ///< of the plans that were tried out
    std::size_t m_least = 0; ///< index of the plan with the least work, which is tried out in any case
    std::vector<ExaminedPlan> *m_examined = nullptr;
    std::size_t m_given = 0; ///< index of the plan at hand
    bool m_skipsTooLarge = false;
    bool m_wantsFastest = false;
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

void Search::enter(std::vector<model::Experiment> plans)
{
    const std::optional<Bytes> limit = m_skipsTooLarge ? m_result.limit : std::nullopt;
    std::vector<Entrance> entrances(plans.size());
    onAllCores(plans.size(), [&](std::size_t i) {
        if (!m_options.stop.stop_requested())
            entrances[i] = entranceOf(std::move(plans[i]), limit);
    });
    for (Entrance &entrance : entrances) {
        for (Entry &entry : entrance.entries) {
            entry.place = m_entries.size();
            entry.given = m_given;
            m_entries.push_back(std::move(entry));
        }
        for (const TooLarge &each : entrance.tooLarge) {
            ++m_result.tooLarge;
            record(Examination::TooLarge, each.stageLayers, 0, each.memory);
        }
        for (const base::Problems &refusal : entrance.refusals)
            refuse(refusal);
        ++m_given;
    }
}

bool Search::fits(const Candidate &candidate) const
{
    return !m_result.limit || !candidate.peakMemory || *candidate.peakMemory <= *m_result.limit;
}

bool Search::isBeaten(const Entry &entry) const
{
    return std::ranges::any_of(m_result.front, [&](const Candidate &found) {
        return found.iteration <= entry.leastTime && (found.memory() <= entry.leastMemory || (m_wantsFastest && fits(found)));
    });
}

/// Predicts a plan. Thread-safe. Plans with the same passes as an earlier one are not simulated.
Trial Search::triedOut(const Entry &entry) const
{
    const auto refused = [](const base::Error &error) {
        Trial trial;
        trial.refusal = error.problems;
        return trial;
    };
    const auto outline = simulate::outlineOf(entry.plan);
    if (!outline)
        return refused(outline.error());
    const auto schedule = simulate::orderedSchedule(entry.plan, *outline);
    if (!schedule)
        return refused(schedule.error());
    Trial trial;
    trial.fingerprint = fingerprint(*schedule, entry.plan);
    if (m_known.contains(trial.fingerprint))
        return trial;
    if (m_purpose == Purpose::Train)
        trial.forbidden = trainingProblems(entry.plan, *schedule);
    if (!trial.forbidden.empty())
        return trial;
    const auto costs = simulate::withWhatIfs(outline->costs, entry.plan, *schedule);
    const auto timeline = costs ? simulate::simulate(*schedule, *costs) : costs.error();
    if (!timeline) {
        trial.refusal = timeline.error().problems;
        return trial;
    }
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
    trial.candidate = std::move(candidate);
    return trial;
}

void Search::take(const Entry &entry, Trial trial)
{
    m_work += entry.work;
    if (trial.fingerprint != 0 && !m_known.insert(trial.fingerprint).second) {
        ++m_result.duplicates;
    } else if (!trial.forbidden.empty()) {
        ++m_result.refused;
        // What keeps the plan with the fewest problems from being trained is what the person can mend.
        if (!std::exchange(m_isRefusedByPurpose, true) || trial.forbidden.size() < m_result.firstRefusal.size())
            m_result.firstRefusal = std::move(trial.forbidden);
    } else if (trial.candidate) {
        ++m_result.tried;
        record(Examination::Simulated, entry.plan.parallel.stageLayers, trial.candidate->iteration,
               trial.candidate->peakMemory);
        keep(*std::move(trial.candidate), entry.place);
    } else {
        refuse(trial.refusal);
    }
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
    const auto found = std::ranges::find_if(m_result.front, [this](const Candidate &each) { return fits(each); });
    if (found != m_result.front.end() && !m_result.cancelled)
        m_result.chosen = static_cast<std::size_t>(found - m_result.front.begin());
}

void Search::report(std::size_t done) const
{
    if (!m_options.progress)
        return;
    const auto fastest = std::ranges::find_if(m_result.front, [this](const Candidate &each) { return fits(each); });
    m_options.progress(
        {done, m_entries.size(), fastest == m_result.front.end() ? std::nullopt : std::optional(fastest->iteration)});
}

/// Examines the plans from `first` on that can be predicted at the same time, and returns how many they are. What one of them
/// finds may spare another: that one's prediction is dropped, so that the result is that of one plan after another.
std::size_t Search::examine(std::size_t first)
{
    const Entry &head = m_entries[first];
    const auto isLeftOut = [&](std::size_t i) { return m_work + m_entries[i].work > kMostWork && i != m_least; };
    std::size_t count = 1;
    const auto cores = static_cast<std::size_t>(std::max(machineCores(), 1));
    while (head.work >= kWorthOfThread && count < cores && first + count < m_entries.size())
        ++count;
    std::vector<std::optional<Trial>> trials(count);
    onAllCores(count, [&](std::size_t i) {
        if (!isBeaten(m_entries[first + i]) && !isLeftOut(first + i))
            trials[i] = triedOut(m_entries[first + i]);
    });
    for (std::size_t i = 0; i < count; ++i) {
        const Entry &entry = m_entries[first + i];
        m_given = entry.given;
        if (isBeaten(entry)) {
            ++m_result.beaten;
            record(Examination::Beaten, entry);
        } else if (isLeftOut(first + i)) {
            ++m_result.leftOut;
            record(Examination::LeftOut, entry);
        } else {
            take(entry, *std::move(trials[i])); // a plan that is beaten now was so before, or was predicted
        }
        report(first + i + 1);
    }
    return count;
}

SearchResult Search::run(std::vector<model::Experiment> plans)
{
    findLimit();
    enter(std::move(plans));
    // The most promising first, so that their figures spare the others the work.
    std::ranges::stable_sort(m_entries, {}, &Entry::leastTime);
    const auto least = std::ranges::min_element(m_entries, {}, &Entry::work);
    m_least = static_cast<std::size_t>(least - m_entries.begin());
    for (std::size_t done = 0; done < m_entries.size() && !m_options.stop.stop_requested();)
        done += examine(done);
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

SearchResult searchFastest(const std::vector<model::Experiment> &plans, const SearchOptions &options)
{
    if (plans.empty())
        return {};
    Search search(plans.front(), Purpose::Predict, options);
    search.skipTooLarge();
    search.wantFastest();
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
    return base::Error::invalid("schedule.memory_limit",
                                fmt::format("no plan fits {}{}; the least found is {} bytes a device ({}); raise memory_limit "
                                            "to that, recompute activations, or give more devices",
                                            *result.limit,
                                            result.isCapacity ? " bytes, the capacity of the hardware" : " bytes",
                                            smallest.peakMemory.value_or(0), smallest.schedule.family));
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
