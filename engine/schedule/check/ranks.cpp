#include "engine/schedule/check/ranks.h"

#include <fmt/format.h>

namespace stagelens::schedule {

base::Problems rankProblems(const model::ParallelPlan &plan, const Schedule &schedule)
{
    base::Problems problems;
    if (schedule.isSynchronous())
        return problems;
    const auto refuse = [&](const char *field, int ranks, const char *who) {
        if (ranks > 1)
            problems.push_back({field, fmt::format("is {}, but {} updates weights before a step has ended, and {} sum their "
                                                   "gradients at its end; choose 1, or a synchronous schedule such as 1f1b",
                                                   ranks, schedule.family(), who)});
    };
    refuse("parallel.replicas", plan.replicas, "replicas");
    refuse("parallel.tensor", plan.tensor, "tensor ranks");
    refuse("parallel.context", plan.context, "context ranks");
    return problems;
}

} // namespace stagelens::schedule
