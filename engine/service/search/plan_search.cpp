#include "engine/service/search/plan_search.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/service/search/all_cores.h"
#include "engine/service/search/divisions.h"
#include "engine/service/search/examined_plans.h"
#include "engine/service/search/planned_shapes.h"
#include "engine/service/search/search_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace stagelens::service {
namespace {

using base::Nanos;
using model::Experiment;

/// Divisions whose schedules the second stage searches: so many of the first front, and so many of the most promising.
constexpr std::size_t kMostDivisions = 4;
constexpr std::string_view kRefused = "combinations that a schedule refuses";

/// Reports the progress of searches that follow each other as that of one. How many plans later stages have is estimated from
/// the share of the time that they usually take.
class StagesOfSearch {
public:
    explicit StagesOfSearch(const SearchOptions &options) : m_options(options) {}

    /// Returns the options of the next stage, which ends at this share of the whole.
    SearchOptions next(double share)
    {
        if (!m_options.progress)
            return m_options;
        const double begin = std::exchange(m_share, share);
        return {m_options.stop, [this, begin, end = share, before = m_done](const SearchProgress &now) {
                    if (now.shortest)
                        m_shortest = std::min(m_shortest.value_or(*now.shortest), *now.shortest);
                    m_done = before + now.done;
                    const double part = begin + (end - begin) * static_cast<double>(now.done) / static_cast<double>(now.total);
                    const auto total = static_cast<std::size_t>(static_cast<double>(m_done) / part);
                    m_options.progress({m_done, std::max(total, m_done), m_shortest});
                }};
    }

private:
    const SearchOptions &m_options;
    double m_share = 0;
    std::size_t m_done = 0;
    std::optional<Nanos> m_shortest;
};

/// Every division with one schedule under each vocabulary method.
std::vector<Experiment> firstStage(const PlanQuery &query, const std::vector<Experiment> &divisions)
{
    std::vector<Experiment> plans;
    for (const Experiment &division : divisions) {
        Experiment plan = division;
        if (!query.keepsFamily)
            plan.schedule.family = "1f1b";
        std::ranges::move(withEachMethod(std::move(plan)), std::back_inserter(plans));
    }
    return plans;
}

bool isSameDivision(const Experiment &division, const Candidate &candidate)
{
    const model::ParallelPlan &a = division.parallel;
    const model::ParallelPlan &b = candidate.parallel;
    return isSameShape(a, b) && a.microbatchSize == b.microbatchSize && a.zero == b.zero &&
           division.schedule.recompute == candidate.schedule.recompute;
}

bool fits(const Candidate &candidate, const std::optional<base::Bytes> &limit)
{
    return !limit || !candidate.peakMemory || *candidate.peakMemory <= *limit;
}

/// Returns for each division whether one of its examined plans may fit.
std::vector<char> thatMayFit(std::size_t divisions, std::size_t plans, const std::vector<ExaminedPlan> &examined,
                             const std::optional<base::Bytes> &limit)
{
    std::vector<char> mayFit(divisions, 0);
    for (const ExaminedPlan &each : examined)
        if (each.examination != Examination::TooLarge && each.examination != Examination::Refused &&
            (!limit || each.peakMemory.value_or(0) <= *limit))
            mayFit[each.plan * divisions / plans] = 1;
    return mayFit;
}

/// The divisions whose bound is below the shortest time so far, the least bound first: with a schedule other than 1F1B they may
/// be faster, although the first front does not have them.
std::vector<const Experiment *> promisingDivisions(const PlanQuery &query, const std::vector<Experiment> &divisions,
                                                   const std::vector<char> &mayFit, const SearchResult &first,
                                                   const std::stop_token &stop)
{
    std::vector<std::optional<Nanos>> least(divisions.size());
    onAllCores(divisions.size(), [&](std::size_t i) {
        if (mayFit[i] != 0 && !stop.stop_requested())
            least[i] = leastTime(query, divisions[i]);
    });
    const auto fastest = std::ranges::find_if(first.front, [&](const Candidate &each) { return fits(each, first.limit); });
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < divisions.size(); ++i)
        if (least[i] && (fastest == first.front.end() || *least[i] < fastest->iteration))
            places.push_back(i);
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return *least[i]; });
    std::vector<const Experiment *> promising;
    for (const std::size_t i : places)
        promising.push_back(&divisions[i]);
    return promising;
}

/// Every schedule for the fastest divisions of the first front that fit, and for the most promising others.
std::vector<Experiment> secondStage(const PlanQuery &query, const std::vector<Experiment> &divisions, const SearchResult &first,
                                    const std::vector<const Experiment *> &promising)
{
    std::vector<const Experiment *> chosen;
    const auto choose = [&chosen](const Experiment *division, std::size_t most) {
        if (chosen.size() < most && std::ranges::find(chosen, division) == chosen.end())
            chosen.push_back(division);
    };
    for (const Candidate &candidate : first.front) {
        const auto found =
            std::ranges::find_if(divisions, [&](const Experiment &each) { return isSameDivision(each, candidate); });
        if (found != divisions.end() && fits(candidate, first.limit))
            choose(&*found, kMostDivisions);
    }
    const std::size_t most = chosen.size() + kMostDivisions;
    for (const Experiment *division : promising)
        choose(division, most);
    std::vector<Experiment> plans;
    for (const Experiment *division : chosen)
        for (Experiment &plan : plansOf(*division))
            if (query.keepsFamily ? plan.schedule.family == query.experiment.schedule.family
                                  : division->parallel.devices > 1) // one device has nothing to order
                plans.push_back(std::move(plan));
    return plans;
}

/// Returns the plans of several stages that no other has beaten in time and memory, fastest first: the second stage searches
/// only some of the divisions of the first.
std::vector<Candidate> commonFront(std::initializer_list<const std::vector<Candidate> *> stages)
{
    std::vector<Candidate> all;
    for (const std::vector<Candidate> *stage : stages)
        all.insert(all.end(), stage->begin(), stage->end());
    std::ranges::stable_sort(all, {}, [](const Candidate &each) { return std::pair(each.iteration, each.memory()); });
    std::vector<Candidate> front;
    for (Candidate &each : all)
        if (front.empty() || each.memory() < front.back().memory())
            front.push_back(std::move(each));
    return front;
}

/// The busy time of the busiest device, the time in which it waits, and what follows the passes.
struct Parts {
    Nanos busy = 0;
    Nanos wait = 0;
    Nanos end = 0;
};

Parts partsOf(const simulate::Metrics &metrics)
{
    const Nanos busy = metrics.busyPerDevice.empty() ? 0 : std::ranges::max(metrics.busyPerDevice);
    const Nanos passes = metrics.makespanPerIteration.value_or(metrics.makespan);
    return {busy, passes - busy, metrics.iteration - passes};
}

std::string shortText(const Experiment &plan)
{
    const std::string context = plan.parallel.context > 1 ? fmt::format("{} context x ", plan.parallel.context) : std::string();
    return fmt::format("{} devices x {} tensor x {}{} replicas, {}", plan.parallel.devices, plan.parallel.tensor, context,
                       plan.parallel.replicas, plan.schedule.family);
}

/// The part of the iteration that is longest beyond that of the winner.
std::string reasonOf(const Prediction &winner, const Prediction &second)
{
    const Parts best = partsOf(winner.metrics);
    const Parts other = partsOf(second.metrics);
    const auto text = [](Nanos time) {
        return time < 1'000'000'000 ? base::fixedText(static_cast<double>(time) / 1e6, 3) + " ms"
                                    : base::fixedText(static_cast<double>(time) / 1e9, 3) + " s";
    };
    std::pair<Nanos, std::string> longest{
        other.busy - best.busy, fmt::format("its busiest device works {} instead of {}", text(other.busy), text(best.busy))};
    for (auto &candidate :
         {std::pair<Nanos, std::string>{other.wait - best.wait, fmt::format("its busiest device waits {} instead of {}",
                                                                            text(other.wait), text(best.wait))},
          {other.end - best.end, fmt::format("optimizer and exchange take {} instead of {}", text(other.end), text(best.end))}})
        if (candidate.first > longest.first)
            longest = candidate;
    const double slower =
        100 * (static_cast<double>(second.metrics.iteration) / static_cast<double>(winner.metrics.iteration) - 1);
    const std::string against =
        slower >= 0 ? fmt::format("{:.1f} % slower", slower) : fmt::format("{:.1f} % faster, but holds more", -slower);
    return fmt::format("{} is {}: {}", shortText(second.experiment), against, longest.second);
}

base::Problems problemsOf(const PlanQuery &query)
{
    base::Problems problems;
    for (const auto &[name, value] : query.fixed) {
        if (name == "expert" && value != 1)
            problems.push_back(
                {"--fix",
                 fmt::format("{} is {}, but such plans cannot be predicted yet; fix it to 1 or leave it out", name, value)});
        else if (name == "zero" && value > 3)
            problems.push_back({"--fix", fmt::format("zero is {}, but its stages are 0 to 3; fix it to 3", value)});
        else if ((name == "devices" || name == "replicas" || name == "tensor" || name == "context") && query.gpus % value != 0)
            problems.push_back({"--fix", fmt::format("{} is {}, which does not divide {} GPUs", name, value, query.gpus)});
    }
    if (!query.experiment.hasModel)
        problems.push_back({"--model", "is missing; a plan needs a model and hardware"});
    return problems;
}

} // namespace

const std::vector<std::string> &planFixes()
{
    static const std::vector<std::string> kNames{"devices", "replicas",        "tensor", "context",
                                                 "expert",  "microbatch_size", "zero"};
    return kNames;
}

/// The reason why there is no plan: that of most combinations, and of refused ones what refuses the first.
static base::Error nothingFits(const PlanQuery &query, const PlanAnswer &answer, std::size_t divisions,
                               const std::vector<Experiment> &plans)
{
    const std::string gpus = fmt::format("{} GPUs", query.gpus);
    if (divisions == 0)
        return base::Error::invalid("--gpus",
                                    fmt::format("{} divide into no plan with these sizes; fix other sizes, or fewer", gpus));
    const auto most = std::ranges::max_element(answer.rejected, {}, &PlanRejection::count);
    if (most != answer.rejected.end() && most->reason == kRefused)
        for (const Experiment &plan : plans)
            if (const base::Problems problems = model::validate(plan); !problems.empty())
                return base::Error::invalid(
                    "--gpus", fmt::format("{}: a schedule refuses {} of the combinations, the first because {} {}", gpus,
                                          most->count, problems.front().field, problems.front().message));
    return base::Error::invalid(
        "--gpus", fmt::format("{} hold no plan of this model within {} a rank, of {} divisions; give more GPUs, a shorter "
                              "sequence or a smaller model",
                              gpus, answer.limit ? base::bytesText(*answer.limit) : std::string("their memory"), divisions));
}

base::Result<PlanAnswer> searchPlan(const PlanQuery &query, std::size_t most, const SearchOptions &options)
{
    if (base::Problems problems = problemsOf(query); !problems.empty())
        return base::Error::invalid(std::move(problems));
    Divisions cluster = divisionsOf(query);
    std::vector<Experiment> &divisions = cluster.plans;
    // What gathers in every pass has one schedule. It joins the second stage: it would push other divisions off the first
    // front.
    std::vector<Experiment> sharded;
    if (!query.fixed.contains("zero")) {
        const auto first = std::ranges::stable_partition(divisions, [](const Experiment &each) {
                               return !each.parallel.reducesEagerly();
                           }).begin();
        sharded = firstStage(query, {first, divisions.end()});
        divisions.erase(first, divisions.end());
    }
    StagesOfSearch stages(options);
    PlanAnswer answer;
    answer.rejected = std::move(cluster.rejected);
    std::vector<Experiment> plans = firstStage(query, divisions);
    std::vector<ExaminedPlan> examined;
    const SearchResult first = examinePlans(plans, stages.next(0.4), examined);
    const std::vector<char> mayFit = thatMayFit(divisions.size(), plans.size(), examined, first.limit);
    std::vector<Experiment> rest =
        secondStage(query, divisions, first, promisingDivisions(query, divisions, mayFit, first, options.stop));
    rest.insert(rest.end(), sharded.begin(), sharded.end());
    std::vector<ExaminedPlan> ofRest;
    const SearchResult second = first.cancelled ? SearchResult() : examinePlans(rest, stages.next(0.75), ofRest);
    if (first.cancelled || second.cancelled)
        return base::Error::cancelled();
    answer.limit = first.limit;
    const std::size_t firstSharded = rest.size() - sharded.size();
    for (ExaminedPlan &each : ofRest)
        if (each.plan >= firstSharded) {
            each.plan += plans.size() - firstSharded;
            examined.push_back(std::move(each));
        }
    plans.insert(plans.end(), sharded.begin(), sharded.end());
    ShapeSearch shapes = searchShapes(query, plans, examined, first.limit, stages.next(0.9));
    if (options.stop.stop_requested())
        return base::Error::cancelled();
    answer.shapes = std::move(shapes.shapes);
    answer.tried = shapes.tried;
    answer.isCapacity = first.isCapacity;
    for (const SearchResult *stage : {&first, &second}) {
        answer.tried += stage->tried;
        answer.beaten += stage->beaten;
    }
    const auto reject = [&answer](std::size_t count, std::string_view reason) {
        if (count > 0)
            answer.rejected.push_back({std::string(reason), count});
    };
    reject(first.tooLarge + second.tooLarge, "parameters and one microbatch that do not fit");
    reject(first.refused + second.refused, kRefused);
    reject(first.leftOut + second.leftOut, "too many passes for a search");

    std::vector<Candidate> front = commonFront({&second.front, &first.front, &shapes.found});
    const auto tooLarge = std::erase_if(front, [&answer](const Candidate &each) { return !fits(each, answer.limit); });
    reject(tooLarge, "activations in flight that do not fit");
    if (front.empty() && !query.mayFitNothing)
        return nothingFits(query, answer, divisions.size(), plans);
    if (query.objective == Objective::Memory && !front.empty()) {
        const double slowest = static_cast<double>(front.front().iteration) * (1 + query.atMost);
        const auto least =
            std::ranges::find_if(front.rbegin(), front.rend(),
                                 [slowest](const Candidate &each) { return static_cast<double>(each.iteration) <= slowest; })
                .base() -
            1;
        std::rotate(front.begin(), least, least + 1);
    }
    answer.onFront = front.size();
    for (std::size_t i = 0; i < std::min(most, front.size()); ++i) {
        Experiment plan = query.experiment;
        plan.schedule = front[i].schedule;
        plan.parallel = front[i].parallel;
        auto prediction = predict(plan, machineCores(), {options.stop, {}});
        if (!prediction)
            return prediction.error();
        const auto &peaks = (*prediction)->metrics.peakMemory;
        const base::Bytes peak = peaks.empty() ? 0 : std::ranges::max(peaks);
        answer.plans.push_back({*prediction, answer.limit ? std::optional(*answer.limit - peak) : std::nullopt});
    }
    if (answer.plans.size() > 1)
        answer.whySecondLost = reasonOf(*answer.plans[0].prediction, *answer.plans[1].prediction);
    answer.notSearched =
        fmt::format("Not searched: expert parallelism, ways of context parallelism other than the plan's, ZeRO 2, ZeRO 3 on "
                    "several devices (as fast and as large as 1), asynchronous schedules, microbatches that are no power of "
                    "two, and VOCAB-1 and schedules other than 1F1B for divisions that fit beyond the {} most promising.",
                    2 * kMostDivisions);
    return answer;
}

} // namespace stagelens::service
