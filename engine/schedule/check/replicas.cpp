#include "engine/schedule/check/replicas.h"

#include "engine/base/text.h"

namespace stagelens::schedule {

base::Problems replicaProblems(const model::ParallelPlan &plan, const Schedule &schedule)
{
    if (plan.replicas == 1 || schedule.isSynchronous())
        return {};
    return {{"parallel.replicas",
             base::concat("is ", plan.replicas, ", but ", schedule.family(),
                          " updates weights before a step has ended, and replicas sum their gradients at its end; choose 1, or "
                          "a synchronous schedule such as 1f1b")}};
}

} // namespace stagelens::schedule
