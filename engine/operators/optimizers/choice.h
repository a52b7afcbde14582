// The optimizer of a plan: a part of the experiment. optimizer.h describes what it does.
#pragma once

#include <optional>
#include <string>

namespace stagelens::operators {

/// The optimizer of a plan and its options.
struct OptimizerChoice {
    std::string name = "adamw";
    double learningRate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double weightDecay = 0.0;
    std::optional<double> clip; ///< greatest norm of the whole gradient; absent: off
    double momentum = 0.9;      ///< decay of the sum of gradients
    double tableRate = 1e-3;    ///< learning rate of tables and vectors, if they have another update rule than matrices
    bool scalesByValue = false; ///< whether the rate is multiplied by the root mean square of the parameter
    friend bool operator==(const OptimizerChoice &, const OptimizerChoice &) = default;
};

} // namespace stagelens::operators
