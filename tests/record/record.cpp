// Records what training computes, to compare two versions of Stagelens: losses, gradients and kernel calls of a matrix of
// plans.
//
//     tests/record [--trace PLAN]
//
// Prints a line a plan: its name, the losses of two steps and a hash of the first step's gradients, both bit for bit, then the
// number of kernel calls and a hash of them (on the virtual clock, where their order is fixed). With --trace, every call of the
// one plan instead. Equal lines mean equal bits on the same machine; see tests/record/compare.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/record/recorded_compute.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

// The linker calls this in place of backend::makeCpuCompute (--wrap), which keeps recording out of the product.
using stagelens::backend::Compute;
extern "C" std::unique_ptr<Compute>
__real__ZN9stagelens7backend14makeCpuComputeERKNS_7kernels9InterruptE(const stagelens::kernels::Interrupt &interrupt);
extern "C" std::unique_ptr<Compute>
__wrap__ZN9stagelens7backend14makeCpuComputeERKNS_7kernels9InterruptE(const stagelens::kernels::Interrupt &interrupt)
{
    return stagelens::test::recordedCompute(__real__ZN9stagelens7backend14makeCpuComputeERKNS_7kernels9InterruptE(interrupt));
}

using namespace stagelens;

namespace {

struct Plan {
    std::string name;
    model::Experiment experiment;
};

std::vector<Plan> allPlans()
{
    std::vector<Plan> plans;
    for (const auto &[family, method] : test::allPlans()) {
        for (const int devices : {2, 4}) {
            for (const model::Recompute recompute :
                 {model::Recompute::None, model::Recompute::Selective, model::Recompute::Full}) {
                for (const bool isLlama : {false, true}) {
                    for (const model::RunMode mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
                        auto experiment = test::smallExperiment(family, method, devices, 2 * devices);
                        if (isLlama)
                            experiment = test::asLlama(experiment, 1);
                        experiment.model.tied = isLlama != (devices == 4);
                        experiment.parallel.microbatchSize = devices / 2;
                        experiment.schedule.recompute = recompute;
                        experiment.training.mode = mode;
                        experiment.training.steps = 2;
                        plans.push_back({fmt::format("{}/{}/p{}/{}/{}/{}/{}", family, model::name(method), devices,
                                                     model::name(recompute), isLlama ? "llama" : "gpt",
                                                     experiment.model.tied ? "tied" : "untied", model::name(mode)),
                                         experiment});
                    }
                }
            }
        }
    }
    return plans;
}

std::string hexadecimal(double value)
{
    char digits[32];
    return {digits, std::to_chars(std::begin(digits), std::end(digits), value, std::chars_format::hex).ptr};
}

std::uint64_t hashOf(const std::vector<float> &values)
{
    std::uint64_t hash = 0xCBF29CE484222325; // FNV-1a
    for (const std::byte byte : std::as_bytes(std::span(values)))
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3;
    return hash;
}

/// Records one plan, with all calls if they are to be traced.
void record(const Plan &plan, bool isTraced)
{
    const auto schedule = schedule::makeSchedule(plan.experiment);
    if (!schedule) {
        std::printf("%s refused: %s\n", plan.name.c_str(), schedule.error().text().c_str());
        return;
    }
    test::restartRecording(isTraced);
    const auto gradients = test::stepGradients(plan.experiment, *schedule);
    if (!gradients) {
        std::printf("%s refused: %s\n", plan.name.c_str(), gradients.error().text().c_str());
        return;
    }
    const test::Recording calls = test::recorded();
    for (const std::string &device : test::recordedTraces())
        std::fputs(device.c_str(), stdout);
    test::restartRecording(false);
    std::string losses;
    for (const double loss : test::lossesOf(plan.experiment))
        losses += ' ' + hexadecimal(loss);
    std::printf("%s losses%s gradients %016llx", plan.name.c_str(), losses.c_str(),
                static_cast<unsigned long long>(hashOf(*gradients)));
    if (plan.experiment.training.mode == model::RunMode::VirtualClock)
        std::printf(" calls %lld %016llx", static_cast<long long>(calls.calls), static_cast<unsigned long long>(calls.hash));
    std::printf("\n");
}

} // namespace

int main(int count, char **arguments)
{
    const bool isTrace = count == 3 && std::string_view(arguments[1]) == "--trace";
    if (count != 1 && !isTrace) {
        std::fprintf(stderr, "usage: %s [--trace PLAN]\n", arguments[0]);
        return 2;
    }
    bool isFound = false;
    for (const Plan &plan : allPlans()) {
        if (!isTrace || plan.name == arguments[2]) {
            record(plan, isTrace);
            isFound = true;
        }
    }
    if (!isFound)
        std::fprintf(stderr, "%s: no such plan; without --trace all are listed\n", arguments[2]);
    return isFound ? 0 : 2;
}
