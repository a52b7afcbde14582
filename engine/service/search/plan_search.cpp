#include "engine/service/search/plan_search.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/service/search/examined_plans.h"
#include "engine/service/search/planned_shapes.h"
#include "engine/service/search/search_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace stagelens::service {
namespace {

using base::Nanos;
using model::Experiment;
using model::Recompute;
using model::VocabularyMethod;

constexpr int kLargestMicrobatch = 64;
/// Divisions whose schedules the second stage searches.
constexpr std::size_t kMostDivisions = 4;

int gpusPerNode(const Experiment &experiment)
{
    const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (choice == nullptr)
        return 1;
    const auto hardware = model::hardwareOf(*choice);
    return hardware ? std::max(hardware->devicesPerNode, 1) : 1;
}

/// The divisions of a cluster, and why others were left out.
class Divisions {
public:
    explicit Divisions(const PlanQuery &query) : m_query(query) {}

    std::vector<Experiment> all()
    {
        for (int tensor = 1; tensor <= m_query.gpus; ++tensor)
            if (m_query.gpus % tensor == 0 && isAllowed("tensor", tensor))
                addTensor(tensor);
        return std::move(m_plans);
    }
    [[nodiscard]] std::vector<PlanRejection> takeRejected() { return std::move(m_rejected); }

private:
    [[nodiscard]] bool isAllowed(const char *name, std::int64_t value) const
    {
        const auto found = m_query.fixed.find(name);
        return found == m_query.fixed.end() || found->second == value;
    }
    void reject(const std::string &reason)
    {
        const auto known = std::ranges::find(m_rejected, reason, &PlanRejection::reason);
        if (known != m_rejected.end())
            ++known->count;
        else
            m_rejected.push_back({reason, 1});
    }
    /// Tensor ranks of a gang wait for each other in every layer, so that they belong into one node.
    void addTensor(int tensor)
    {
        const model::ModelConfig &model = m_query.experiment.model;
        if (tensor > m_gpusPerNode && !m_query.fixed.contains("tensor"))
            return reject("tensor ranks on more than one node");
        if (model.heads % tensor != 0 || model.ffn % tensor != 0 || model.hidden % tensor != 0)
            return reject("tensor ranks that do not divide the heads, the inner width or the hidden width");
        m_tensor = tensor;
        for (int context = 1; context <= m_query.gpus / tensor; ++context)
            if (m_query.gpus / tensor % context == 0 && isAllowed("context", context))
                addContext(context);
    }
    /// Microbatches of several sequences gain nothing from context ranks: as many replicas hold as much and exchange less.
    void addContext(int context)
    {
        const model::ModelConfig &model = m_query.experiment.model;
        if (context > 1) {
            if (model.experts > 0)
                return reject("context ranks together with experts");
            if (!m_query.fixed.contains("context") && model.sequence / context < kLeastTokensOfContextRank)
                return reject(fmt::format("context ranks of fewer than {} tokens", kLeastTokensOfContextRank));
            if (model.sequence % (2 * context * m_tensor) != 0)
                return reject("context ranks that do not cut the sequence into equal chunks");
        }
        m_context = context;
        const int gangs = m_query.gpus / m_tensor / context;
        for (int devices = 1; devices <= gangs; ++devices)
            if (gangs % devices == 0 && isAllowed("devices", devices) && isAllowed("replicas", gangs / devices))
                addReplicas(devices, gangs / devices);
    }
    void addReplicas(int devices, int replicas)
    {
        if (devices > m_query.experiment.model.layers)
            return reject(fmt::format("more devices than the {} layers of the model", m_query.experiment.model.layers));
        if (m_query.globalBatch % replicas != 0)
            return reject("replicas that do not divide the global batch");
        const std::int64_t sequences = m_query.globalBatch / replicas;
        const auto given = m_query.fixed.find("microbatch_size");
        const int largest = m_context > 1 ? 1 : kLargestMicrobatch;
        const int last = given != m_query.fixed.end() ? static_cast<int>(given->second) : largest;
        for (int size = given != m_query.fixed.end() ? last : 1; size <= last; size *= 2) {
            if (sequences % size != 0) {
                reject("microbatches that do not divide the sequences of a replica");
                continue;
            }
            addPlans(devices, replicas, size, sequences / size);
        }
    }
    void addPlans(int devices, int replicas, int size, std::int64_t microbatches)
    {
        constexpr std::int64_t kMostMicrobatches = 1 << 16;
        if (microbatches > kMostMicrobatches)
            return reject(fmt::format("more than {} microbatches a replica", kMostMicrobatches));
        for (const int zero : {0, 1, 2, 3}) {
            const bool hasSharers = replicas > 1 || m_context > 1;
            if (zero > 1 && !hasSharers)
                continue;
            const bool isSharded = zero == 3 && devices == 1 && replicas > 1 && m_context == 1; // as FSDP does
            const bool isUsual = zero == (hasSharers ? 1 : 0) || isSharded;
            if (m_query.fixed.contains("zero") ? !isAllowed("zero", zero) : !isUsual)
                continue;
            for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
                if (m_query.keepsRecompute && recompute != Recompute::None)
                    continue;
                Experiment &plan = m_plans.emplace_back(m_query.experiment);
                plan.parallel.devices = devices;
                plan.parallel.replicas = replicas;
                plan.parallel.tensor = m_tensor;
                plan.parallel.context = m_context;
                plan.parallel.microbatchSize = size;
                plan.parallel.microbatches = static_cast<int>(microbatches);
                plan.parallel.zero = zero;
                if (isSharded && !m_query.fixed.contains("zero"))
                    plan.parallel.zero3 = model::ZeroParameters::Reshard;
                model::followStages(plan);
                if (!m_query.keepsRecompute) {
                    plan.schedule.recompute = recompute;
                    plan.schedule.recomputeLayers.clear();
                }
            }
        }
    }

    const PlanQuery &m_query;
    int m_gpusPerNode = gpusPerNode(m_query.experiment);
    int m_tensor = 1;
    int m_context = 1;
    std::vector<Experiment> m_plans;
    std::vector<PlanRejection> m_rejected;
};

/// Every division with one schedule under each vocabulary method.
std::vector<Experiment> firstStage(const PlanQuery &query, const std::vector<Experiment> &divisions)
{
    std::vector<Experiment> plans;
    for (const Experiment &division : divisions) {
        Experiment plan = division;
        if (!query.keepsFamily)
            plan.schedule.family = "1f1b";
        if (!leavesMethodOpen(plan.schedule)) {
            plans.push_back(std::move(plan));
            continue;
        }
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Redis, VocabularyMethod::Vocab2}) {
            plan.schedule.vocabulary = method;
            plans.push_back(plan);
        }
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

/// Every schedule for the fastest divisions of the first front that fit.
std::vector<Experiment> secondStage(const PlanQuery &query, const std::vector<Experiment> &divisions, const SearchResult &first)
{
    std::vector<const Experiment *> chosen;
    for (const Candidate &candidate : first.front) {
        const auto found =
            std::ranges::find_if(divisions, [&](const Experiment &each) { return isSameDivision(each, candidate); });
        if (found != divisions.end() && fits(candidate, first.limit) && chosen.size() < kMostDivisions &&
            std::ranges::find(chosen, &*found) == chosen.end())
            chosen.push_back(&*found);
    }
    std::vector<Experiment> plans;
    for (const Experiment *division : chosen)
        for (Experiment &plan : plansOf(*division))
            if (!query.keepsFamily || plan.schedule.family == query.experiment.schedule.family)
                plans.push_back(std::move(plan));
    return plans;
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
    return {busy, metrics.makespan - busy, metrics.iteration - metrics.makespan};
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
    const auto seconds = [](Nanos time) { return base::fixedText(static_cast<double>(time) / 1e9, 3) + " s"; };
    std::pair<Nanos, std::string> longest{other.busy - best.busy, fmt::format("its busiest device works {} instead of {}",
                                                                              seconds(other.busy), seconds(best.busy))};
    for (auto &candidate :
         {std::pair<Nanos, std::string>{other.wait - best.wait, fmt::format("its busiest device waits {} instead of {}",
                                                                            seconds(other.wait), seconds(best.wait))},
          {other.end - best.end,
           fmt::format("optimizer and exchange take {} instead of {}", seconds(other.end), seconds(best.end))}})
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

base::Result<PlanAnswer> searchPlan(const PlanQuery &query, std::size_t most, const SearchOptions &options)
{
    if (base::Problems problems = problemsOf(query); !problems.empty())
        return base::Error::invalid(std::move(problems));
    Divisions cluster(query);
    std::vector<Experiment> divisions = cluster.all();
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
    PlanAnswer answer;
    answer.rejected = cluster.takeRejected();
    const std::vector<Experiment> plans = firstStage(query, divisions);
    std::vector<ExaminedPlan> examined;
    const SearchResult first = examinePlans(plans, options, examined);
    std::vector<Experiment> rest = secondStage(query, divisions, first);
    rest.insert(rest.end(), sharded.begin(), sharded.end());
    const SearchResult second = first.cancelled ? SearchResult() : searchPlans(rest, options);
    if (first.cancelled || second.cancelled)
        return base::Error::cancelled();
    answer.limit = first.limit;
    answer.shapes = plannedShapes(plans, examined, first.limit, options.stop);
    answer.isCapacity = first.isCapacity;
    for (const SearchResult *stage : {&first, &second}) {
        answer.tried += stage->tried;
        answer.beaten += stage->beaten;
    }
    const auto reject = [&answer](std::size_t count, const char *reason) {
        if (count > 0)
            answer.rejected.push_back({reason, count});
    };
    reject(first.tooLarge + second.tooLarge, "parameters and one microbatch that do not fit");
    reject(first.refused + second.refused, "combinations that a schedule refuses");
    reject(first.leftOut + second.leftOut, "too many passes for a search");

    std::vector<Candidate> front;
    std::ranges::copy_if(second.front, std::back_inserter(front),
                         [&answer](const Candidate &each) { return fits(each, answer.limit); });
    reject(second.front.size() - front.size(), "activations in flight that do not fit");
    if (front.empty() && !query.mayFitNothing)
        return base::Error::invalid(
            "--gpus", fmt::format("{} GPUs hold no plan of this model within {} a rank, of {} divisions; give more GPUs, a "
                                  "shorter sequence or a smaller model",
                                  query.gpus, answer.limit ? base::bytesText(*answer.limit) : std::string("their memory"),
                                  divisions.size()));
    if (query.objective == Objective::Memory && !front.empty()) {
        const double slowest = static_cast<double>(front.front().iteration) * (1 + query.atMost);
        const auto least =
            std::ranges::find_if(front.rbegin(), front.rend(),
                                 [slowest](const Candidate &each) { return static_cast<double>(each.iteration) <= slowest; })
                .base() -
            1;
        std::rotate(front.begin(), least, least + 1);
    }
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
                    "two, and schedules other than 1F1B for divisions beyond the best {}.",
                    kMostDivisions);
    return answer;
}

} // namespace stagelens::service
