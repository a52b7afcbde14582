// How far the best of `plan` on 64 GPUs is from the best of a search of everything: bench_every_plan [LAYERS HIDDEN
// VOCABULARY]. Takes minutes to hours of all cores.
#include "engine/model/names.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/plan_space.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace stagelens;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double milliseconds(base::Nanos time)
{
    return static_cast<double>(time) / 1e6;
}

/// The divisions by their shape, which differ in microbatches, recomputation and ZeRO.
std::map<std::tuple<int, int, int>, std::vector<model::Experiment>> byShape(const service::PlanQuery &query)
{
    std::map<std::tuple<int, int, int>, std::vector<model::Experiment>> shapes;
    for (model::Experiment &division : test::everyDivision(query)) {
        const model::ParallelPlan &plan = division.parallel;
        shapes[{plan.devices, plan.tensor, plan.context}].push_back(std::move(division));
    }
    return shapes;
}

} // namespace

int main(int argc, char **argv)
{
    constexpr int kSizes = 4;
    const auto given = [&](int place, int usual) { return argc == kSizes ? std::atoi(argv[place]) : usual; };
    const service::PlanQuery query =
        test::queryOf64Gpus(test::gptOf(given(1, 16), given(2, 2048), 16, 1024, given(3, 131072), model::DataType::Fp16));
    auto begin = Clock::now();
    const auto answer = service::searchPlan(query, 1);
    if (!answer) {
        std::fprintf(stderr, "%s\n", answer.error().text().c_str());
        return 1;
    }
    const base::Nanos found = answer->plans.front().prediction->metrics.iteration;
    std::printf("plan: %.3f ms, %zu plans simulated in %.1f s\n", milliseconds(found), answer->tried, secondsSince(begin));
    begin = Clock::now();
    std::size_t divisions = 0;
    std::size_t plans = 0;
    std::optional<base::Nanos> best;
    for (const auto &[shape, variants] : byShape(query)) {
        std::vector<model::Experiment> all;
        for (const model::Experiment &division : variants) {
            ++divisions;
            for (model::Experiment &each : service::plansOf(division))
                all.push_back(std::move(each));
        }
        plans += all.size();
        const service::SearchResult result = service::searchPlans(all);
        if (!result.chosen)
            continue;
        const service::Candidate &fastest = result.front[*result.chosen];
        if (!best || fastest.iteration < *best) {
            best = fastest.iteration;
            std::printf("%d devices x %d tensor x %d context x %d replicas, %s, %s: %.3f ms (%.0f s so far)\n",
                        fastest.parallel.devices, fastest.parallel.tensor, fastest.parallel.context, fastest.parallel.replicas,
                        fastest.schedule.family.c_str(), model::name(fastest.schedule.vocabulary).data(),
                        milliseconds(fastest.iteration), secondsSince(begin));
            std::fflush(stdout);
        }
    }
    if (!best)
        return 1;
    std::printf("everything: %.3f ms of %zu divisions, %zu plans in %.0f s; plan is %.2f %% slower\n", milliseconds(*best),
                divisions, plans, secondsSince(begin), 100 * (static_cast<double>(found) / static_cast<double>(*best) - 1));
    return 0;
}
