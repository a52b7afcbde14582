// The description of a checkpoint, in the folder of a run.
#include "engine/runtime/checkpoint.h"
#include "engine/model/experiment_json.h"
#include "tests/fuzz/support.h"

#include <filesystem>
#include <nlohmann/json.hpp>

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    static const std::string kFolder = [] {
        std::filesystem::create_directories(fuzz::scratchFolder() + "/run-1/step-2");
        return fuzz::scratchFolder() + "/run-1";
    }();
    fuzz::writeScratch("run-1/step-2/checkpoint.json", input);
    const auto checkpoint = runtime::newestCheckpoint(kFolder);
    if (!checkpoint)
        return fuzz::requireMessage(checkpoint.error());
    fuzz::require(checkpoint->steps() == 2, "a checkpoint has the steps that its folder says");
    (void)runtime::resumeProblems(*checkpoint, model::Experiment{});
}

fuzz::Seeds seeds()
{
    const auto description = [](const std::string &version, const std::string &losses, const std::string &experiment) {
        return R"({"stagelens":")" + version + R"(","steps":2,"losses":)" + losses + R"(,"experiment":)" + experiment + "}";
    };
    const std::string plan = model::toJson(model::Experiment{}).dump();
    model::Experiment marked;
    marked.model.preset = fuzz::hostileMarkup();
    marked.training.data = fuzz::hostileMarkup();
    return {description("checkpoint/1", "[9.5,8.25]", plan), description("checkpoint/2", "[9.5,8.25]", plan),
            description("checkpoint/1", "[1e308,-1e308]", model::toJson(marked).dump()),
            description("checkpoint/1", "[1e999,null]", plan), description("checkpoint/1", "[9.5,8.25]", "{}")};
}

const fuzz::Registered kTarget{{"checkpoint", run, seeds, 1000}};

} // namespace
