// What a person reads: problems on stderr, figures as tables.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/simulate/metrics.h"
#include "engine/store/run_record.h"
#include "engine/timeline/timeline.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace stagelens::cli {

/// Every problem, one a line, on stderr; the exit status that the error's kind has.
int fail(const base::Error &error);
/// Writes a JSON document to stdout, and nothing else.
void printJson(const nlohmann::ordered_json &document);

/// Formats the value of a document's field for a table. A custom schedule is shown by its first line, its length and its hash.
[[nodiscard]] std::string fieldText(const std::string &field, const nlohmann::ordered_json &value);
/// "1f1b, vocab-2, 4 devices x 16 microbatches, gpt-demo".
[[nodiscard]] std::string planText(const model::Experiment &experiment);
/// The run's name, or "1f1b · vocab-2 · 4x16 · V 8192" if it has none.
[[nodiscard]] std::string runTitle(const store::RunSummary &run);
/// The exact word for how times came about: "Predicted", "Measured live", "Virtual clock (each pass measured alone, concurrency
/// simulated)".
[[nodiscard]] std::string provenanceText(timeline::Provenance provenance);

/// The figures of a plan, then a line for each device. `averageEvery`: ParallelPlan::syncEvery.
void printMetrics(std::ostream &out, const simulate::Metrics &metrics, const timeline::Timeline &timeline, int averageEvery);

} // namespace stagelens::cli
