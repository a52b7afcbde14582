// The Pareto front of `--schedule auto`, for people and programs.
#pragma once

#include "engine/service/search/schedule_search.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace stagelens::cli {

/// The "front" member: a plan each, the fastest first.
[[nodiscard]] nlohmann::ordered_json frontJson(const service::SearchResult &search);
/// The same as a table, with the choice marked, and a line about what was not tried.
void printFront(std::ostream &out, const service::SearchResult &search);
/// "zb-v, vocabulary vocab-2": the choice in a few words.
[[nodiscard]] std::string choiceText(const model::ScheduleChoice &choice);

} // namespace stagelens::cli
