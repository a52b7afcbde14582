// Random experiments survive their document; no text, however mangled, does more than be refused.
#include "engine/model/experiment_json.h"
#include "engine/base/random.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/operators/stage_layers.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

namespace property_experiment_json {

using namespace stagelens::model;
using stagelens::base::Random;

namespace {

std::uint64_t seed()
{
    bool given = false;
    const std::uint64_t own = qEnvironmentVariable("STAGELENS_SEED").toULongLong(&given);
    return given ? own : 20'241'105;
}

template <class Enum>
Enum anyOf(Random &random)
{
    return static_cast<Enum>(random.nextInteger(0, static_cast<std::int64_t>(names<Enum>().size()) - 1));
}

int anyInt(Random &random)
{
    constexpr int kGreatest = std::numeric_limits<int>::max();
    return static_cast<int>(random.nextInteger(0, 9) == 0 ? random.nextInteger(-kGreatest, kGreatest)
                                                          : random.nextInteger(-2, 5000));
}

/// A finite number of any magnitude.
double anyNumber(Random &random)
{
    const double magnitude = std::ldexp(random.nextUniform(), static_cast<int>(random.nextInteger(-1000, 1000)));
    return random.nextInteger(0, 1) == 0 ? magnitude : -magnitude;
}

std::string anyText(Random &random)
{
    static const std::vector<std::string> letters{"a", "Z", "/", " ", "\"", "\\", "\n", "\t", "\x01", "ß", "漢", "😀", "."};
    std::string text;
    for (std::int64_t left = random.nextInteger(0, 12); left > 0; --left)
        text += letters[static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(letters.size()) - 1))];
    return text;
}

ModelConfig anyModel(Random &random)
{
    ModelConfig model;
    model.preset = "custom";
    model.family = anyOf<ModelFamily>(random);
    model.dtype = anyOf<DataType>(random);
    model.tied = random.nextInteger(0, 1) == 1;
    if (random.nextInteger(0, 1) == 1)
        model.vocabularyWidth = anyInt(random);
    model.inputHashes = anyInt(random);
    model.outputHeads = anyInt(random);
    if (random.nextInteger(0, 1) == 1)
        model.sampledWords = anyInt(random);
    for (std::int64_t left = random.nextInteger(0, 3); left > 0; --left)
        model.adaptiveCutoffs.push_back(anyInt(random));
    for (int *size :
         {&model.layers, &model.hidden, &model.heads, &model.kvHeads, &model.ffn, &model.sequence, &model.vocabularySize})
        *size = anyInt(random);
    return model;
}

CostChoice anyCost(Random &random, bool hardware)
{
    CostChoice cost;
    cost.collectives = anyOf<Collectives>(random);
    switch (random.nextInteger(hardware ? 0 : 1, 2)) {
    case 0: cost.source = HardwarePreset{anyText(random)}; break;
    case 1: cost.source = DurationsFile{anyText(random)}; break;
    default: {
        UniformCosts uniform;
        for (std::int64_t left = random.nextInteger(0, 5); left > 0; --left)
            uniform.milliseconds["F" + anyText(random)] = anyNumber(random);
        uniform.per = anyOf<UniformPer>(random);
        cost.source = uniform;
    }
    }
    return cost;
}

std::optional<int> maybeInt(Random &random)
{
    return random.nextInteger(0, 1) == 0 ? std::nullopt : std::optional(anyInt(random));
}

std::optional<double> maybeNumber(Random &random)
{
    return random.nextInteger(0, 1) == 0 ? std::nullopt : std::optional(anyNumber(random));
}

OffloadChoice anyOffload(Random &random)
{
    constexpr OffloadChoice kChoices[] = {{}, {.isAuto = true}, {.fraction = 0.25}, {.fraction = 1}};
    return kChoices[random.nextInteger(0, 3)];
}

Experiment anyExperiment(Random &random)
{
    Experiment experiment;
    experiment.hasModel = random.nextInteger(0, 3) != 0;
    if (experiment.hasModel && random.nextInteger(0, 1) == 0)
        experiment.model = anyModel(random);
    experiment.parallel = {anyInt(random),
                           anyInt(random),
                           anyInt(random),
                           {},
                           anyInt(random),
                           random.nextInteger(0, 1) == 0,
                           anyInt(random),
                           anyOf<ContextMethod>(random),
                           anyOf<VocabularySharding>(random),
                           anyInt(random),
                           anyInt(random),
                           anyNumber(random),
                           anyOf<ExpertDispatch>(random),
                           anyOf<DispatchPrecision>(random),
                           anyOf<PackedPrecision>(random),
                           anyInt(random),
                           anyOf<ZeroGradients>(random),
                           anyOf<ZeroParameters>(random),
                           anyInt(random),
                           anyInt(random),
                           anyText(random)};
    for (std::int64_t left = random.nextInteger(0, 6); left > 0; --left)
        experiment.parallel.stageLayers.push_back(anyInt(random));
    experiment.schedule = {anyText(random),
                           anyText(random),
                           anyText(random),
                           anyOf<VocabularyMethod>(random),
                           anyOf<VocabularyOrder>(random),
                           anyOf<VocabularyKind>(random),
                           1,
                           maybeInt(random),
                           maybeInt(random),
                           maybeInt(random),
                           maybeInt(random),
                           anyOf<SliceCut>(random),
                           random.nextInteger(0, 1) == 0,
                           anyInt(random),
                           maybeInt(random),
                           anyOf<Recompute>(random),
                           {},
                           {random.nextInteger(0, 1) == 0, random.nextInteger(0, 1) == 0, random.nextInteger(0, 1) == 0},
                           anyOf<PackedPrecision>(random),
                           anyOf<Attention>(random),
                           anyOffload(random),
                           random.nextInteger(0, 1) == 0 ? OffloadLanes::Half : OffloadLanes::Full,
                           maybeNumber(random),
                           maybeInt(random)};
    const bool hasList = experiment.schedule.recompute != Recompute::Full; // which it would replace
    for (std::int64_t left = hasList ? random.nextInteger(0, 4) : 0; left > 0; --left)
        experiment.schedule.recomputeLayers.push_back(anyInt(random));
    experiment.cost = anyCost(random, true);
    TrainingPlan &training = experiment.training;
    training.backend = anyText(random);
    if (random.nextInteger(0, 1) == 0)
        training.mode = anyOf<RunMode>(random);
    training.steps = anyInt(random);
    if (experiment.schedule.vocabularyKind == VocabularyKind::Chunked)
        experiment.schedule.logitChunks = static_cast<int>(random.nextInteger(1, 1 << 20));
    training.seed = random.next();
    training.data = anyText(random);
    training.optimizer = {anyText(random),   anyNumber(random), anyNumber(random),
                          anyNumber(random), anyNumber(random), std::nullopt};
    if (random.nextInteger(0, 1) == 0)
        training.optimizer.clip = anyNumber(random);
    if (random.nextInteger(0, 1) == 0) {
        training.optimizer.momentum = anyNumber(random);
        training.optimizer.tableRate = anyNumber(random);
        training.optimizer.scalesByValue = true;
    }
    experiment.whatIf = {anyText(random), anyText(random),     maybeNumber(random), maybeInt(random),   maybeNumber(random),
                         anyText(random), maybeNumber(random), maybeNumber(random), maybeNumber(random)};
    return experiment;
}

/// Cuts, repeats, swaps and overwrites parts of a text.
std::string mangled(std::string text, Random &random)
{
    static const std::string alphabet = "{}[]\",:0123456789.eE+-truefalsn \\\n\x01\x80\xff";
    for (std::int64_t left = random.nextInteger(1, 4); left > 0 && !text.empty(); --left) {
        const auto at = static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(text.size()) - 1));
        const auto length = static_cast<std::size_t>(random.nextInteger(1, 40));
        const char letter =
            alphabet[static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(alphabet.size()) - 1))];
        switch (random.nextInteger(0, 5)) {
        case 0: text.resize(at); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(text.size() / 2, length)); break;
        case 3: text[at] = letter; break;
        case 4: text.insert(at, 1, letter); break;
        default: text.insert(at, length * 100, letter);
        }
    }
    return text;
}

} // namespace

class ExperimentJson : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { qInfo("STAGELENS_SEED=%llu", static_cast<unsigned long long>(seed())); }

    void documentsSurviveTheRoundTrip()
    {
        Random random(seed(), 1);
        for (int i = 0; i < 1000; ++i) {
            const Experiment experiment = anyExperiment(random);
            const std::string text = toJson(experiment).dump();
            const auto back = experimentFromJson(text, "test");
            QVERIFY2(back.ok(), qPrintable(QString::fromStdString(text)));
            QVERIFY2(*back == experiment, qPrintable(QString::fromStdString(text)));
        }
    }

    void validateNeverStumblesAndSoundPlansResolve()
    {
        Random random(seed(), 2);
        int sound = 0;
        for (int i = 0; i < 5000; ++i) {
            Experiment experiment = anyExperiment(random);
            // Half of them near the default plan, so that some are sound.
            if (i % 2 == 0) {
                Experiment near;
                near.parallel.devices = static_cast<int>(random.nextInteger(1, 12));
                near.schedule.family = random.nextInteger(0, 1) == 0 ? "1f1b" : "interleaved-1f1b";
                if (near.schedule.family != "1f1b")
                    near.schedule.chunks = static_cast<int>(random.nextInteger(1, 3));
                near.schedule.vocabulary = anyOf<VocabularyMethod>(random);
                experiment = near;
            }
            if (!validate(experiment).empty())
                continue;
            ++sound;
            const Experiment full = stagelens::operators::resolved(experiment, 2);
            QCOMPARE(validate(full), stagelens::base::Problems{});
            QVERIFY(full.training.mode.has_value());
            QCOMPARE(full.parallel.stageLayers.size(),
                     static_cast<std::size_t>(full.parallel.devices * full.schedule.chunks.value()));
            QCOMPARE(stagelens::operators::resolved(full, 64), full);
        }
        QVERIFY2(sound > 500, qPrintable(QString::number(sound)));
    }

    void mangledDocumentsAreRefusedOrRead()
    {
        Random random(seed(), 3);
        int refused = 0;
        for (int i = 0; i < 3000; ++i) {
            const std::string text = mangled(toJson(anyExperiment(random)).dump(i % 3 - 1), random);
            const auto experiment = experimentFromJson(text, "test");
            if (experiment) {
                (void)validate(*experiment);
                continue;
            }
            ++refused;
            QVERIFY(!experiment.error().problems.empty());
            QVERIFY(experiment.error().kind == stagelens::base::ErrorKind::InvalidInput);
            for (const auto &problem : experiment.error().problems)
                QVERIFY2(!problem.message.empty() && problem.message.size() < 1000, qPrintable(QString::fromStdString(text)));
        }
        QVERIFY(refused > 2000);
    }

    void everyTruncationIsRefused()
    {
        const std::string text = toJson(stagelens::operators::resolved(Experiment{}, 2)).dump(1);
        for (std::size_t length = 0; length < text.size(); ++length)
            QVERIFY(!experimentFromJson(text.substr(0, length), "test").ok());
    }

    void mangledPresetsAreRefusedOrRead()
    {
        Random random(seed(), 4);
        const auto hardware = hardwarePreset("h200");
        QVERIFY(hardware.ok());
        const std::string text = hardwareToJson(*hardware);
        for (int i = 0; i < 2000; ++i)
            (void)hardwareFromJson(mangled(text, random), "test").ok();
    }
};

STAGELENS_TEST(ExperimentJson)

} // namespace property_experiment_json

#include "experiment_json.moc"
