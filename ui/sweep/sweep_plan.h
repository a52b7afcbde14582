// What a sweep goes through: one or two parameters, and methods.
#pragma once

#include "engine/model/schema.h"
#include "engine/service/engine_service.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <span>
#include <vector>

namespace stagelens::ui {

/// Something that a sweep can change. Its values are numbers, or numbers of the words that its field offers.
struct SweepParameter {
    const model::Field *field;
    QString values;                     ///< offered first: "32k, 64k, 128k, 256k", "gpipe, 1f1b"
    bool needsModel;                    ///< means nothing in a teaching example
    bool isShape = false;               ///< its values divide the ranks (sweep_shapes.h); `field` is that of the devices
    bool isNetwork = false;             ///< its values are Gb/s between nodes; `field` is that of the hardware
    [[nodiscard]] QString name() const; ///< "Vocabulary size"
    [[nodiscard]] bool isWord() const;  ///< its values have no order: schedules, hardware, shapes
    /// The words that it offers, in the command line's spelling; empty if its values are numbers.
    [[nodiscard]] QStringList words() const;
    void set(model::Experiment &plan, int value) const;
    [[nodiscard]] QString text(int value) const; ///< "32,000", "Zero Bubble H1"
};
[[nodiscard]] std::span<const SweepParameter> sweepParameters();
/// The values that are offered first for a parameter of a plan.
[[nodiscard]] QString offeredValues(const SweepParameter &parameter, const model::Experiment &plan);

/// Of numbers: whole ones from 1 as base::parseCount() reads them, ascending. Of words: their numbers, in the order written.
/// Separated by blanks, semicolons or commas; without repetition. An error has the sentence to show.
[[nodiscard]] base::Result<std::vector<int>> parseSweepValues(const SweepParameter &parameter, const QString &text);

struct SweepAxis {
    std::size_t parameter = 0; ///< of sweepParameters()
    std::vector<int> values;
    friend bool operator==(const SweepAxis &, const SweepAxis &) = default;
};
struct SweepSetup {
    SweepAxis first;
    std::optional<SweepAxis> second;
    std::vector<model::VocabularyMethod> methods;
    friend bool operator==(const SweepSetup &, const SweepSetup &) = default;
};
/// The sweep that is prepared first: vocabulary 32k to 256k with the four methods of the paper's tables.
[[nodiscard]] SweepSetup preparedSweep();

/// One plan of a sweep.
struct SweepEntry {
    model::Experiment plan;
    int value = 0;          ///< of the first parameter
    std::size_t series = 0; ///< those with the same method and second value form a line
    QString words;          ///< "Vocabulary size 64,000 · VOCAB-2"
    friend bool operator==(const SweepEntry &, const SweepEntry &) = default;
};
inline constexpr std::size_t kMostSweepPlans = 400;
/// Every plan, series by series.
[[nodiscard]] std::vector<SweepEntry> sweepEntries(const model::Experiment &base, const SweepSetup &setup);
/// What others have published for plans of a sweep, each with its plan.
struct PublishedPoints {
    std::vector<SweepEntry> entries;
    std::vector<service::SweepPoint> points;
};
[[nodiscard]] PublishedPoints publishedPoints(std::span<const SweepEntry> entries, int cores);
/// Names of the series: "VOCAB-2", "VOCAB-2 · Devices 8".
[[nodiscard]] QStringList seriesNames(const SweepSetup &setup);
/// Why the setup cannot be swept, as a sentence; empty if it can.
[[nodiscard]] QString sweepObstacle(const model::Experiment &base, const SweepSetup &setup);

/// Papers give none.
[[nodiscard]] std::optional<double> bubbleOf(const service::SweepPoint &point);
/// A figure that the first plot can show.
struct SweepMetric {
    QString name;
    bool moreIsBetter;
    std::optional<double> (*of)(const service::SweepPoint &);
    QString (*text)(double);
};
[[nodiscard]] std::span<const SweepMetric> sweepMetrics();
/// Why a point is impossible: it cannot be made, or needs more memory than a device has. Empty if it is possible.
[[nodiscard]] QString impossibility(const service::SweepPoint &point);
/// "20 predictions, about 0.1 s".
[[nodiscard]] QString sweepAmount(std::size_t count, bool train, std::optional<double> seconds);

} // namespace stagelens::ui
