// Lengths of the sequences of each microbatch, from a file, and the resulting work.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/simulate/costs/cost_model.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// By microbatch: the lengths of the sequences that are packed into it, in tokens.
using LengthsOfReplica = std::vector<std::vector<int>>;

struct Lengths {
    std::vector<LengthsOfReplica> replicas; ///< one for each, or one for all
    int ofPlan = 1;                         ///< replicas of the plan
};

/// Reads a CSV with the header "microbatch,length" or "replica,microbatch,length": a row for each sequence. The error contains
/// every problem with its line; each microbatch must occur. With a model, a microbatch has at most its b sequences' tokens, and
/// no sequence is longer than the model's.
[[nodiscard]] base::Result<Lengths> readLengths(std::string_view csv, const std::string &source,
                                                const model::Experiment &experiment);
/// Reads the file that the experiment names.
[[nodiscard]] base::Result<Lengths> lengthsOf(const model::Experiment &experiment);

/// Returns the work of each microbatch relative to the plan's, whose b sequences are full. Without a model the mean microbatch
/// of the file has the plan's work.
[[nodiscard]] MicrobatchWork workOf(const LengthsOfReplica &replica, const Lengths &all, const model::Experiment &experiment);
[[nodiscard]] StepWork stepWorkOf(const Lengths &lengths, const model::Experiment &experiment);

} // namespace stagelens::simulate
