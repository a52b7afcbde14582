#include "engine/runtime/plan/run_plan.h"

#include "engine/layout/shard.h"
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

layout::Interval RunPlan::rowsOf(int parameter, int device, int tensor) const
{
    const int devices = schedule.devices();
    if (parameter == kTokenTable)
        return layout::inputTableRows(experiment, devices, device, tensor, tables.areDivided());
    if (parameter == outputWeight())
        return layout::vocabularyRows(experiment, devices, device, tensor, tables.areDivided());
    const std::size_t tail = size((parameter - firstTail(experiment.model)) / 2); // after each map
    return layout::tailRows(experiment.model.tails()[tail], experiment, devices, device, tensor, tables.areDivided());
}

const schedule::PassRecipe &RunPlan::recipeOf(const schedule::Pass &pass, int device) const
{
    return recipes().of(schedule::roleOf(pass, schedule.placement(), stageLayers[pass.stage] > 0, device));
}

} // namespace stagelens::runtime
