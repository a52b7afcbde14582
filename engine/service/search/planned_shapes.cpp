#include "engine/service/search/planned_shapes.h"

#include "engine/service/search/all_cores.h"
#include "engine/service/search/search_space.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;
using base::Nanos;
using model::Experiment;

/// The schedules that hold least: few activations, or activations on the host.
constexpr std::array<std::string_view, 5> kFrugalFamilies{"1f1b", "v-half", "v-min", "po-h", "po-f"};

/// The examined plans of a shape.
struct Shape {
    std::vector<const ExaminedPlan *> examined;
    std::map<int, std::size_t> divisions; ///< by stage of ZeRO: the plan with the smallest microbatches and most recomputation
    PlannedShape best;
};

bool isWithin(Bytes memory, const std::optional<Bytes> &limit)
{
    return !limit || memory <= *limit;
}

void predictShape(PlannedShape &shape, const std::optional<Bytes> &limit, const std::stop_token &stop)
{
    const auto prediction = predict(shape.experiment, machineCores(), {stop, {}});
    if (!prediction) {
        const base::Error &error = prediction.error();
        shape.refusal = error.problems.empty() ? error.text() : error.problems.front().message;
        return;
    }
    shape.metrics = (*prediction)->metrics;
    if (!shape.metrics->peakMemory.empty())
        shape.memory = std::ranges::max(shape.metrics->peakMemory);
    shape.fits = isWithin(shape.memory.value_or(0), limit);
}

/// Of plans that do not fit, the one to show has the least memory. What every order needs is known of all, and the peak of
/// those that were simulated; a refused plan has neither.
std::tuple<bool, Bytes> needOf(const ExaminedPlan &each)
{
    return {each.examination == Examination::Refused, each.peakMemory.value_or(0)};
}

/// Takes the plan of an examined one with its cut.
void take(PlannedShape &shape, Experiment plan, const ExaminedPlan &each)
{
    shape.experiment = std::move(plan);
    shape.memory = each.peakMemory;
    shape.refusal = each.reason;
    if (each.examination != Examination::Refused)
        shape.experiment.parallel.stageLayers = each.stageLayers;
}

/// Searches the shapes that have no plan that fits.
class ShapeFinder {
public:
    ShapeFinder(const PlanQuery &query, const std::vector<Experiment> &plans, const std::optional<Bytes> &limit,
                const std::stop_token &stop)
        : m_query(query), m_plans(plans), m_limit(limit), m_options{stop, {}}
    {}

    /// Fills in the best plan, not yet predicted in full.
    void find(Shape &shape)
    {
        shape.best.experiment = m_plans[shape.divisions.rbegin()->second];
        const std::vector<Experiment> plans = attempts(shape);
        // A device is fullest after a few rounds of the pipeline, and more microbatches never need less memory. So short
        // simulations tell which plans do not fit.
        constexpr int kRounds = 3;
        std::vector<Experiment> few = plans;
        for (Experiment &plan : few)
            plan.parallel.microbatches = std::min(plan.parallel.microbatches, kRounds * plan.parallel.devices);
        std::vector<ExaminedPlan> examined;
        m_tried += examinePlans(few, m_options, examined).tried;
        std::vector<Experiment> fitting;
        for (const ExaminedPlan &each : examined)
            if (each.examination == Examination::Simulated && isWithin(each.peakMemory.value_or(0), m_limit))
                fitting.emplace_back(plans[each.plan]).parallel.stageLayers = each.stageLayers;
        const SearchResult result = searchFastest(fitting, m_options);
        m_tried += result.tried;
        if (result.chosen) {
            const Candidate &chosen = result.front[*result.chosen];
            shape.best.experiment.schedule = chosen.schedule;
            shape.best.experiment.parallel = chosen.parallel;
            m_found.push_back(chosen);
            return;
        }
        for (const ExaminedPlan *each : shape.examined) // already simulated in full
            if (each->examination == Examination::Simulated)
                examined.push_back({plans.size() + each->plan, each->examination, each->stageLayers, each->iteration,
                                    each->peakMemory, each->reason});
        const auto known = [&](const ExaminedPlan &each) -> const Experiment & {
            return each.plan < plans.size() ? plans[each.plan] : m_plans[each.plan - plans.size()];
        };
        std::ranges::stable_sort(examined, {}, needOf);
        std::optional<Bytes> least;
        int left = kMostPredicted;
        for (const ExaminedPlan &each : examined) {
            const bool isRefused = each.examination == Examination::Refused;
            if (least && (isRefused || each.peakMemory.value_or(0) >= *least))
                break;
            std::optional<Bytes> memory = each.peakMemory;
            if (!isRefused && each.examination != Examination::Simulated) {
                const bool isPlain = few[each.plan].schedule.family == kFrugalFamilies.front();
                memory = isPlain || left-- > 0 ? peakOf(few[each.plan], each.stageLayers) : std::nullopt;
            }
            const bool isLess = memory && (!least || *memory < *least);
            if (!isLess && !(isRefused && shape.best.refusal.empty()))
                continue;
            least = memory;
            take(shape.best, known(each), each);
        }
    }
    [[nodiscard]] std::vector<Candidate> found() && { return std::move(m_found); }
    [[nodiscard]] std::size_t tried() const { return m_tried; }

private:
    /// Plans, beside those of 1F1B, whose needs are only known to be at least so much, and that are predicted to find the
    /// least.
    static constexpr int kMostPredicted = 8;

    /// Returns the memory of the fullest rank; nothing if the plan cannot be predicted.
    [[nodiscard]] std::optional<Bytes> peakOf(Experiment plan, const std::vector<int> &stageLayers) const
    {
        plan.parallel.stageLayers = stageLayers;
        const auto prediction = predict(plan, machineCores(), m_options);
        if (!prediction || (*prediction)->metrics.peakMemory.empty())
            return std::nullopt;
        return std::ranges::max((*prediction)->metrics.peakMemory);
    }
    /// The plans of a shape that were not simulated, and those that hold least.
    [[nodiscard]] std::vector<Experiment> attempts(const Shape &shape) const
    {
        std::set<std::size_t> others;
        for (const ExaminedPlan *each : shape.examined)
            if (each->examination != Examination::Simulated)
                others.insert(each->plan);
        std::vector<Experiment> plans;
        for (const std::size_t other : others)
            plans.push_back(m_plans[other]);
        for (const auto &[zero, index] : shape.divisions)
            addFrugal(m_plans[index], plans);
        return plans;
    }
    /// Adds the division under the schedules that hold least.
    void addFrugal(Experiment division, std::vector<Experiment> &plans) const
    {
        division.schedule.vocabulary = m_query.experiment.schedule.vocabulary;
        for (Experiment &plan : plansOf(division)) {
            const bool isWanted = m_query.keepsFamily
                                      ? plan.schedule.family == m_query.experiment.schedule.family
                                      : std::ranges::find(kFrugalFamilies, plan.schedule.family) != kFrugalFamilies.end();
            // One device has nothing to share the vocabulary layers with.
            const bool isSplit = plan.schedule.vocabulary != division.schedule.vocabulary && division.parallel.devices == 1;
            if (isWanted && !isSplit && plan.schedule.vocabularyOrder == division.schedule.vocabularyOrder)
                plans.push_back(std::move(plan));
        }
    }

    const PlanQuery &m_query;
    const std::vector<Experiment> &m_plans;
    const std::optional<Bytes> &m_limit;
    SearchOptions m_options;
    std::vector<Candidate> m_found;
    std::size_t m_tried = 0;
};

/// Groups examined plans by their shapes, in the order of the plans.
std::vector<Shape> shapesOf(const std::vector<Experiment> &plans, const std::vector<ExaminedPlan> &examined)
{
    const auto frugality = [&plans](std::size_t i) {
        return std::pair(plans[i].parallel.microbatchSize, plans[i].schedule.recompute != model::Recompute::Full);
    };
    std::vector<Shape> shapes;
    for (const ExaminedPlan &each : examined) {
        auto known = std::ranges::find_if(shapes, [&](const Shape &shape) {
            return isSameShape(plans[shape.examined.front()->plan].parallel, plans[each.plan].parallel);
        });
        if (known == shapes.end())
            known = shapes.insert(shapes.end(), Shape{});
        known->examined.push_back(&each);
        std::size_t &division = known->divisions.try_emplace(plans[each.plan].parallel.zero, each.plan).first->second;
        if (frugality(each.plan) < frugality(division))
            division = each.plan;
    }
    return shapes;
}

/// Returns the fastest plan that was simulated and fits; null if there is none.
const ExaminedPlan *fastestThatFits(const Shape &shape, const std::optional<Bytes> &limit)
{
    const ExaminedPlan *best = nullptr;
    for (const ExaminedPlan *each : shape.examined)
        if (each->examination == Examination::Simulated && isWithin(each->peakMemory.value_or(0), limit) &&
            (best == nullptr || std::pair(each->iteration, each->peakMemory) < std::pair(best->iteration, best->peakMemory)))
            best = each;
    return best;
}

} // namespace

bool isSameShape(const model::ParallelPlan &one, const model::ParallelPlan &other)
{
    return one.devices == other.devices && one.tensor == other.tensor && one.context == other.context &&
           one.replicas == other.replicas;
}

ShapeSearch searchShapes(const PlanQuery &query, const std::vector<Experiment> &plans,
                         const std::vector<ExaminedPlan> &examined, const std::optional<Bytes> &limit,
                         const SearchOptions &options)
{
    std::vector<Shape> shapes = shapesOf(plans, examined);
    ShapeFinder finder(query, plans, limit, options.stop);
    for (std::size_t i = 0; i < shapes.size() && !options.stop.stop_requested(); ++i) {
        if (const ExaminedPlan *best = fastestThatFits(shapes[i], limit))
            take(shapes[i].best, plans[best->plan], *best);
        else
            finder.find(shapes[i]);
        if (options.progress)
            options.progress({i + 1, shapes.size(), {}});
    }
    onAllCores(shapes.size(), [&](std::size_t i) {
        PlannedShape &shape = shapes[i].best;
        if (shape.refusal.empty() && !options.stop.stop_requested())
            predictShape(shape, limit, options.stop);
    });
    ShapeSearch search;
    search.tried = finder.tried();
    search.found = std::move(finder).found();
    for (Shape &shape : shapes)
        search.shapes.push_back(std::move(shape.best));
    std::ranges::stable_sort(search.shapes, {}, [](const PlannedShape &shape) {
        return std::tuple(!shape.fits, shape.metrics ? shape.metrics->iteration : std::numeric_limits<Nanos>::max(),
                          shape.memory.value_or(std::numeric_limits<Bytes>::max()));
    });
    return search;
}

} // namespace stagelens::service
