#include "app/cli/option_table.h"

#include "engine/base/count.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

namespace stagelens::cli {

namespace {

using base::concat;
using model::Experiment;

Fault setInteger(std::string_view text, int &target)
{
    const auto value = base::parseCount(text);
    if (!value)
        return concat("`", text, "` is not a whole number; write it as 32000, 32k or 32Ki");
    if (*value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max())
        return concat(text, " is beyond ", std::numeric_limits<int>::max(), "; choose a smaller size");
    target = static_cast<int>(*value);
    return {};
}

/// "85899345920", "80Gi", "80GiB" or "1.5 GiB".
Fault setBytes(std::string_view text, base::Bytes &target)
{
    constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    constexpr double kTooMany = 9e18;
    if (const auto whole = base::parseCount(text)) {
        target = *whole;
        return {};
    }
    std::string_view number = text;
    int power = 0;
    for (const auto &[unit, itsPower] : kUnits) {
        if (text.ends_with(unit)) {
            number = base::trim(text.substr(0, text.size() - unit.size()));
            power = itsPower;
        }
    }
    const auto value = base::parseNumber(number);
    if (!value || std::abs(std::ldexp(*value, power)) > kTooMany)
        return concat("`", text, "` is not a number of bytes; write it as 85899345920 or 80GiB");
    target = static_cast<base::Bytes>(std::ldexp(*value, power));
    return {};
}

Fault setNumber(std::string_view text, double &target)
{
    const auto value = base::parseNumber(text);
    if (!value)
        return concat("`", text, "` is not a number");
    target = *value;
    return {};
}

template <class Enum>
Fault setEnum(std::string_view text, Enum &target)
{
    const auto value = model::parse<Enum>(text);
    if (!value)
        return model::unknownWord(std::string(text), model::names<Enum>());
    target = *value;
    return {};
}

Fault setSeed(std::string_view text, std::uint64_t &target)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    if (error == std::errc() && end == text.data() + text.size())
        return {};
    const auto count = base::parseCount(text);
    if (!count || *count < 0)
        return concat("`", text, "` is not a whole number from 0 to ", std::numeric_limits<std::uint64_t>::max());
    target = static_cast<std::uint64_t>(*count);
    return {};
}

Fault setStageLayers(std::string_view text, std::vector<int> &target)
{
    target.clear();
    for (const std::string_view part : base::split(text, '/')) {
        if (Fault fault = setInteger(part, target.emplace_back()); !fault.empty())
            return fault + "; write the layers of each stage as 4/4/4/4";
    }
    return {};
}

Fault setBetas(std::string_view text, model::OptimizerChoice &optimizer)
{
    const auto parts = base::split(text, ',');
    if (parts.size() != 2)
        return concat("`", text, "` has ", parts.size(), " numbers; give two, such as 0.9,0.95");
    if (Fault fault = setNumber(parts[0], optimizer.beta1); !fault.empty())
        return fault;
    return setNumber(parts[1], optimizer.beta2);
}

Fault setClip(std::string_view text, std::optional<double> &clip)
{
    if (text == "off") {
        clip.reset();
        return {};
    }
    if (Fault fault = setNumber(text, clip.emplace()); !fault.empty())
        return fault + "; choose one, or off";
    return *clip > 0 ? Fault() : concat("is ", text, "; choose more than 0, or off");
}

Fault setUniform(std::string_view text, model::CostChoice &cost)
{
    model::UniformCosts uniform;
    if (const auto *before = std::get_if<model::UniformCosts>(&cost.source))
        uniform.per = before->per;
    for (const std::string_view part : base::split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return concat("`", part, "` is not a pass and its milliseconds; write F=1,B=2");
        const std::string key(base::trim(part.substr(0, equals)));
        if (uniform.milliseconds.contains(key))
            return concat(key, " stands twice; keep one");
        if (Fault fault = setNumber(base::trim(part.substr(equals + 1)), uniform.milliseconds[key]); !fault.empty())
            return concat(key, ": ", fault);
    }
    cost.source = std::move(uniform);
    return {};
}

bool isFolder(std::string_view text)
{
    std::error_code ignored;
    return std::filesystem::is_directory(text, ignored);
}

Fault setModel(std::string_view text, model::ModelConfig &target)
{
    const auto preset = model::modelPreset(text); // a folder may have a preset's name
    if (preset) {
        target = *preset;
        return {};
    }
    if (isFolder(text))
        return concat("is a folder; name ", (std::filesystem::path(text) / "config.json").string());
    if (text.find('/') == std::string_view::npos && !text.ends_with(".json"))
        return preset.error().problems.front().message;
    auto found = exchange::readHuggingFaceConfig(std::string(text));
    if (!found)
        return found.error().problems.front().message;
    target = std::move(found->shape);
    return {};
}

/// Devices, microbatches and vocabulary are the schedule's, unless options that come later say otherwise.
Fault setScheduleFile(std::string_view text, model::ScheduleChoice &schedule)
{
    if (text.empty())
        return "is empty; name a file";
    model::chooseFamily(schedule, model::kCustomFamily);
    schedule.file = text;
    schedule.text.clear();
    if (text != "-")
        return {};
    auto input = base::readStandardInput(model::kLargestDocument);
    if (!input)
        return input.error().text();
    if (input->empty())
        return "standard input is empty; it should hold a schedule";
    schedule.file.clear();
    schedule.text = model::documentText(*std::move(input));
    return {};
}

Fault setUniformPer(std::string_view text, model::CostChoice &cost)
{
    auto *uniform = std::get_if<model::UniformCosts>(&cost.source);
    return uniform != nullptr ? setEnum(text, uniform->per) : "is of uniform costs, and there are none; give --uniform too";
}

Fault setDurations(std::string_view text, model::CostChoice &cost)
{
    if (text == "-")
        return "may not be standard input, which is gone when the plan is read again; name a file";
    cost.source = model::DurationsFile{std::string(text)};
    return {};
}

constexpr Option kOptions[] = {
    {"--model", "PRESET|FILE", "Model", "model", "a preset (see `list models`) or a Hugging Face config.json",
     [](std::string_view t, Experiment &e) { return setModel(t, e.model); }},
    {"--family", "NAME", "Model", "model.family", "gpt or llama",
     [](std::string_view t, Experiment &e) { return setEnum(t, e.model.family); }},
    {"--layers", "L", "Model", "model.layers", "transformer layers",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.layers); }},
    {"--hidden", "h", "Model", "model.hidden", "hidden size",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.hidden); }},
    {"--heads", "a", "Model", "model.heads", "attention heads",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.heads); }},
    {"--kv-heads", "N", "Model", "model.kv_heads", "key and value heads (default: as many as heads)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.kvHeads); }},
    {"--head-dim", "N", "Model", "model.head_dim", "width of a head of a llama (default: h / a)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.headDim.emplace()); }},
    {"--ffn", "N", "Model", "model.ffn", "inner width of the MLP (default: 4h; llama 8h/3)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.ffn); }},
    {"--sequence", "s", "Model", "model.sequence", "tokens of a sequence",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.sequence); }},
    {"--vocabulary-size", "V", "Model", "model.vocabulary_size", "tokens of the vocabulary",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.model.vocabularySize); }},
    {"--dtype", "TYPE", "Model", "model.dtype", "fp32, bf16 or fp16",
     [](std::string_view t, Experiment &e) { return setEnum(t, e.model.dtype); }},

    {"--devices", "p", "Parallel", "parallel.devices", "pipeline devices",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.parallel.devices); }},
    {"--microbatches", "m", "Parallel", "parallel.microbatches", "microbatches of a step",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.parallel.microbatches); }},
    {"--microbatch-size", "b", "Parallel", "parallel.microbatch_size", "sequences of a microbatch",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.parallel.microbatchSize); }},
    {"--stage-layers", "4/4/...", "Parallel", "parallel.stage_layers", "layers of each stage",
     [](std::string_view t, Experiment &e) { return setStageLayers(t, e.parallel.stageLayers); }},

    {"--schedule", "FAMILY", "Schedule", "schedule.family", "see `list schedules`; auto searches them",
     [](std::string_view t, Experiment &e) {
         model::chooseFamily(e.schedule, t);
         return Fault();
     }},
    {"--schedule-file", "FILE", "Schedule", "schedule.file", "a custom schedule: Stagelens' text form, or a PyTorch CSV; - is standard input",
     [](std::string_view t, Experiment &e) { return setScheduleFile(t, e.schedule); }},
    {"--vocabulary", "METHOD", "Schedule", "schedule.vocabulary", "none, redis, vocab-naive, vocab-1 or vocab-2",
     [](std::string_view t, Experiment &e) {
         return setEnum(t, e.schedule.vocabulary);
     }},
    {"--vocabulary-order", "ORDER", "Schedule", "schedule.vocabulary_order", "published or best",
     [](std::string_view t, Experiment &e) { return setEnum(t, e.schedule.vocabularyOrder); }},
    {"--chunks", "v", "Schedule", "schedule.chunks", "stages of each device (interleaved families; 2)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.schedule.chunks.emplace()); }},
    {"--group-size", "g", "Schedule", "schedule.group_size", "microbatches through a chunk in turn (interleaved families; p)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.schedule.groupSize.emplace()); }},
    {"--waves", "w", "Schedule", "schedule.waves", "waves of hanayo, two chunks each (1)",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.schedule.waves.emplace()); }},
    {"--memory-limit", "BYTES", "Schedule", "schedule.memory_limit", "most memory of a device, such as 80GiB",
     [](std::string_view t, Experiment &e) { return setBytes(t, e.schedule.memoryLimit.emplace()); }},
    {"--recompute", "HOW", "Schedule", "schedule.recompute", "none, selective or full",
     [](std::string_view t, Experiment &e) { return setEnum(t, e.schedule.recompute); }},

    {"--hardware", "PRESET", "Cost", "cost.hardware", "see `list hardware`",
     [](std::string_view t, Experiment &e) {
         e.cost.source = model::HardwarePreset{std::string(t)};
         return Fault();
     }},
    {"--uniform", "F=1,B=2,...", "Cost", "cost.uniform", "milliseconds of each pass of one stage: F B I W S T U EF EB, of messages: send c0 c1 c2",
     [](std::string_view t, Experiment &e) { return setUniform(t, e.cost); }},
    {"--uniform-per", "WHAT", "Cost", "cost.per", "stage (each chunk takes the time given) or device (each of v chunks takes 1/v)",
     [](std::string_view t, Experiment &e) { return setUniformPer(t, e.cost); }},
    {"--durations", "FILE", "Cost", "cost.durations", "CSV with the header device,stage,pass,duration_us",
     [](std::string_view t, Experiment &e) { return setDurations(t, e.cost); }},
    {"--collectives", "HOW", "Cost", "cost.collectives", "overlapped or blocking",
     [](std::string_view t, Experiment &e) { return setEnum(t, e.cost.collectives); }},

    {"--backend", "NAME", "Training", "training.backend", "see `list backends`",
     [](std::string_view t, Experiment &e) {
         e.training.backend = t;
         return Fault();
     }},
    {"--mode", "MODE", "Training", "training.mode", "live or virtual-clock",
     [](std::string_view t, Experiment &e) {
         return setEnum(t, e.training.mode.emplace(model::RunMode::Live));
     }},
    {"--steps", "N", "Training", "training.steps", "training steps",
     [](std::string_view t, Experiment &e) { return setInteger(t, e.training.steps); }},
    {"--seed", "S", "Training", "training.seed", "of parameters, synthetic data and the places of a text's sequences",
     [](std::string_view t, Experiment &e) { return setSeed(t, e.training.seed); }},
    {"--data", "SOURCE", "Training", "training.data", "synthetic, a text file, a folder of texts or a .bin token file",
     [](std::string_view t, Experiment &e) {
         e.training.data = t;
         return Fault();
     }},
    {"--optimizer", "NAME", "Training", "training.optimizer.name", "adamw",
     [](std::string_view t, Experiment &e) {
         e.training.optimizer.name = t;
         return Fault();
     }},
    {"--lr", "RATE", "Training", "training.optimizer.lr", "learning rate",
     [](std::string_view t, Experiment &e) { return setNumber(t, e.training.optimizer.learningRate); }},
    {"--betas", "b1,b2", "Training", "training.optimizer.betas", "AdamW's two decay rates",
     [](std::string_view t, Experiment &e) { return setBetas(t, e.training.optimizer); }},
    {"--weight-decay", "RATE", "Training", "training.optimizer.weight_decay", "AdamW's decay of weights",
     [](std::string_view t, Experiment &e) { return setNumber(t, e.training.optimizer.weightDecay); }},
    {"--clip", "NORM|off", "Training", "training.optimizer.clip", "greatest norm of the whole gradient",
     [](std::string_view t, Experiment &e) { return setClip(t, e.training.optimizer.clip); }},
};

} // namespace

std::span<const Option> experimentOptions()
{
    return kOptions;
}

} // namespace stagelens::cli
