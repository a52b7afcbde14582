// The update rules once more, in float64 and from their papers: what the program's optimizers are compared with.
#pragma once

#include "engine/operators/optimizers/optimizer.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace stagelens::test {

/// A whole parameter and what an oracle keeps of it.
struct OracleParameter {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    operators::ParameterKind kind = operators::ParameterKind::Matrix;
    std::vector<double> values;
    std::vector<double> gradient; ///< scaled
    std::map<std::string_view, std::vector<double>> kept = {};
    int updates = 0;

    std::vector<double> &of(std::string_view name)
    {
        std::vector<double> &tensor = kept[name];
        tensor.resize(values.size());
        return tensor;
    }
};

/// The entries of dynamic tree quantisation from its definition: after the sign, z zeros and a one say the decade 10^-z, and
/// the other bits divide [0.1, 1] of it.
std::vector<double> dynamicTree(bool isSigned);

/// Runs the next update of a parameter by the optimizer of that name: an oracle if there is one, otherwise the float64
/// reference of the optimizer itself.
void oracleUpdate(const operators::OptimizerChoice &choice, OracleParameter &parameter);

} // namespace stagelens::test
