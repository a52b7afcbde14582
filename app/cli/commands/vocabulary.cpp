// `vocabulary`: what a smaller vocabulary saves, and what the text at hand would make of it.
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/search_watch.h"
#include "app/cli/table.h"
#include "engine/base/text.h"
#include "engine/service/machine/environment.h"
#include "engine/service/search/smaller_vocabulary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace stagelens::cli {

namespace {

using nlohmann::ordered_json;
using service::VocabularySize;
using service::VocabularySizes;

ordered_json documentOf(const VocabularySizes &sizes)
{
    const auto orNull = [](const auto &value) { return value ? ordered_json(*value) : ordered_json(); };
    ordered_json rows = ordered_json::array();
    for (const VocabularySize &each : sizes.rows) {
        ordered_json row{{"vocabulary_size", each.use.size},
                         {"covered", each.use.covered},
                         {"tokens", orNull(each.use.tokens)},
                         {"iteration_ns", orNull(each.iteration)},
                         {"peak_memory_bytes", orNull(each.peakMemory)},
                         {"text_time", orNull(each.textTime)}};
        for (const base::Problem &problem : each.refusal)
            row["problems"].push_back({{"field", problem.field}, {"message", problem.message}});
        rows.push_back(std::move(row));
    }
    return {{"stagelens", "vocabulary/1"},
            {"tokens", sizes.use.tokens},
            {"tokens_used", sizes.use.used},
            {"whole", sizes.use.isWhole},
            {"sizes", std::move(rows)}};
}

void printSizes(std::ostream &out, const model::Experiment &experiment, const VocabularySizes &sizes)
{
    out << fmt::format("{}: {} of {} tokens occur in {} tokens{}.\n\n", experiment.training.data, sizes.use.used,
                       sizes.rows.front().use.size, sizes.use.tokens, sizes.use.isWhole ? "" : ", the beginning of the data");
    Table table({"vocabulary", "covers", "tokens", "iteration", "fullest device", "same text"});
    const auto times = [](double factor) { return fmt::format("{:.2f}x", factor); };
    const std::optional<std::int64_t> whole = sizes.rows.front().use.tokens;
    for (const VocabularySize &row : sizes.rows)
        table.add({std::to_string(row.use.size), percentText(row.use.covered),
                   row.use.tokens && whole && *whole > 0
                       ? times(static_cast<double>(*row.use.tokens) / static_cast<double>(*whole))
                       : "-",
                   row.iteration ? timeText(*row.iteration) : "impossible",
                   row.peakMemory ? base::bytesText(*row.peakMemory) : "-", row.textTime ? times(*row.textTime) : "-"});
    table.print(out);
    out << "\ncovers: share of the data's tokens that are among that many of the most frequent ones.\n";
    if (whole)
        out << "tokens: of the same text, if its tokenizer had that many. same text: time to train on it.\n";
    out << "Predicted. Each smaller vocabulary is another model, whose loss per token cannot be compared.\n";
}

int vocabulary(const ExperimentArguments &arguments, bool json)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return fail(experiment.error());
    SearchWatch watch;
    const auto sizes = service::smallerVocabularies(*experiment, service::machineCores(), watch.options());
    if (!sizes)
        return fail(underOptions(sizes.error(), arguments));
    if (json)
        printJson(documentOf(*sizes));
    else
        printSizes(std::cout, *experiment, *sizes);
    return kDone;
}

} // namespace

void addVocabulary(CLI::App &app, Action &chosen)
{
    CLI::App *command =
        app.add_subcommand("vocabulary", "show what a smaller vocabulary saves and how many more tokens a text has with it");
    const auto arguments = addExperimentArguments(*command);
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return vocabulary(*arguments, *json); }; });
}

} // namespace stagelens::cli
