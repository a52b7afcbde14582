#include "engine/model/names.h"
#include "ui/state/field_makers.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::Experiment;

namespace {

void addBackend(std::vector<Field> &all)
{
    // What there is of them on this machine, the window says beside each once it is found.
    all.push_back(choice(
        u"training.backend"_s, u"Backend"_s, u"--backend"_s, u"What computes the passes when the plan is trained here."_s,
        {{u"cpu"_s, u"CPU"_s, u"This machine's processor"_s}, {u"cuda"_s, u"CUDA"_s, u"NVIDIA GPUs"_s}},
        [](const Experiment &experiment) { return qtText(experiment.training.backend); },
        [](Experiment &experiment, const std::string &name) { experiment.training.backend = name; }));
}

/// Both decays of AdamW in one line, as in the document; a word that is no number becomes -1, which the validation refuses.
void addMoments(std::vector<Field> &all)
{
    all.push_back({u"training.optimizer.betas"_s, u"Betas"_s, u"--betas"_s,
                   u"AdamW's decay of the mean and of the square, such as 0.9, 0.95."_s, Field::Kind::Text,
                   [](const Experiment &experiment) {
                       const model::OptimizerChoice &optimizer = experiment.training.optimizer;
                       return QVariant(u"%1, %2"_s.arg(optimizer.beta1).arg(optimizer.beta2));
                   },
                   [](Experiment &experiment, const QVariant &value) {
                       const QStringList words = value.toString().split(u',');
                       const auto number = [&words](qsizetype at) {
                           bool isNumber = false;
                           const double found = at < words.size() ? words[at].trimmed().toDouble(&isNumber) : -1;
                           return isNumber && words.size() == 2 ? found : -1;
                       };
                       experiment.training.optimizer.beta1 = number(0);
                       experiment.training.optimizer.beta2 = number(1);
                   }});
}

} // namespace

void addTrainingFields(std::vector<Field> &all)
{
    all.push_back({u"training.data"_s, u"Text or tokens"_s, u"--data"_s,
                   u"synthetic, a text file, or a .bin of tokens (nanoGPT, llm.c)."_s, Field::Kind::File,
                   [](const Experiment &experiment) { return QVariant(qtText(experiment.training.data)); },
                   [](Experiment &experiment, const QVariant &value) { experiment.training.data = utf8(value.toString()); }});
    all.push_back(integer(u"training.steps"_s, u"Steps"_s, u"--steps"_s, u"Iterations that Train runs."_s,
                          [](Experiment &experiment) -> int & { return experiment.training.steps; }));
    all.push_back(choice(
        u"training.mode"_s, u"Clock"_s, u"--mode"_s,
        u"Live: all devices at once. Virtual clock: each pass measured alone, concurrency simulated."_s,
        {{QString(), u"Automatic"_s, u"Live while devices <= cores, else virtual clock"_s},
         {u"live"_s, u"Live"_s, u"Wall clock, all devices at once"_s},
         {u"virtual-clock"_s, u"Virtual clock"_s, u"Each pass measured alone, concurrency simulated"_s}},
        [](const Experiment &experiment) {
            return experiment.training.mode ? qtText(model::name(*experiment.training.mode)) : QString();
        },
        [](Experiment &experiment, const std::string &name) {
            experiment.training.mode = model::parse<model::RunMode>(name);
        }));
    addBackend(all);
    all.push_back(real(
        u"training.optimizer.lr"_s, u"Learning rate"_s, u"--lr"_s, u"Of AdamW."_s,
        [](const Experiment &experiment) { return experiment.training.optimizer.learningRate; },
        [](Experiment &experiment, double value) { experiment.training.optimizer.learningRate = value; }));
    all.push_back(real(
        u"training.optimizer.weight_decay"_s, u"Weight decay"_s, u"--weight-decay"_s, u"Of AdamW."_s,
        [](const Experiment &experiment) { return experiment.training.optimizer.weightDecay; },
        [](Experiment &experiment, double value) { experiment.training.optimizer.weightDecay = value; }));
    addMoments(all);
    Field clip = real(
        u"training.optimizer.clip"_s, u"Gradient clipping"_s, u"--clip"_s, u"Greatest norm of the whole gradient; 0: off."_s,
        [](const Experiment &experiment) { return experiment.training.optimizer.clip.value_or(0); },
        [](Experiment &experiment, double value) {
            experiment.training.optimizer.clip = value > 0 ? std::optional(value) : std::nullopt;
        });
    clip.zero = u"off"_s;
    all.push_back(std::move(clip));
    all.push_back(integer(u"training.seed"_s, u"Seed"_s, u"--seed"_s, u"Of parameters and data."_s, {}));
    all.back().value = [](const Experiment &experiment) { return QVariant(static_cast<int>(experiment.training.seed)); };
    all.back().setValue = [](Experiment &experiment, const QVariant &value) {
        experiment.training.seed = static_cast<std::uint64_t>(std::max(0, value.toInt()));
    };
}

} // namespace stagelens::ui
