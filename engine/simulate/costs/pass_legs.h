// The operators of a pass, in order: predicted with the times of the analytic costs, or as a run recorded them.
#pragma once

#include "engine/base/result.h"
#include "engine/simulate/costs/vocabulary_costs.h"
#include "engine/timeline/operator_times.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace stagelens::simulate {

/// One operator of a pass; times count from the begin of the pass.
struct PassLeg {
    /// "layer 3 qkv" in a forward; in a backward "layer 3 qkv input" or "layer 3 qkv weight" for the half of the gradient, and
    /// "layer 3 qkv again" for recomputation; "layer 3 all-gather norm1" between tensor ranks, "layer 3 all-gather keys"
    /// between context ranks; "layer 3 all-to-all dispatch" between expert ranks; "output products", "embedding look-up" in
    /// vocabulary layers.
    std::string name;
    bool isVocabulary = false;
    bool isExchange = false; ///< among the tensor, context or expert ranks of the device
    bool isContext = false;  ///< of an exchange: among its context ranks
    bool isExpert = false;   ///< of an exchange: among its expert ranks
    base::Nanos begin = 0;
    base::Nanos end = 0;
    double flops = 0; ///< of a rank's matrix products and attention, as the model's FLOPs are counted
};

/// Returns the operators of a pass that a run recorded, as shares of its duration; none if it recorded none of its kind.
[[nodiscard]] std::vector<PassLeg> measuredLegs(const timeline::OperatorTimes &times, int device, const schedule::Pass &pass,
                                                base::Nanos duration);

/// Finds the legs of passes of one plan whose costs come from a hardware preset. Used by one thread at a time.
class PassLegs {
public:
    PassLegs(model::Experiment experiment, model::Hardware hardware, const schedule::Schedule &schedule);
    PassLegs(const PassLegs &) = delete;
    PassLegs &operator=(const PassLegs &) = delete;

    /// Returns the legs of a pass on its device, scaled to fill `duration`: launch overhead and concurrent collectives, which
    /// are not operators, lengthen all legs by the same factor.
    [[nodiscard]] std::vector<PassLeg> of(int device, const schedule::Pass &pass, base::Nanos duration);

private:
    struct Part {
        std::string name;
        bool isVocabulary = false;
        bool isExchange = false;
        bool isContext = false;
        bool isExpert = false;
        double seconds = 0;
        double flops = 0;
    };
    /// Returns the parts of the passes of a kind and stage on a device.
    [[nodiscard]] std::vector<Part> partsOf(int device, schedule::PassKind kind, int stage) const;
    void append(std::vector<Part> &parts, std::string_view layer, const VocabularyLegs &legs) const;
    void appendLayer(std::vector<Part> &parts, int layer, schedule::PassKind kind, Rebuilds rebuilds) const;

    model::Experiment m_experiment;
    model::Hardware m_hardware;
    LayerCosts m_layer;
    LayerCosts m_dense; ///< of layers without experts
    VocabularyCosts m_vocabulary;
    std::vector<int> m_layers; ///< of each stage
    schedule::Placement m_placement;
    double m_packSeconds; ///< of a message to another device; 0: it is not packed
    std::map<std::tuple<int, schedule::PassKind, int>, std::vector<Part>> m_parts; ///< by device, kind and stage
};

} // namespace stagelens::simulate
