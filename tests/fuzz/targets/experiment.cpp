// Experiment documents, as people exchange them.
#include "engine/model/experiment_json.h"
#include "tests/fuzz/support.h"

#include <nlohmann/json.hpp>

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    const auto experiment = model::experimentFromJson(input, "input");
    if (!experiment)
        return fuzz::requireMessage(experiment.error());
    (void)model::validate(*experiment);
    const std::string text = model::toJson(*experiment).dump();
    const auto again = model::experimentFromJson(text, "again");
    fuzz::require(again.ok() && *again == *experiment, "an experiment comes back as it was written");
}

fuzz::Seeds seeds()
{
    model::Experiment custom;
    custom.schedule.family = model::kCustomFamily;
    custom.schedule.text = "schedule custom devices 1 microbatches 1\n0: F0 B0\n";
    custom.cost.source = model::UniformCosts{{{"F", 1.0}, {"B", 2.0}, {"send", 0.25}}};
    custom.parallel.stageLayers = {1, 2, 3, 2};
    const std::string begin = R"({"stagelens":"experiment/1",)";
    const std::string &markup = fuzz::hostileMarkup();
    return {model::toJson(model::Experiment{}).dump(),
            model::toJson(custom).dump(),
            begin + R"("model":{"preset":")" + markup + "\"}}",
            begin + R"("cost":{"hardware":")" + markup + "\"}}",
            begin + R"("training":{"data":")" + markup + "\"}}",
            begin + R"("schedule":{"file":"/dev/zero"}})",
            begin + R"("parallel":{"devices":2147483647,"microbatches":2147483647,"stage_layers":[2147483647,-1]}})",
            begin + R"("model":{"layers":65536,"hidden":16777216,"heads":1,"vocabulary_size":2147483647}})"};
}

const fuzz::Registered kTarget{{"experiment", run, seeds}};

} // namespace
