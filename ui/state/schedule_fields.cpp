#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "engine/service/schedule_text.h"
#include "ui/state/field_makers.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::Experiment;

namespace {

/// The file of a custom schedule, which brings its devices, microbatches, chunks and vocabulary method.
Field scheduleFile()
{
    Field made{u"schedule.file"_s,
               u"Schedule file"_s,
               u"--schedule-file"_s,
               u"Stagelens' text form, or a CSV of PyTorch's pipelining."_s,
               Field::Kind::File,
               [](const Experiment &experiment) { return QVariant(qtText(experiment.schedule.file)); },
               [](Experiment &experiment, const QVariant &value) {
                   experiment = service::withScheduleFile(std::move(experiment), utf8(value.toString()));
               }};
    made.applies = [](const Experiment &experiment) { return experiment.schedule.family == model::kCustomFamily; };
    return made;
}

void addFamily(std::vector<Field> &all)
{
    std::vector<Choice> families;
    for (const schedule::Family &family : schedule::families())
        families.push_back({qtText(family.name), familyCaption(family.name), qtText(family.description)});
    families.push_back({qtText(model::kCustomFamily), familyCaption(model::kCustomFamily),
                        u"The order of the moment, to be changed by hand; or one from a file (--schedule-file FILE)"_s});
    all.push_back(choice(
        u"schedule.family"_s, u"Schedule"_s, u"--schedule"_s, u"The order in which each device runs its passes."_s,
        std::move(families), [](const Experiment &experiment) { return qtText(experiment.schedule.family); },
        [](Experiment &experiment, const std::string &name) {
            if (name == model::kCustomFamily)
                experiment = service::withOwnOrder(std::move(experiment));
            else
                model::chooseFamily(experiment.schedule, name);
        }));
    all.push_back(scheduleFile());
}

/// What a family leaves open: chunks, groups of microbatches, waves.
void addShape(std::vector<Field> &all)
{
    Field chunks =
        integer(u"schedule.chunks"_s, u"Chunks"_s, u"--chunks"_s, u"Stages of each device, one after another."_s, {});
    chunks.value = [](const Experiment &experiment) { return QVariant(model::stagesPerDevice(experiment.schedule)); };
    chunks.setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.parallel.stageLayers.clear();
        experiment.schedule.chunks = value.toInt();
    };
    chunks.applies = [](const Experiment &experiment) { return model::leavesChunksOpen(experiment.schedule.family); };
    all.push_back(std::move(chunks));

    Field group =
        integer(u"schedule.group_size"_s, u"Group size"_s, u"--group-size"_s,
                u"Microbatches that go through a chunk before the next chunk's turn; a rest that would not fill the pipeline "
                "makes groups larger. 0: as many as there are devices."_s,
                {});
    group.value = [](const Experiment &experiment) { return QVariant(experiment.schedule.groupSize.value_or(0)); };
    group.setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.schedule.groupSize = value.toInt() == 0 ? std::nullopt : std::optional(value.toInt());
    };
    group.applies = [](const Experiment &experiment) { return model::leavesGroupsOpen(experiment.schedule.family); };
    group.zero = u"devices"_s;
    all.push_back(std::move(group));

    Field waves =
        integer(u"schedule.waves"_s, u"Waves"_s, u"--waves"_s, u"Times down and up the devices; two chunks each."_s, {});
    waves.value = [](const Experiment &experiment) { return QVariant(experiment.schedule.waves.value_or(1)); };
    waves.setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.parallel.stageLayers.clear();
        experiment.schedule.waves = value.toInt();
    };
    waves.applies = [](const Experiment &experiment) { return experiment.schedule.family == "hanayo"; };
    all.push_back(std::move(waves));
}

void addVocabulary(std::vector<Field> &all)
{
    std::vector<Choice> methods;
    using model::VocabularyMethod;
    for (const model::VocabularyTraits &row : model::kVocabularyChoices)
        methods.push_back({qtText(row.name), caption(row.method), u"--vocabulary "_s + qtText(row.name)});
    all.push_back(choice(
        u"schedule.vocabulary"_s, u"Vocabulary layers"_s, u"--vocabulary"_s,
        u"Where the input embedding and the output layer are computed."_s, std::move(methods),
        [](const Experiment &experiment) { return qtText(model::name(experiment.schedule.vocabulary)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.schedule.vocabulary = model::parse<VocabularyMethod>(name).value_or(VocabularyMethod::None);
        }));
    Field order = choice(
        u"schedule.vocabulary_order"_s, u"Order of S and T"_s, u"--vocabulary-order"_s,
        u"Where the vocabulary passes stand among the others."_s,
        {{u"published"_s, u"As published"_s, u"The order of the paper, or the family's nearest to it"_s},
         {u"best"_s, u"Best for these costs"_s, u"Placed for the costs at hand; never longer than the published order"_s}},
        [](const Experiment &experiment) { return qtText(model::name(experiment.schedule.vocabularyOrder)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.schedule.vocabularyOrder =
                model::parse<model::VocabularyOrder>(name).value_or(model::VocabularyOrder::Published);
        });
    order.applies = [](const Experiment &experiment) {
        return model::traits(experiment.schedule.vocabulary).isSharded && experiment.schedule.family != model::kCustomFamily;
    };
    all.push_back(std::move(order));
}

void addMemory(std::vector<Field> &all)
{
    all.push_back(choice(
        u"schedule.recompute"_s, u"Recomputation"_s, u"--recompute"_s,
        u"Which activations are computed again in the backward instead of being kept."_s,
        {{u"none"_s, u"None"_s, {}}, {u"selective"_s, u"Selective"_s, {}}, {u"full"_s, u"Full"_s, {}}},
        [](const Experiment &experiment) { return qtText(model::name(experiment.schedule.recompute)); },
        [](Experiment &experiment, const std::string &name) {
            experiment.schedule.recompute = model::parse<model::Recompute>(name).value_or(model::Recompute::None);
        }));
    constexpr double kGiB = 1 << 30;
    Field limit = real(
        u"schedule.memory_limit"_s, u"Memory limit (GiB)"_s, u"--memory-limit"_s,
        u"Of a device; what needs more is refused, and families that adapt keep to it. 0: none."_s,
        [](const Experiment &experiment) { return static_cast<double>(experiment.schedule.memoryLimit.value_or(0)) / kGiB; },
        [](Experiment &experiment, double value) {
            experiment.schedule.memoryLimit = value > 0 ? std::optional(static_cast<base::Bytes>(value * kGiB)) : std::nullopt;
        });
    limit.applies = hasModel;
    limit.zero = u"none"_s;
    all.push_back(std::move(limit));
}

} // namespace

void addScheduleFields(std::vector<Field> &all)
{
    addFamily(all);
    addShape(all);
    addVocabulary(all);
    addMemory(all);
}

} // namespace stagelens::ui
