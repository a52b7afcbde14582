#include "ui/state/fields.h"

#include "engine/base/count.h"
#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/schedule/families.h"
#include "ui/state/field_makers.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::Experiment;

namespace {

/// As integer(), of the model: the preset is left, and GPT's derived widths follow while they still stand in their proportion.
Field modelSize(const QString &id, const QString &caption, const QString &option, const QString &tip,
                std::function<int &(Experiment &)> access)
{
    Field made = integer(id, caption, option, tip, access);
    made.setValue = [access](Experiment &experiment, const QVariant &value) {
        model::ModelConfig &shape = experiment.model;
        const bool proportional = shape.family == model::ModelFamily::Gpt && shape.ffn == 4LL * shape.hidden;
        const bool allHeads = shape.kvHeads == shape.heads;
        const int ffnBefore = shape.ffn;
        const std::pair widthsBefore(shape.hidden, shape.heads);
        access(experiment) = value.toInt();
        if (proportional && shape.ffn == ffnBefore && shape.hidden < 1'000'000)
            shape.ffn = 4 * shape.hidden;
        if (allHeads)
            shape.kvHeads = shape.heads;
        if (widthsBefore != std::pair(shape.hidden, shape.heads))
            shape.headDim.reset();
        shape.preset = "custom";
    };
    made.applies = hasModel;
    return made;
}

void addArchitecture(std::vector<Field> &all)
{
    Field family = choice(
        u"model.family"_s, u"Architecture"_s, u"--family"_s, u"What a layer is made of."_s,
        {{u"gpt"_s, u"GPT-2"_s, u"Learned positions, LayerNorm, GELU, biases"_s},
         {u"llama"_s, u"Llama"_s, u"Rotary positions, RMSNorm, SwiGLU, grouped-query attention"_s}},
        [](const Experiment &experiment) { return qtText(model::name(experiment.model.family)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.model.family = model::parse<model::ModelFamily>(name).value_or(model::ModelFamily::Gpt);
            experiment.model.headDim.reset();
            if (experiment.model.family == model::ModelFamily::Gpt)
                experiment.model.kvHeads = experiment.model.heads; // GPT-2 has no groups
            experiment.model.preset = "custom";
        });
    family.applies = hasModel;
    all.push_back(std::move(family));
}

void addNumberFormat(std::vector<Field> &all)
{
    Field format = choice(
        u"model.dtype"_s, u"Number format"_s, u"--dtype"_s,
        u"Of weights and activations in the plan; the CPU computes in fp32, GPUs in fp32 and bf16."_s,
        {{u"fp32"_s, u"fp32"_s, {}}, {u"bf16"_s, u"bf16"_s, {}}, {u"fp16"_s, u"fp16"_s, {}}},
        [](const Experiment &experiment) { return qtText(model::name(experiment.model.dtype)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.model.dtype = model::parse<model::DataType>(name).value_or(model::DataType::Fp32);
            experiment.model.preset = "custom";
        });
    format.applies = hasModel;
    all.push_back(std::move(format));
}

void addModelFields(std::vector<Field> &all)
{
    std::vector<Choice> presets;
    if (const auto found = model::modelPresets(); found.ok()) {
        for (const model::ModelPreset &preset : *found)
            presets.push_back({qtText(preset.model.preset), qtText(preset.model.preset), qtText(preset.description)});
        // The one that trains on a desk first.
        std::stable_partition(presets.begin(), presets.end(), [](const Choice &one) { return one.value.endsWith(u"-demo"_s); });
    }
    presets.push_back({u"custom"_s, u"Custom"_s, u"A model whose sizes were changed by hand"_s});
    presets.push_back({QString(), u"None (teaching units)"_s, u"One layer a stage and durations by hand"_s});
    all.push_back(choice(
        u"model.preset"_s, u"Model"_s, u"--model"_s, u"The model that is trained."_s, std::move(presets),
        [](const Experiment &experiment) { return experiment.hasModel ? qtText(experiment.model.preset) : QString(); },
        [](Experiment &experiment, const std::string &name) {
            if (name.empty()) {
                experiment.hasModel = false;
                if (!std::holds_alternative<model::UniformCosts>(experiment.cost.source))
                    experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Device};
                return;
            }
            experiment.hasModel = true;
            experiment.parallel.stageLayers.clear();
            if (const auto preset = model::modelPreset(name); preset.ok())
                experiment.model = *preset;
        }));
    addArchitecture(all);
    all.push_back(modelSize(u"model.layers"_s, u"Layers"_s, u"--layers"_s, u"Transformer layers."_s,
                            [](Experiment &experiment) -> int & { return experiment.model.layers; }));
    all.push_back(modelSize(u"model.hidden"_s, u"Hidden width"_s, u"--hidden"_s, u"Width of the residual stream."_s,
                            [](Experiment &experiment) -> int & { return experiment.model.hidden; }));
    all.push_back(modelSize(u"model.heads"_s, u"Heads"_s, u"--heads"_s,
                            u"Attention heads; they divide the hidden width unless the width of a head is given."_s,
                            [](Experiment &experiment) -> int & { return experiment.model.heads; }));
    Field keyValue = modelSize(u"model.kv_heads"_s, u"Key/value heads"_s, u"--kv-heads"_s,
                               u"Heads of keys and values; they divide the heads."_s,
                               [](Experiment &experiment) -> int & { return experiment.model.kvHeads; });
    keyValue.setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.model.kvHeads = value.toInt();
        experiment.model.preset = "custom";
    };
    keyValue.applies = [](const Experiment &experiment) {
        return experiment.hasModel && experiment.model.family == model::ModelFamily::Llama;
    };
    all.push_back(std::move(keyValue));
    Field headWidth = integer(u"model.head_dim"_s, u"Width of a head"_s, u"--head-dim"_s,
                              u"Channels of one head, an even number; 0: hidden width / heads."_s, {});
    headWidth.value = [](const Experiment &experiment) { return QVariant(experiment.model.headDim.value_or(0)); };
    headWidth.setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.model.headDim = value.toInt() == 0 ? std::nullopt : std::optional(value.toInt());
        experiment.model.preset = "custom";
    };
    headWidth.applies = [](const Experiment &experiment) { // also where a file gives it to GPT, which is refused at this field
        return experiment.hasModel && (experiment.model.family == model::ModelFamily::Llama || experiment.model.headDim);
    };
    headWidth.zero = u"hidden / heads"_s;
    all.push_back(std::move(headWidth));
    all.push_back(modelSize(u"model.ffn"_s, u"Inner width"_s, u"--ffn"_s, u"Inner width of the MLP."_s,
                            [](Experiment &experiment) -> int & { return experiment.model.ffn; }));
    all.push_back(modelSize(u"model.sequence"_s, u"Sequence length"_s, u"--sequence"_s, u"Tokens of one sequence."_s,
                            [](Experiment &experiment) -> int & { return experiment.model.sequence; }));
    Field vocabulary = modelSize(u"model.vocabulary_size"_s, u"Vocabulary size"_s, u"--vocabulary-size"_s,
                                 u"Tokens in the vocabulary: what the output layer's work grows with."_s,
                                 [](Experiment &experiment) -> int & { return experiment.model.vocabularySize; });
    vocabulary.kind = Field::Kind::Size;
    for (const int size : {2048, 8192, 32768, 65536, 131072, 262144})
        vocabulary.choices.push_back({QString::number(size), countText(size), {}});
    all.push_back(std::move(vocabulary));
    Field tied{u"model.tied"_s,
               u"Tied embeddings"_s,
               u"--tied"_s,
               u"Input embedding and output layer share one matrix."_s,
               Field::Kind::Flag,
               [](const Experiment &experiment) { return QVariant(experiment.model.tied); },
               [](Experiment &experiment, const QVariant &value) {
                   experiment.model.tied = value.toBool();
                   experiment.model.preset = "custom";
               }};
    tied.applies = hasModel;
    all.push_back(std::move(tied));
    addNumberFormat(all);
}

/// "2/2/2/2"; a word that is no number becomes -1, which the validation refuses.
std::vector<int> layersFromText(const QString &text)
{
    std::vector<int> layers;
    const QStringList words = text.trimmed().isEmpty() ? QStringList() : text.split(u'/');
    for (const QString &word : words) {
        const auto count = base::parseCount(utf8(word));
        layers.push_back(count && std::in_range<int>(*count) ? static_cast<int>(*count) : -1);
    }
    return layers;
}

void addPlanFields(std::vector<Field> &all)
{
    all.push_back(integer(u"parallel.devices"_s, u"Devices"_s, u"--devices"_s, u"Pipeline devices; each holds one stage."_s,
                          [](Experiment &experiment) -> int & { return experiment.parallel.devices; }));
    all.back().setValue = [](Experiment &experiment, const QVariant &value) {
        // A cut of the layers holds for one number of stages only.
        experiment.parallel.stageLayers.clear();
        experiment.parallel.devices = value.toInt();
    };
    all.push_back(integer(u"parallel.microbatches"_s, u"Microbatches"_s, u"--microbatches"_s,
                          u"Microbatches of one iteration."_s,
                          [](Experiment &experiment) -> int & { return experiment.parallel.microbatches; }));
    all.push_back(integer(u"parallel.microbatch_size"_s, u"Microbatch size"_s, u"--microbatch-size"_s,
                          u"Sequences of one microbatch."_s,
                          [](Experiment &experiment) -> int & { return experiment.parallel.microbatchSize; }));
    Field cut{u"parallel.stage_layers"_s,
              u"Layers of each stage"_s,
              u"--stage-layers"_s,
              u"Such as 2/2/2/2; empty: as even as possible."_s,
              Field::Kind::Text,
              [](const Experiment &experiment) {
                  QStringList words;
                  for (const int layers : experiment.parallel.stageLayers)
                      words << QString::number(layers);
                  return QVariant(words.join(u'/'));
              },
              [](Experiment &experiment, const QVariant &value) {
                  experiment.parallel.stageLayers = layersFromText(value.toString());
              }};
    cut.applies = hasModel;
    all.push_back(std::move(cut));
}

/// A duration of the teaching units.
Field uniformField(const QString &key, const QString &caption)
{
    const std::string name = utf8(key);
    Field made = real(
        u"cost.uniform."_s + key, caption, u"--uniform "_s + key + u"="_s, u"Milliseconds; one millisecond is one unit."_s,
        [name](const Experiment &experiment) {
            const auto &costs = std::get<model::UniformCosts>(experiment.cost.source).milliseconds;
            const auto found = costs.find(name);
            return found == costs.end() ? 0.0 : found->second;
        },
        [name](Experiment &experiment, double value) {
            std::get<model::UniformCosts>(experiment.cost.source).milliseconds[name] = value;
        });
    made.applies = [](const Experiment &experiment) {
        return std::holds_alternative<model::UniformCosts>(experiment.cost.source);
    };
    return made;
}

void setCosts(Experiment &experiment, const std::string &name)
{
    if (name == "uniform")
        experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}, {"S", 0.25}, {"T", 0.25}}, model::UniformPer::Device};
    else if (name == "durations")
        experiment.cost.source = model::DurationsFile{};
    else
        experiment.cost.source = model::HardwarePreset{name};
    if (!experiment.hasModel && name != "uniform" && name != "durations")
        experiment.hasModel = true;
}

void addCostFields(std::vector<Field> &all)
{
    std::vector<Choice> sources;
    if (const auto found = model::hardwarePresets(); found.ok()) {
        for (const model::Hardware &hardware : *found) {
            const bool local = hardware.name == "cpu-local";
            sources.insert(
                local ? sources.begin() : sources.end(),
                {qtText(hardware.name), local ? u"This computer"_s : qtText(hardware.name), qtText(hardware.description)});
        }
    }
    sources.push_back({u"uniform"_s, u"Teaching units"_s, u"--uniform F=1,B=2,...: the same on every device"_s});
    sources.push_back({u"durations"_s, u"Durations from a file"_s,
                       u"--durations FILE: measured elsewhere, or by Experiment > Costs from the run that is shown"_s});
    all.push_back(choice(
        u"cost.hardware"_s, u"Costs for"_s, u"--hardware"_s, u"Whose speed the prediction assumes."_s, std::move(sources),
        [](const Experiment &experiment) {
            if (const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source))
                return qtText(preset->name);
            return std::holds_alternative<model::UniformCosts>(experiment.cost.source) ? u"uniform"_s : u"durations"_s;
        },
        setCosts));
    Field file{u"cost.durations"_s,
               u"Durations file"_s,
               u"--durations"_s,
               u"CSV: device,stage,pass,duration_us."_s,
               Field::Kind::File,
               [](const Experiment &experiment) {
                   return QVariant(qtText(std::get<model::DurationsFile>(experiment.cost.source).file));
               },
               [](Experiment &experiment, const QVariant &value) {
                   std::get<model::DurationsFile>(experiment.cost.source).file = utf8(value.toString());
               }};
    file.applies = [](const Experiment &experiment) {
        return std::holds_alternative<model::DurationsFile>(experiment.cost.source);
    };
    all.push_back(std::move(file));
    Field per = choice(
        u"cost.per"_s, u"Durations of"_s, u"--uniform-per"_s,
        u"With several chunks on a device: whether F and B are the time of the device's whole share, or of each chunk."_s,
        {{u"device"_s, u"A device's share"_s, u"Each of v chunks takes 1/v: the work stays the same"_s},
         {u"stage"_s, u"Each chunk"_s, u"With v chunks a device has v times the work"_s}},
        [](const Experiment &experiment) {
            return qtText(model::name(std::get<model::UniformCosts>(experiment.cost.source).per));
        },
        [](Experiment &experiment, const std::string &name) {
            std::get<model::UniformCosts>(experiment.cost.source).per =
                model::parse<model::UniformPer>(name).value_or(model::UniformPer::Device);
        });
    per.applies = [](const Experiment &experiment) {
        return std::holds_alternative<model::UniformCosts>(experiment.cost.source);
    };
    all.push_back(std::move(per));
    for (const auto &[key, name] :
         {std::pair{u"F"_s, u"Forward F"_s}, std::pair{u"B"_s, u"Backward B"_s}, std::pair{u"S"_s, u"Vocabulary S"_s},
          std::pair{u"T"_s, u"Vocabulary T"_s}, std::pair{u"send"_s, u"Message"_s}})
        all.push_back(uniformField(key, name));
    all.push_back(choice(
        u"cost.collectives"_s, u"Collectives"_s, u"cost.collectives"_s,
        u"Whether barriers run beside the passes or keep the devices waiting."_s,
        {{u"overlapped"_s, u"Overlap with passes"_s, {}}, {u"blocking"_s, u"Block the devices"_s, {}}},
        [](const Experiment &experiment) { return qtText(model::name(experiment.cost.collectives)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.cost.collectives = model::parse<model::Collectives>(name).value_or(model::Collectives::Overlapped);
        }));
}

} // namespace

const std::vector<Field> &fields()
{
    static const std::vector<Field> all = [] {
        std::vector<Field> made;
        addModelFields(made);
        addPlanFields(made);
        addScheduleFields(made);
        addCostFields(made);
        addTrainingFields(made);
        return made;
    }();
    return all;
}

const Field &field(const QString &id)
{
    const auto found = std::find_if(fields().begin(), fields().end(), [&id](const Field &one) { return one.id == id; });
    Q_ASSERT(found != fields().end());
    return *found;
}

const std::vector<FieldGroup> &fieldGroups()
{
    static const std::vector<FieldGroup> groups = [] {
        const std::vector<std::pair<QString, QString>> starts = {
            {u"Model"_s, u"model.preset"_s},  {u"Devices"_s, u"parallel.devices"_s}, {u"Schedule"_s, u"schedule.family"_s},
            {u"Costs"_s, u"cost.hardware"_s}, {u"Data"_s, u"training.data"_s},       {u"Training"_s, u"training.steps"_s}};
        std::vector<FieldGroup> made;
        for (const Field &one : fields()) {
            for (const auto &[name, first] : starts) {
                if (first == one.id)
                    made.push_back({name, {}});
            }
            made.back().ids.push_back(one.id);
        }
        return made;
    }();
    return groups;
}

} // namespace stagelens::ui
