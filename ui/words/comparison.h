// Two to six runs, predictions or experiments side by side: what differs, and what is better beyond the noise.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>
#include <QStringList>

#include <span>
#include <vector>

namespace stagelens::ui {

/// How many things one can compare.
inline constexpr std::size_t kFewestCompared = 2;
inline constexpr std::size_t kMostCompared = 6;

/// One of the things compared.
struct CompareItem {
    QString name; ///< "run 12: 1F1B · VOCAB-2 · 4x16 · V 8,192"
    timeline::Provenance kind = timeline::Provenance::Predicted;
    model::Experiment experiment;                   ///< resolved
    std::map<std::string, std::string> environment; ///< empty for what was not measured
    std::vector<base::Nanos> iterations;            ///< of every step; empty for what was not measured
    simulate::Metrics metrics;
    std::vector<double> losses;
    std::vector<int> skipped;       ///< those of `losses`, from 0, in which a gradient in fp16 overflowed
    timeline::TimelinePtr timeline; ///< null for a run without a finished step
    std::shared_ptr<const schedule::Schedule> schedule;
    base::Bytes capacity = 0; ///< of a device; 0: unknown
    store::RunId run = 0;     ///< 0: a prediction
    std::uint64_t key = 0;    ///< which one it is while others come, go and change places; given by the panel
};
[[nodiscard]] CompareItem itemOf(const service::RunSnapshot &run, int cores);
[[nodiscard]] CompareItem itemOf(const service::Prediction &prediction, const QString &name);
/// What each of them is called beside the others: only what differs, "VOCAB-2 · Microbatches 32"; its name where nothing of the
/// plan does, or where predictions with names of their own differ in more than three fields. Runs keep their number.
[[nodiscard]] QStringList distinctNames(std::span<const CompareItem> items);
/// Most bytes of a device; 0: unknown.
[[nodiscard]] base::Bytes peakOf(const CompareItem &item);
/// "A" to "F".
[[nodiscard]] QString chipOf(std::size_t index);

struct ComparisonRow {
    enum class Section : unsigned char { Metrics, Parameters, Costs, Environment };
    Section section = Section::Parameters;
    QString what;
    QStringList values;   ///< one for each item
    QStringList verdicts; ///< against the first: "better −47 %", "no clear difference", or empty
};
[[nodiscard]] QString caption(ComparisonRow::Section section);

struct Comparison {
    std::vector<ComparisonRow> rows; ///< only what differs, and always speed with peak memory beside it
    QStringList doubts;              ///< what must not be compared without a thought, as sentences
};
/// The first is the baseline. No verdict is given between kinds of measurement, machines, or plans of different work.
[[nodiscard]] Comparison compareItems(std::span<const CompareItem> items);

/// How timelines are placed on the common axis.
enum class Alignment : unsigned char { Begin, Microbatch, Scaled };
struct AlignedTimeline {
    timeline::TimelinePtr timeline;
    QString mark; ///< what was done to it: "moved by 1.2 ms", "scaled x0.53"; empty if nothing
};
/// Begin: as they are. Microbatch: moved, so that the microbatch begins everywhere at the same moment; what has no such
/// microbatch stays. Scaled: stretched to the first one's length.
[[nodiscard]] std::vector<AlignedTimeline> align(std::span<const timeline::TimelinePtr> timelines, Alignment alignment,
                                                 int microbatch);

} // namespace stagelens::ui
