// What a timeline shows: lanes of passes, predicted and measured groups below each other.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/idle_causes.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/timeline.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagelens::simulate {
class CostModel;
struct PassLeg;
} // namespace stagelens::simulate

namespace stagelens::ui {

/// A kind of communication or copying of a device.
enum class Stream : unsigned char { Tensor, Context, Expert, Pipeline, Data, Copy };
/// The rows shown below the lane of a device: none, its streams, or its streams and ranks.
enum class LaneDetail : unsigned char { Devices, Streams, Ranks };
/// A row below a lane.
struct LaneRow {
    enum class Kind : unsigned char { Stream, Rank, MoreRanks };
    Kind kind = Kind::Stream;
    Stream stream = Stream::Tensor;
    int number = 0; ///< of a rank among those of its device; of MoreRanks: how many are left out
    friend bool operator==(const LaneRow &, const LaneRow &) = default;
};

/// One timeline as a group of lanes with its provenance at the left rail.
struct LaneGroup {
    timeline::TimelinePtr timeline;
    std::shared_ptr<const schedule::Schedule> schedule; ///< for what a pass waited for; may be null
    simulate::Metrics metrics;                          ///< for the load bars
    QString caption;                                    ///< "Predicted", "Virtual clock · run 12"
    bool faded = false;                                 ///< measured, but the plan was edited since
    base::Bytes capacity = 0;                           ///< of a device; those that need more are marked. 0: unknown
    std::vector<bool> recomputedStages; ///< their forwards run again before their backwards: a dashed edge; empty: none
    /// Costs of the passes of a prediction; null: what is recomputed or exchanged takes an unknown share of them.
    std::shared_ptr<const simulate::CostModel> costs;
    /// Returns the operators of a device's pass of that duration, in order; empty: they are not known. GUI thread only.
    std::function<std::vector<simulate::PassLeg>(int, const schedule::Pass &, base::Nanos)> legs;
    bool movable = false; ///< its passes may be put elsewhere, see setMoveJudge()
    /// What every pass waited for; null where it is not needed (Colour by slack, the critical path) or not known.
    std::shared_ptr<const simulate::Explanation> why;
    int ranks = 1;                    ///< ranks shown by each lane: they do the same work at the same times
    std::vector<double> critical;     ///< by device: share of the draws in which it is critical; empty if nothing was drawn
    std::optional<layout::Mesh> mesh; ///< of the ranks
    std::vector<LaneRow> below;       ///< rows below each lane
    std::optional<LaneDetail> next;   ///< what a sign beside each lane offers to show; nothing: there is no sign
    /// Bytes held over time; may be null.
    std::shared_ptr<const simulate::MemoryProfiles> memory;
};

[[nodiscard]] inline const timeline::Lane &laneOf(const LaneGroup &group, int device)
{
    return group.timeline->lanes[static_cast<std::size_t>(device)];
}

/// An end worth comparing with, drawn as a flag on the ruler.
struct EndFlag {
    base::Nanos end = 0;
    QString text; ///< "baseline 412 ms"
};

/// The range of the end of a step whose passes vary.
struct EndBand {
    base::Nanos from = 0;
    base::Nanos to = 0;
    QString text; ///< "5 to 95 %: 40.1 ms – 43.2 ms"
};

/// What the fill of a pass means.
enum class ColourBy : unsigned char { Kind, Microbatch, Chunk, Slack };

/// What is drawn. Value type: the same content gives the same picture.
struct TimelineContent {
    std::vector<LaneGroup> groups;
    std::optional<EndFlag> baseline;
    std::optional<EndFlag> measuredBaseline; ///< end that a run of the baseline measured
    std::optional<EndFlag> ghost;            ///< end of the plan that is being hovered
    std::optional<EndBand> band;             ///< of the prediction's end
    std::optional<EndFlag> published; ///< end that a paper reports for this plan: a dotted pole, as a `Published` rail is
    base::Nanos axis = 0;             ///< the fitted axis spans at least this: pictures shown after each other share one
    bool hasFlags = true;             ///< keeps a row for flags; false where ends are never compared by one
    bool teachingUnits = false;       ///< axis in units (1 ms = 1 unit) and not in seconds
    ColourBy colourBy = ColourBy::Kind;
    bool critical = false; ///< show the critical path of groups that say why
    bool stacked = false;  ///< the second group is below the first, instead of lane by lane
    bool stale = false;    ///< draw at half opacity: an answer is being computed or the input is illegal
};

} // namespace stagelens::ui
