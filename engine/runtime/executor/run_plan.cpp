#include "engine/runtime/executor/run_plan.h"

#include "engine/model/partition.h"
#include "engine/runtime/executor/lowering.h"

namespace stagelens::runtime {

RunPlan::RunPlan(const model::Experiment &resolved, const schedule::Schedule &order)
    : experiment(resolved), schedule(lowered(order)), joinsOutputPasses(model::traits(order.vocabulary()).joinsSAndT),
      shape(resolved), parameters(parameterList(resolved.model)), stageLayers(model::stageLayers(resolved))
{}

} // namespace stagelens::runtime
