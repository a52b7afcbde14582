// What a training run comes to.
#pragma once

#include "engine/runtime/training_run.h"
#include "tests/support/tiny_model.h"

namespace stagelens::test {

/// The loss of each step of a real run; a run that fails ends the test program.
inline std::vector<double> lossesOf(const model::Experiment &experiment)
{
    std::vector<double> losses;
    const auto trained = runtime::train(experiment, scheduleOf(experiment), {},
                                        {[&](const runtime::StepReport &report) { losses.push_back(report.loss); }, {}}, {});
    if (!trained)
        qFatal("%s", trained.error().text().c_str());
    return losses;
}

} // namespace stagelens::test
