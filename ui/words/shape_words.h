// Plans in words: which model, how the ranks of a cluster are divided, and what a plan of that shape costs.
#pragma once

#include "engine/service/search/plan_search.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// A plan in the table of shapes.
struct ShapeRow {
    model::Experiment experiment;
    std::optional<simulate::Metrics> metrics; ///< absent: it cannot be predicted, or its parameters do not fit
    std::optional<base::Bytes> memory;        ///< of the fullest rank
    bool fits = false;
    bool isOnFront = false; ///< no other row that fits is both faster and smaller
    QString refusal;        ///< why it is impossible; empty if it is not
};
/// The plans on the front by time (those within 0.1 % by memory), then the best plan of each other shape that fits, then shapes
/// that do not fit.
[[nodiscard]] std::vector<ShapeRow> shapeRows(const service::PlanAnswer &answer);

/// Returns the best plan of those in which pipeline, tensor, context or data ranks are more than any other, with their names:
/// the fastest that fits, else the one that needs least. What no row has is left out.
[[nodiscard]] std::vector<std::pair<QString, model::Experiment>> leadingWays(const std::vector<ShapeRow> &rows);

/// "8 devices × 4 tensor × 2 context × 2 replicas"; degrees of 1 are left out, except in a plan of one rank.
[[nodiscard]] QString shapeText(const model::ParallelPlan &plan);
/// "pipeline 8 · tensor 4 · replicas 2", short enough for a chip.
[[nodiscard]] QString shortShapeText(const model::ParallelPlan &plan);
/// "DualPipe-V · VOCAB-2 · full recomputation · ZeRO-1".
[[nodiscard]] QString methodsText(const model::Experiment &plan);
/// The methods of each row. Rows that would read alike also name the fields that tell them apart: "DualPipe · Chunks 4".
[[nodiscard]] QStringList methodsTexts(const std::vector<ShapeRow> &rows);

/// The share of the iteration in which a rank of the busiest device waits for exchanges, by dimension.
struct ExchangeShares {
    double tensor = 0;
    double context = 0;
    double replicas = 0;
    [[nodiscard]] double all() const { return tensor + context + replicas; }
};
[[nodiscard]] ExchangeShares exchangeShares(const simulate::Metrics &metrics);
/// "tensor 20 %, context 7 %, replicas 3 %"; empty if there is none.
[[nodiscard]] QString exchangesText(const ExchangeShares &shares);

/// What a training on some tokens takes.
struct TrainingCost {
    double days = 0;
    double gpuHours = 0;
    std::optional<double> money; ///< absent without a price
};
/// The price is of a GPU-hour; 0: unknown.
[[nodiscard]] std::optional<TrainingCost> trainingCost(const ShapeRow &row, double tokens, double price);

/// The name of the model's preset, also if only its vocabulary or sequence is another one.
[[nodiscard]] QString modelName(const model::ModelConfig &model);
/// Tokens a second: "8,192"; three significant digits of what is less than 100: "0.374".
[[nodiscard]] QString rateText(double perSecond);

/// Why the row is not the one to take: "needs 91 GiB of 80 GiB", "heads: ..."; empty for a plan that fits.
[[nodiscard]] QString obstacleText(const ShapeRow &row, std::optional<base::Bytes> limit);
/// How many plans were predicted, and how many were left out for which reason, a sentence a line.
[[nodiscard]] QString leftOutText(const service::PlanAnswer &answer);

} // namespace stagelens::ui
