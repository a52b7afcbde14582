// A checkpoint in the folder of a run: its description, its files with tensors, and what a session takes up of them. A checksum
// keeps accidents out, but no attacker: the target makes it right.
#include "engine/runtime/training/checkpoint.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/model/experiment_json.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/training/unsent_gradients.h"
#include "engine/schedule/families.h"
#include "tests/fuzz/support.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace stagelens;

namespace {

/// The first byte chooses what the others are; a description of version 1 begins with its own brace.
constexpr char kDescription = 'd'; ///< behind the checksum, which is its first member
constexpr char kPlain = '{';
constexpr std::string_view kParts = "pmvu"; ///< one of the files with tensors, in the order of kFiles
constexpr std::array<std::string_view, 4> kFiles{"parameters.safetensors", "first-moments.safetensors",
                                                 "second-moments.safetensors", runtime::kUnsentGradients};
constexpr std::string_view kBegin = R"({"checksum":")";

/// A session of the smallest model on two replicas that compress gradients, and the sound checkpoint of it whose files are
/// replaced.
struct Sound {
    std::unique_ptr<runtime::Session> session;
    std::string run = fuzz::scratchFolder() + "/run-1";
    std::string description; ///< behind the checksum
    std::array<std::string, kFiles.size()> files;

    Sound()
    {
        model::Experiment experiment;
        experiment.model.preset = "custom";
        experiment.model.layers = 1;
        experiment.model.hidden = 4;
        experiment.model.ffn = 4;
        experiment.model.heads = 1;
        experiment.model.kvHeads = 1;
        experiment.model.sequence = 2;
        experiment.model.vocabularySize = 4;
        experiment.parallel.devices = 1;
        experiment.parallel.microbatches = 1;
        experiment.parallel.replicas = 2;
        experiment.training.compression = {"sign", 0};
        experiment.training.mode = model::RunMode::VirtualClock;
        experiment = operators::resolved(experiment, 1);
        const auto schedule = schedule::makeSchedule(experiment);
        fuzz::require(schedule.ok(), "the fuzzers' plan has a schedule");
        auto opened = runtime::Session::open(experiment, *schedule, {});
        if (!opened)
            fuzz::require(false, opened.error().text());
        session = std::move(opened).value();
        fuzz::require(runtime::writeCheckpoint(run, *session, {9.5, 8.25}, {}).ok(), "a checkpoint is written");
        const std::string whole = read("checkpoint.json");
        description = whole.substr(kBegin.size() + base::hashText({}).size() + 2);
        for (std::size_t i = 0; i < kFiles.size(); ++i)
            files[i] = read(kFiles[i]);
    }
    [[nodiscard]] std::string read(std::string_view file) const
    {
        return base::readFile(fmt::format("{}/step-2/{}", run, file), 1 << 20).value();
    }
};

const Sound &sound()
{
    static const Sound kSound;
    return kSound;
}

void write(std::string_view file, std::string_view content)
{
    fuzz::writeScratch(fmt::format("run-1/step-2/{}", file), content);
}

void writeDescription(std::string_view behindChecksum)
{
    write("checkpoint.json", fmt::format("{}{}\",{}", kBegin, base::hashText(behindChecksum), behindChecksum));
}

void replacePart(std::size_t part, std::string_view content)
{
    std::string description = sound().description;
    const std::string former = base::hashText(sound().files[part]); // of moments, which begin alike, both
    description.replace(description.find(former, description.find(kFiles[part])), former.size(), base::hashText(content));
    write(kFiles[part], content);
    writeDescription(description);
}

void run(std::string_view input)
{
    static std::size_t replaced = std::string_view::npos;
    if (replaced != std::string_view::npos)
        write(kFiles[replaced], sound().files[replaced]);
    const char kind = input.empty() ? kPlain : input.front();
    replaced = kParts.find(kind);
    if (replaced != std::string_view::npos)
        replacePart(replaced, input.substr(1));
    else if (kind == kDescription)
        writeDescription(input.substr(1));
    else
        write("checkpoint.json", input);
    const auto checkpoint = runtime::newestCheckpoint(sound().run);
    if (!checkpoint)
        return fuzz::requireMessage(checkpoint.error());
    fuzz::require(checkpoint->steps() == 2, "a checkpoint has the steps that its folder says");
    if (!runtime::resumeProblems(*checkpoint, sound().session->plan().experiment).empty())
        return;
    if (const auto restored = runtime::restore(*checkpoint, *sound().session); !restored) {
        fuzz::require(kind == kParts.back(), "a checkpoint that was found sound is restored"); // ranks look into their own file
        fuzz::requireMessage(restored.error());
    }
}

/// The sound checkpoint's description with members replaced.
std::string changed(const nlohmann::json &members)
{
    auto document = nlohmann::ordered_json::parse('{' + sound().description);
    document.update(members);
    return kDescription + document.dump().substr(1);
}

fuzz::Seeds seeds()
{
    const auto plain = [](const std::string &losses, const std::string &experiment) {
        return R"({"stagelens":"checkpoint/1","steps":2,"losses":)" + losses + R"(,"experiment":)" + experiment + "}";
    };
    const std::string plan = model::toJson(model::Experiment{}).dump();
    model::Experiment marked;
    marked.model.preset = fuzz::hostileMarkup();
    marked.training.data = fuzz::hostileMarkup();
    fuzz::Seeds all{kDescription + sound().description,
                    plain("[9.5,8.25]", model::toJson(sound().session->plan().experiment).dump()),
                    plain("[9.5,8.25]", plan),
                    plain("[1e308,-1e308]", model::toJson(marked).dump()),
                    plain("[1e999,null]", plan),
                    plain("[9.5,8.25]", "{}"),
                    changed({{"updates", {-1, 2147483647}}}),
                    changed({{"parts", {{kFiles[0], fuzz::hostileMarkup()}}}}),
                    changed({{"parts", nullptr}})};
    for (std::size_t i = 0; i < kFiles.size(); ++i) {
        all.push_back(kParts[i] + sound().files[i]);
        std::string infinite = sound().files[i];
        infinite.replace(infinite.size() - 4, 4, std::string("\x00\x00\x80\xff", 4)); // -inf
        all.push_back(kParts[i] + infinite);
        all.push_back(kParts[i] + sound().files[(i + 1) % kFiles.size()]);
    }
    return all;
}

const fuzz::Registered kTarget{{"checkpoint", run, seeds, 500}};

} // namespace
