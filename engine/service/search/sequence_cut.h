// Where to cut a sequence into slices: TeraPipe's planner, beside other cuts.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"

#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::service {

enum class SequenceCutKind : unsigned char {
    Whole,       ///< one slice
    EqualLength, ///< slices of equal length
    EqualWork,   ///< of equal work
    LeastOfFew,  ///< TeraPipe's cut into at most as many slices
    Least        ///< TeraPipe's cut into any number of slices
};
/// "whole", "length", "work", "at-most", "least".
[[nodiscard]] std::string_view name(SequenceCutKind kind);

struct SequenceCut {
    SequenceCutKind kind = SequenceCutKind::Whole;
    std::vector<int> tokens;     ///< of each slice
    std::vector<double> seconds; ///< of each slice on a stage: forward and backward
    double total = 0;            ///< sum of all + (stages - 1) times the longest (arXiv 2102.07988, eq. 5)
};

/// Cuts of one microbatch through a pipeline in which every stage has equally much of the layers, and nothing else.
struct SequenceCuts {
    int stages = 1;
    int unit = 1;   ///< tokens; TeraPipe cuts at multiples of it
    int slices = 1; ///< of the cuts between the first and the last: those of the plan, else of the last
    std::vector<SequenceCut> cuts;
};

/// Returns the cuts of a resolved plan, which has a model and one stage on each device, or nothing if its attention keeps
/// probabilities or its sequences are split over context ranks.
[[nodiscard]] std::optional<SequenceCuts> sequenceCuts(const model::Experiment &plan, const model::Hardware &hardware);

} // namespace stagelens::service
