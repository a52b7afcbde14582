#include "engine/runtime/training/checkpoint_description.h"

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/model/experiment_json.h"
#include "engine/runtime/training/checkpoint_parts.h"
#include "engine/runtime/training/unsent_gradients.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace stagelens::runtime {

using base::Error;
using base::Result;
using model::Json;

namespace {

constexpr std::string_view kVersion = "checkpoint/2";
constexpr std::string_view kVersionWithoutChecksums = "checkpoint/1";

// The text of a description begins with the checksum of the rest.
constexpr std::string_view kChecksumBegin = R"({"checksum":")";
constexpr std::string_view kChecksumEnd = "\",";

std::string protectedText(const Json &description)
{
    const std::string rest = description.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1) + '\n';
    return fmt::format("{}{}{}{}", kChecksumBegin, base::hashText(rest), kChecksumEnd, rest);
}

/// Returns whether the text begins with a matching checksum.
bool isProtected(std::string_view text)
{
    const std::size_t digits = base::hashText({}).size();
    const std::size_t begin = kChecksumBegin.size() + digits + kChecksumEnd.size();
    return text.size() > begin && text.starts_with(kChecksumBegin) &&
           text.substr(kChecksumBegin.size() + digits).starts_with(kChecksumEnd) &&
           text.substr(kChecksumBegin.size(), digits) == base::hashText(text.substr(begin));
}

/// Parses a description; errors are reported as problems.
void readMembers(const Json &document, Checkpoint &found, std::string &version, std::int64_t &steps, base::Problems &problems)
{
    model::ObjectReader reader(document, "", problems);
    reader.require("stagelens", version);
    reader.require("steps", steps);
    reader.require("losses", found.losses);
    if (reader.find("experiment") == nullptr)
        reader.problem("experiment", "missing");
    if (version != kVersion)
        return;
    reader.require("updates", found.updates);
    found.secondUpdates = found.updates;
    if (reader.find("second_moment_updates") != nullptr)
        reader.require("second_moment_updates", found.secondUpdates);
    if (const Json *const scale = reader.find("loss_scale")) {
        LossScale &state = found.lossScale.emplace();
        model::ObjectReader members(*scale, "loss_scale", problems);
        members.require("factor", state.factor);
        members.require("clean_steps", state.cleanSteps);
        members.require("skipped", state.skipped);
        if (!(state.factor >= 1 && state.factor <= model::kLargestLossScale))
            reader.problem("loss_scale", "is not from 1 to 2^32");
    }
    const Json *parts = reader.find("parts");
    if (parts == nullptr || !parts->is_object())
        return reader.problem("parts", "missing");
    for (const auto &[file, checksum] : parts->items())
        if (std::string wrong = model::take(checksum, found.checksums[file]); !wrong.empty())
            reader.problem("parts", std::move(wrong));
}

} // namespace

Result<> writeDescription(const std::filesystem::path &folder, const model::Experiment &experiment,
                          const std::vector<double> &losses, const UpdateCounts &updates, const LossScale *lossScale,
                          const Json &checksums)
{
    Json description{{"stagelens", kVersion},  {"steps", losses.size()}, {"losses", losses},
                     {"updates", updates.all}, {"parts", checksums},     {"experiment", model::toJson(experiment)}};
    if (updates.ofSecondMoments != updates.all)
        description["second_moment_updates"] = updates.ofSecondMoments;
    if (lossScale != nullptr)
        description["loss_scale"] = {
            {"factor", lossScale->factor}, {"clean_steps", lossScale->cleanSteps}, {"skipped", lossScale->skipped}};
    return base::writeFile(folder / kCheckpointDescription, protectedText(description));
}

Result<Checkpoint> readDescription(const std::filesystem::path &folder, std::int64_t number)
{
    Checkpoint found;
    found.folder = folder;
    const std::string file = (folder / kCheckpointDescription).string();
    const auto text = base::readFile(file, model::kLargestDocument);
    if (!text)
        return text.error();
    const auto document = model::parseDocument(*text, file);
    if (!document)
        return document.error();
    base::Problems problems;
    std::string version;
    std::int64_t steps = 0;
    readMembers(*document, found, version, steps, problems);
    // Texts of old versions have neither a checksum nor a member of that name.
    const bool isUnchanged =
        document->contains("checksum") || version == kVersion ? isProtected(*text) : version == kVersionWithoutChecksums;
    const bool isSound = problems.empty() && isUnchanged && steps == number &&
                         static_cast<std::size_t>(steps) == found.losses.size() &&
                         std::ranges::all_of(found.losses, [](double loss) { return std::isfinite(loss); });
    const Error damage = Error::invalid(
        file, fmt::format("is not the description of a checkpoint after {} steps; it is damaged, restart the run", number));
    if (!isSound)
        return damage;
    auto plan = model::experimentFromJson((*document)["experiment"].dump(), file);
    if (!plan)
        return std::move(plan).error();
    found.experiment = *std::move(plan);
    for (base::Problem &problem : model::validate(found.experiment))
        if (problem.field.starts_with("model") || problem.field == "training.optimizer.name")
            return Error::invalid(file, fmt::format("has an invalid experiment: {} {}", problem.field, problem.message));
    const std::vector<CheckpointPart> parts = partsOf(found.experiment);
    const bool isWhole =
        std::ranges::all_of(parts, [&](const CheckpointPart &part) { return found.checksums.contains(part.file); }) &&
        (!keepsUnsent(found.experiment) || found.checksums.contains(kUnsentGradients));
    return version != kVersion || isWhole ? Result<Checkpoint>(std::move(found)) : damage;
}

} // namespace stagelens::runtime
