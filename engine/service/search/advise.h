// Which vocabulary method or cut of the layers helps a plan, and what local SGD saves.
#pragma once

#include "engine/service/search/predict.h"
#include "engine/simulate/idle_causes.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::service {

/// The bottleneck devices and the vocabulary method that helps most (background simulations of the same plan).
struct Advice {
    int slowestDevice = 0;
    std::vector<int> asSlow;                       ///< the other devices that are as busy, to half a percent
    std::optional<double> vocabularyShare;         ///< of the slowest device's work
    double othersIdle = 0;                         ///< mean bubble ratio of the devices that are less busy
    std::optional<model::VocabularyMethod> better; ///< absent if nothing helps
    double speedup = 1;                            ///< iteration now / iteration with `better`
    /// Iteration time and maximum peak memory of the same plan with each method; absent if the plan is invalid.
    struct Option {
        model::VocabularyMethod method;
        std::optional<base::Nanos> iteration;
        std::optional<base::Bytes> peakMemory;
    };
    std::vector<Option> options;
    /// The same plan with the cut of its layers that evens out the work of its devices; absent if it is not faster.
    struct Cut {
        std::vector<int> stageLayers;
        std::optional<base::Nanos> iteration;
        std::optional<base::Bytes> peakMemory;
    };
    std::optional<Cut> cut;
    /// Of replicas that average weights every few steps: the same plan with gradients summed in every step.
    struct EveryStep {
        base::Nanos iteration = 0;
        base::Nanos exposedExchange = 0;
    };
    std::optional<EveryStep> everyStep;
    simulate::BubbleCauses causes;
};

/// Returns the method that helps most, from one prediction for each. Returns a partial result if `stop` is requested.
[[nodiscard]] Advice advise(const Prediction &prediction, int cores, const std::stop_token &stop = {});

} // namespace stagelens::service
