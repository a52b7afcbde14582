// `compare`: two runs or experiments side by side.
#include "app/cli/commands/commands.h"
#include "app/cli/report.h"
#include "app/cli/subject.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/service/search/equal_work.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTokens = "tokens_per_second";

/// A figure of both sides; absent where it is unknown.
struct Figure {
    std::string_view name;
    std::optional<double> a;
    std::optional<double> b;
    std::string (*text)(double);
};

std::string wholeBytesText(double bytes)
{
    return base::bytesText(static_cast<base::Bytes>(bytes));
}

std::optional<double> greatest(const std::vector<base::Bytes> &values)
{
    if (values.empty())
        return std::nullopt;
    return static_cast<double>(*std::max_element(values.begin(), values.end()));
}

/// Figures of a token lead where the plans do different work.
std::vector<Figure> figuresOf(const Subject &first, const Subject &second)
{
    const simulate::Metrics &a = first.metrics;
    const simulate::Metrics &b = second.metrics;
    const auto time = [](base::Nanos nanos) { return static_cast<double>(nanos); };
    std::vector<Figure> figures{{"iteration_ns", time(a.iteration), time(b.iteration), nanosText},
                                {"makespan_ns", time(a.makespan), time(b.makespan), nanosText},
                                {"bubble_ratio", a.bubbleRatio, b.bubbleRatio, percentText},
                                {kTokens, a.tokensPerSecond, b.tokensPerSecond, countText},
                                {"mfu", a.mfu, b.mfu, percentText},
                                {"peak_memory_bytes", greatest(a.peakMemory), greatest(b.peakMemory), wholeBytesText}};
    if (!service::workDifference(first.experiment, second.experiment).empty())
        std::ranges::stable_partition(figures, [](const Figure &figure) { return figure.name == kTokens; });
    return figures;
}

/// Device-time of each pass kind, then of the optimizer and of waiting. All devices together; parts add up to devices x
/// iteration.
struct TimeShare {
    std::string name;
    base::Nanos time = 0;
};
std::vector<TimeShare> timeShares(const timeline::Timeline &timeline)
{
    std::array<base::Nanos, schedule::kPassKindCount> byKind{};
    base::Nanos tail = 0;
    base::Nanos busy = 0;
    for (const timeline::Lane &lane : timeline.lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i) {
            byKind[static_cast<std::size_t>(lane.pass[i].kind)] += lane.end[i] - lane.begin[i];
            busy += lane.end[i] - lane.begin[i];
        }
        tail += lane.tailEnd - lane.tailBegin;
    }
    for (base::Nanos &time : byKind) // of a step
        time /= timeline.iterations;
    busy /= timeline.iterations;
    std::vector<TimeShare> shares;
    for (std::size_t kind = 0; kind < byKind.size(); ++kind)
        shares.push_back({std::string(schedule::name(static_cast<schedule::PassKind>(kind))), byKind[kind]});
    shares[static_cast<std::size_t>(schedule::PassKind::O)].time += tail;
    shares.push_back({"idle", timeline.devices() * timeline.iteration() - busy - tail});
    return shares;
}

/// Members that differ, by their path. Objects are walked, everything else is compared whole.
void addDifferences(const Json &a, const Json &b, const std::string &path, Json &differences)
{
    if (!a.is_object() || !b.is_object()) {
        if (a != b)
            differences.push_back({{"field", path}, {"a", a}, {"b", b}});
        return;
    }
    const auto member = [](const Json &object, const std::string &key) {
        return object.contains(key) ? object.at(key) : Json();
    };
    const auto walk = [&](const std::string &key) {
        addDifferences(member(a, key), member(b, key), path.empty() ? key : path + '.' + key, differences);
    };
    for (const auto &[key, value] : a.items())
        walk(key);
    for (const auto &[key, value] : b.items()) {
        if (!a.contains(key))
            walk(key);
    }
}

Json differencesOf(const Subject &a, const Subject &b)
{
    Json differences = Json::array();
    addDifferences(model::toJson(a.experiment), model::toJson(b.experiment), "", differences);
    if (a.run && b.run)
        addDifferences(Json(a.run->environment), Json(b.run->environment), "environment", differences);
    return differences;
}

Json comparisonJson(const Subject &a, const Subject &b)
{
    const auto side = [](const Subject &subject) {
        return Json{{"label", subject.label}, {"kind", timeline::name(subject.timeline->provenance)}};
    };
    const auto orNull = [](const std::optional<double> &value) { return value ? Json(*value) : Json(); };
    const std::string different = service::workDifference(a.experiment, b.experiment);
    Json metrics = Json::object();
    for (const Figure &figure : figuresOf(a, b))
        metrics[std::string(figure.name)] = {{"a", orNull(figure.a)}, {"b", orNull(figure.b)}};
    Json time = Json::object();
    const auto sharesA = timeShares(*a.timeline);
    const auto sharesB = timeShares(*b.timeline);
    for (std::size_t i = 0; i < sharesA.size(); ++i)
        time[sharesA[i].name] = {{"a_ns", sharesA[i].time}, {"b_ns", sharesB[i].time}};
    return {{"stagelens", "comparison/1"},
            {"a", side(a)},
            {"b", side(b)},
            {"work_difference", different.empty() ? Json() : Json(different)},
            {"parameters", differencesOf(a, b)},
            {"metrics", std::move(metrics)},
            {"device_time", std::move(time)}};
}

/// Relative change; of shares the difference in percentage points.
std::string changeText(const Figure &figure)
{
    if (!figure.a || !figure.b)
        return "-";
    const bool share = figure.text == percentText;
    if (!share && *figure.a == 0)
        return "-";
    const double change = (share ? *figure.b - *figure.a : *figure.b / *figure.a - 1) * 100;
    return (change > 0 ? "+" : "") + base::fixedText(change, 1) + (share ? " points" : " %");
}

void print(const Subject &a, const Subject &b)
{
    constexpr std::size_t kWidestLabel = 80;
    std::cout << "A: " << base::printable(a.label, kWidestLabel) << ", " << provenanceText(a.timeline->provenance) << '\n'
              << "B: " << base::printable(b.label, kWidestLabel) << ", " << provenanceText(b.timeline->provenance) << "\n\n";
    const auto word = [](const Json &row, const char *side) {
        return row[side].is_null() ? "-" : fieldText(row["field"], row[side]);
    };
    const Json differences = differencesOf(a, b);
    Table parameters({"differs", "A", "B"});
    for (const Json &row : differences)
        parameters.add({row["field"], word(row, "a"), word(row, "b")});
    if (differences.empty())
        std::cout << "the plans are the same\n";
    else
        parameters.print(std::cout);

    const std::string different = service::workDifference(a.experiment, b.experiment);
    Table metrics({"metric", "A", "B", "B against A"});
    for (const Figure &figure : figuresOf(a, b)) {
        const auto cell = [&](const std::optional<double> &value) { return value ? figure.text(*value) : "-"; };
        const bool isRanked = different.empty() || figure.name == kTokens;
        metrics.add({std::string(figure.name), cell(figure.a), cell(figure.b), isRanked ? changeText(figure) : "-"});
    }
    std::cout << '\n';
    metrics.print(std::cout);

    Table time({"device-time", "A", "B", "B minus A"});
    const auto sharesA = timeShares(*a.timeline);
    const auto sharesB = timeShares(*b.timeline);
    for (std::size_t i = 0; i < sharesA.size(); ++i) {
        if (sharesA[i].time != 0 || sharesB[i].time != 0)
            time.add({sharesA[i].name, timeText(sharesA[i].time), timeText(sharesB[i].time),
                      timeText(sharesB[i].time - sharesA[i].time)});
    }
    std::cout << '\n';
    time.print(std::cout);
    if (!different.empty())
        std::cout << "\nA and B are not the same work: " << different << ". Compare tokens per second.\n";
    if (a.timeline->provenance != b.timeline->provenance)
        std::cout << "\nA and B are different kinds of figures; their difference is no measurement.\n";
}

/// Two documents are read, so each problem says which of them has it.
base::Error inDocument(base::Error error, const std::string &document)
{
    for (base::Problem &problem : error.problems)
        if (problem.field != document)
            problem.field = problem.field.empty() ? document : document + ": " + problem.field;
    return error;
}

int compare(const std::vector<std::string> &operands, const std::string &database, bool asJson)
{
    std::vector<Subject> subjects;
    int status = kDone;
    for (const std::string &operand : operands) {
        auto subject = subjectOf({.file = operand, .given = {}}, database);
        if (subject)
            subjects.push_back(*std::move(subject));
        else
            status = std::max(status, fail(runNumber(operand) ? subject.error() : inDocument(subject.error(), operand)));
    }
    if (status != kDone)
        return status;
    if (asJson)
        printJson(comparisonJson(subjects[0], subjects[1]));
    else
        print(subjects[0], subjects[1]);
    return kDone;
}

} // namespace

void addCompare(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("compare", "two stored runs or experiment files side by side");
    const auto operands = std::make_shared<std::vector<std::string>>();
    const auto database = addDatabaseOption(*command);
    const auto asJson = std::make_shared<bool>(false);
    command->add_option("A B", *operands, "numbers of runs, or experiment files")->required()->expected(2)->check(notEmpty());
    command->add_flag("--json", *asJson, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return compare(*operands, *database, *asJson); }; });
}

} // namespace stagelens::cli
