// Where to cut a model into stages, and a sequence into slices: exact answers of planners, beside the cut of the plan.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/operators/cuts.h"
#include "engine/service/search/sequence_cut.h"
#include "engine/simulate/model_units.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::service {

/// A cut of units into consecutive parts, one for each device.
enum class CutKind : unsigned char {
    Plan,         ///< the layers of each stage of the plan
    Even,         ///< equally many layers
    LeastOfEqual, ///< the least greatest part if all devices were equally fast
    Least,        ///< the least greatest part
    LeastOfHalves ///< the same with attention and MLP of each layer as units
};
/// "plan", "even", "before", "least", "halves".
[[nodiscard]] std::string_view name(CutKind kind);

/// A cut, and what it costs with the slow devices of the plan.
struct LayerCut {
    CutKind kind = CutKind::Even;
    std::vector<int> sizes;      ///< units of each device
    std::vector<double> seconds; ///< of each device, for a microbatch
    [[nodiscard]] double greatest() const;
};

/// PipeDream's plan for the units.
struct ReplicatedCut {
    operators::ReplicatedPlan plan;
    int microbatches = 1;      ///< after which replicas exchange gradients
    double dataParallel = 0;   ///< time of a microbatch if every machine has all units
    double withoutWeights = 0; ///< of the best plan if gradients took no time to exchange
};

struct LayerCuts {
    std::vector<simulate::ModelUnit> units;
    std::vector<simulate::ModelUnit> halves; ///< the units of CutKind::LeastOfHalves; empty if they are not known
    std::vector<double> factors;             ///< by which each device is slower
    double mean = 0;                         ///< greatest part of a cut that could divide units at will
    std::vector<LayerCut> cuts;
    int machines = 1;                      ///< of PipeDream's plans
    double bytesPerSecond = 0;             ///< between them; 0: unknown, and there are no such plans
    std::vector<ReplicatedCut> replicated; ///< with an exchange after every microbatch, and after those of a step
    std::optional<SequenceCuts> sequence;  ///< absent for given units
};

/// What the units are, where they do not follow from the experiment.
struct GivenUnits {
    std::vector<simulate::ModelUnit> units;
    std::optional<double> bytesPerSecond;
};
/// Reads units from CSV text with the header `unit,milliseconds` or `unit,milliseconds,activation_bytes,weight_bytes`. Units
/// whose name begins with "layer" are layers. Fails with every problem under the field "--units".
[[nodiscard]] base::Result<std::vector<simulate::ModelUnit>> unitsFromCsv(std::string_view csv, const std::string &source);

/// Cuts the model of an experiment, or given units, for its devices, of which some may be slow (what_if.slow: devices only).
/// Every device has one stage, whatever the schedule. Fails with InvalidInput if the plan is, if its costs are no hardware and
/// no units are given, or if there are fewer units than devices.
[[nodiscard]] base::Result<LayerCuts> layerCuts(const model::Experiment &experiment, int cores, const GivenUnits &given = {});

} // namespace stagelens::service
