#include "engine/service/search/divisions.h"

#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/schedule/families.h"
#include "engine/service/search/search_space.h"
#include "engine/simulate/planned_schedule.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagelens::service {
namespace {

using model::Experiment;
using model::Recompute;
using model::VocabularyMethod;

constexpr int kLargestMicrobatch = 64;

int gpusPerNode(const Experiment &experiment)
{
    const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (choice == nullptr)
        return 1;
    const auto hardware = model::hardwareOf(*choice);
    return hardware ? std::max(hardware->devicesPerNode, 1) : 1;
}

/// Counts up the divisions.
class Divider {
public:
    explicit Divider(const PlanQuery &query) : m_query(query) {}

    Divisions all()
    {
        for (int tensor = 1; tensor <= m_query.gpus; ++tensor)
            if (m_query.gpus % tensor == 0 && isAllowed("tensor", tensor))
                addTensor(tensor);
        return std::move(m_found);
    }

private:
    [[nodiscard]] bool isAllowed(const char *name, std::int64_t value) const
    {
        const auto found = m_query.fixed.find(name);
        return found == m_query.fixed.end() || found->second == value;
    }
    void reject(const std::string &reason)
    {
        const auto known = std::ranges::find(m_found.rejected, reason, &PlanRejection::reason);
        if (known != m_found.rejected.end())
            ++known->count;
        else
            m_found.rejected.push_back({reason, 1});
    }
    /// Tensor ranks of a gang wait for each other in every layer, so that they belong into one node.
    void addTensor(int tensor)
    {
        const model::ModelConfig &model = m_query.experiment.model;
        if (tensor > m_gpusPerNode && !m_query.fixed.contains("tensor"))
            return reject("tensor ranks on more than one node");
        const bool hasDense = model.experts == 0 || model.mixesLayers();
        const bool dividesInner =
            (!hasDense || model.ffn % tensor == 0) && (model.experts == 0 || model.expertWidth() % tensor == 0);
        if (model.heads % tensor != 0 || !dividesInner || model.hidden % tensor != 0)
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
            if (model.latentAttention)
                return reject("context ranks together with latent attention");
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
                Experiment &plan = m_found.plans.emplace_back(m_query.experiment);
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
    Divisions m_found;
};

} // namespace

Divisions divisionsOf(const PlanQuery &query)
{
    return Divider(query).all();
}

std::vector<Experiment> withEachMethod(Experiment plan)
{
    if (!leavesMethodOpen(plan.schedule))
        return {std::move(plan)};
    std::vector<Experiment> plans;
    for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Redis, VocabularyMethod::Vocab2}) {
        plan.schedule.vocabulary = method;
        plans.push_back(plan);
    }
    return plans;
}

std::optional<base::Nanos> leastTime(const PlanQuery &query, const Experiment &division)
{
    Experiment plan = division;
    if (!query.keepsFamily)
        model::chooseFamily(plan.schedule, "zb-v");
    std::optional<base::Nanos> least;
    for (const Experiment &each : withEachMethod(std::move(plan))) {
        if (!model::validate(each).empty())
            continue;
        const auto outline = simulate::outlineOf(each);
        if (!outline)
            continue;
        const bool splits = schedule::findFamily(each.schedule.family)->splitsBackward;
        const base::Nanos time = simulate::lowerBoundOfShape(outline->schedule, outline->costs, each.parallel.microbatches,
                                                             {splits, each.schedule.overlappedPairs});
        least = std::min(least.value_or(time), time);
    }
    return least;
}

} // namespace stagelens::service
