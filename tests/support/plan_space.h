// Everything that `plan` could choose from, enumerated without its search.
#pragma once

#include "engine/service/search/plan_search.h"
#include "engine/service/search/schedule_search.h"
#include "engine/service/search/search_space.h"

#include <optional>
#include <utility>
#include <vector>

namespace stagelens::test {

/// Returns every division of the query's GPUs into devices, tensor, context ranks and replicas that the model allows, with each
/// microbatch size that is a power of two, recomputation of nothing or of everything, and ZeRO 0, 1, and 2 and 3 with exchanges
/// in every pass. (Those that exchange once a step take the time and the peak of 1.)
inline std::vector<model::Experiment> everyDivision(const service::PlanQuery &query)
{
    std::vector<model::Experiment> divisions;
    const model::ModelConfig &model = query.experiment.model;
    for (int tensor = 1; tensor <= query.gpus; tensor *= 2)
        for (int context = 1; tensor * context <= query.gpus; context *= 2)
            for (int devices = 1; tensor * context * devices <= query.gpus; devices *= 2) {
                const int ranks = tensor * context * devices;
                const int replicas = query.gpus % ranks == 0 ? query.gpus / ranks : 0;
                if (replicas == 0 || devices > model.layers || model.heads % tensor != 0 || model.ffn % tensor != 0 ||
                    model.sequence % (2 * context * tensor) != 0 || query.globalBatch % replicas != 0)
                    continue;
                const std::int64_t own = query.globalBatch / replicas;
                for (int size = 1; own % size == 0; size *= 2)
                    for (const auto recompute : {model::Recompute::None, model::Recompute::Full})
                        for (const int zero : {0, 1, 2, 3}) {
                            if (zero > 0 && replicas * context == 1)
                                continue;
                            model::Experiment plan = query.experiment;
                            plan.parallel.devices = devices;
                            plan.parallel.tensor = tensor;
                            plan.parallel.context = context;
                            plan.parallel.replicas = replicas;
                            plan.parallel.zero = zero;
                            plan.parallel.zero2 = model::ZeroGradients::Eager;
                            plan.parallel.zero3 = model::ZeroParameters::Reshard;
                            plan.parallel.microbatchSize = size;
                            plan.parallel.microbatches = static_cast<int>(own / size);
                            plan.schedule.recompute = recompute;
                            divisions.push_back(std::move(plan));
                        }
            }
    return divisions;
}

/// Returns the shortest iteration of a division that fits, with every schedule, its chunks and orders, and every vocabulary
/// method; nothing if none fits.
inline std::optional<base::Nanos> fastestOf(const model::Experiment &division)
{
    const service::SearchResult result = service::searchPlans(service::plansOf(division));
    return result.chosen ? std::optional(result.front[*result.chosen].iteration) : std::nullopt;
}

/// The plan of a model for 64 GPUs that the search of `plan` is compared with a search of everything for.
inline service::PlanQuery queryOf64Gpus(model::ModelConfig model)
{
    service::PlanQuery query;
    query.experiment.model = std::move(model);
    query.experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    query.gpus = 64;
    query.globalBatch = 256;
    return query;
}

} // namespace stagelens::test
