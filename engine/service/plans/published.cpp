#include "engine/service/plans/published.h"

#include "engine/base/file.h"
#include "engine/model/experiment_json.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"
#include "engine/operators/stage_layers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagelens::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr base::Bytes kLargestFile = 1 << 20;

base::Error unreadable(const std::filesystem::path &file, const std::string &why)
{
    return base::Error::failed(fmt::format("is no file of published results: {}", why), file.string());
}

/// What identifies a plan.
model::Experiment identityOf(model::Experiment experiment)
{
    experiment.model.preset = "custom";
    experiment.training = {};
    return experiment;
}

base::Result<std::vector<PublishedResult>> resultsOf(const Json &json, const std::filesystem::path &file)
{
    if (!json.is_object() || json.value("stagelens", "") != "published/1" || !json.contains("experiment") ||
        !json.contains("results") || !json["results"].is_array())
        return unreadable(file, "it is not 'published/1' with an experiment and results");
    const auto plan = model::experimentFromJson(json["experiment"].dump(), file.string());
    if (!plan)
        return plan.error();
    std::vector<PublishedResult> results;
    for (const Json &entry : json["results"]) {
        const auto method =
            model::parse<model::VocabularyMethod>(entry.is_object() ? entry.value("vocabulary", "") : std::string());
        if (!method || !entry.contains("iteration_ms") || !entry["iteration_ms"].is_number())
            return unreadable(file, fmt::format("result {} has no method or no time", results.size()));
        model::Experiment experiment = *plan;
        experiment.schedule.family = entry.value("family", "1f1b");
        experiment.schedule.vocabulary = *method;
        experiment.model.vocabularySize = entry.value("vocabulary_size", experiment.model.vocabularySize);
        if (const base::Problems problems = model::validate(experiment); !problems.empty())
            return unreadable(file, problems.front().message);
        results.push_back({operators::resolved(experiment, 1),
                           static_cast<base::Nanos>(std::llround(entry["iteration_ms"].get<double>() * 1e6)),
                           base::Bytes{entry.value("peak_memory_mib", 0)} << 20, json.value("source", "")});
    }
    return results;
}

base::Result<std::vector<PublishedResult>> readResults(const std::filesystem::path &file)
{
    const auto text = base::readFile(file, kLargestFile);
    if (!text)
        return text.error();
    try {
        const auto json = model::parseJson(*text, file.string());
        return json ? resultsOf(*json, file) : json.error();
    } catch (const Json::exception &error) { // a member of another type
        return unreadable(file, error.what());
    }
}

base::Result<std::vector<PublishedResult>> readAll()
{
    std::vector<PublishedResult> all;
    std::vector<std::filesystem::path> files;
    std::error_code error;
    const std::filesystem::path folder = base::resourceFolder() / "published";
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        if (entry->path().extension() == ".json")
            files.push_back(entry->path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path &file : files) {
        auto results = readResults(file);
        if (!results)
            return results.error();
        all.insert(all.end(), results->begin(), results->end());
    }
    return all;
}

} // namespace

const base::Result<std::vector<PublishedResult>> &publishedResults()
{
    static const base::Result<std::vector<PublishedResult>> kResults = readAll();
    return kResults;
}

const PublishedResult *publishedFor(const model::Experiment &experiment)
{
    const auto &results = publishedResults();
    if (!results)
        return nullptr;
    const model::Experiment plan = identityOf(experiment);
    const auto found = std::find_if(results->begin(), results->end(),
                                    [&](const PublishedResult &one) { return identityOf(one.experiment) == plan; });
    return found == results->end() ? nullptr : &*found;
}

} // namespace stagelens::service
