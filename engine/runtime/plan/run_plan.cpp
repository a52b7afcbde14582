#include "engine/runtime/plan/run_plan.h"

#include "engine/operators/stage_layers.h"
#include "engine/runtime/plan/lowering.h"

namespace stagelens::runtime {

RunPlan::RunPlan(const model::Experiment &resolved, const schedule::Schedule &order)
    : experiment(resolved), schedule(lowered(order)), joinsOutputPasses(schedule.passCount() > order.passCount()),
      tables(schedule), shape(resolved), parameters(parameterList(resolved.model)),
      stageLayers(operators::stageLayers(resolved)), mesh(layout::meshOf(resolved.parallel, order.devices()).value())
{
    shape.iterations = schedule.iterations();
}

const schedule::PassRecipe &RunPlan::recipeOf(const schedule::Pass &pass, int device) const
{
    return recipes().of(schedule::roleOf(pass, schedule.placement(), stageLayers[pass.stage] > 0, device));
}

} // namespace stagelens::runtime
