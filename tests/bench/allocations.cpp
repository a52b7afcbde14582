// How often a training step in the steady state asks the heap for memory: the step's kernels must not, its hand-over hardly.
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/families.h"
#include "tests/bench/heap.h"

#include <iostream>
#include <vector>

namespace {

using namespace stagelens;

struct Plan {
    const char *name;
    model::VocabularyMethod method;
    int devices;
    int layers;
    int microbatches;
};

int report(const Plan &plan)
{
    model::Experiment experiment;
    experiment.model.preset = "custom";
    experiment.model.layers = plan.layers;
    experiment.model.hidden = 64;
    experiment.model.sequence = 32;
    experiment.model.vocabularySize = 512;
    experiment.parallel.devices = plan.devices;
    experiment.parallel.microbatches = plan.microbatches;
    experiment.schedule.vocabulary = plan.method;
    experiment.training.steps = 6;
    experiment.training.mode = model::RunMode::Live;
    experiment = operators::resolved(experiment, plan.devices);
    const auto schedule = schedule::makeSchedule(experiment);
    if (!schedule) {
        std::cerr << schedule.error().text() << '\n';
        return 1;
    }
    std::vector<std::size_t> marks;
    marks.reserve(8);
    const runtime::TrainingObserver observer{[&marks](const runtime::StepReport &) { marks.push_back(bench::allocations()); },
                                             {}};
    if (const auto done = runtime::train(experiment, *schedule, {}, observer, {}); !done) {
        std::cerr << done.error().text() << '\n';
        return 1;
    }
    std::cout << plan.name << ", " << plan.layers << " layers: " << schedule->passCount() << " passes, "
              << marks.back() - marks[marks.size() - 2] << " allocations in the last step\n";
    return 0;
}

} // namespace

int main()
{
    // More layers add kernels, more microbatches add passes: what grows with which tells where it comes from.
    int failures = 0;
    for (const Plan &plan : {Plan{"none, 1 device, 4 microbatches", model::VocabularyMethod::None, 1, 2, 4},
                             {"none, 1 device, 4 microbatches", model::VocabularyMethod::None, 1, 8, 4},
                             {"none, 1 device, 8 microbatches", model::VocabularyMethod::None, 1, 2, 8},
                             {"none, 2 devices, 8 microbatches", model::VocabularyMethod::None, 2, 2, 8},
                             {"vocab-1, 2 devices, 8 microbatches", model::VocabularyMethod::Vocab1, 2, 2, 8},
                             {"vocab-2, 2 devices, 8 microbatches", model::VocabularyMethod::Vocab2, 2, 2, 8}})
        failures += report(plan);
    return failures;
}
