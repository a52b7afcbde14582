// The results of a search for every given plan, not only for those on the front.
#pragma once

#include "engine/service/search/schedule_search.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagelens::service {

/// How far a search went with a plan.
enum class Examination : unsigned char {
    Simulated,
    Beaten,   ///< its bounds of time and memory are no better than a simulated plan; not simulated
    LeftOut,  ///< beyond the pass limit of the whole search; not simulated
    TooLarge, ///< its parameters and one microbatch alone exceed the limit
    Refused,  ///< by validation or by its family
};

/// A given plan with one cut of its layers.
struct ExaminedPlan {
    std::size_t plan = 0; ///< index in the given plans
    Examination examination = Examination::Refused;
    std::vector<int> stageLayers;          ///< of the cut; empty if refused
    base::Nanos iteration = 0;             ///< simulated; of Beaten and LeftOut a time that no order is shorter than
    std::optional<base::Bytes> peakMemory; ///< simulated; otherwise the bytes that every order needs; absent if unknown
    std::string reason;                    ///< of Refused
};

/// Returns what searchPlans() returns, and adds every plan with each of its cuts to `examined`.
[[nodiscard]] SearchResult examinePlans(const std::vector<model::Experiment> &plans, const SearchOptions &options,
                                        std::vector<ExaminedPlan> &examined);

/// Does the same for a caller that only wants the chosen plan: the front has no plan that is slower than one that fits, unless
/// it was predicted before that one.
[[nodiscard]] SearchResult searchFastest(const std::vector<model::Experiment> &plans, const SearchOptions &options);

} // namespace stagelens::service
