// Figures, sentences and verdicts as a person reads them.
#include "engine/model/hardware_fields.h"
#include "engine/model/schema.h"
#include "engine/schedule/families.h"
#include "engine/service/predictions/explain.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/state/gap_explanation.h"
#include "ui/words/differences.h"
#include "ui/words/engine_messages.h"
#include "ui/words/verdict.h"
#include "ui/words/words.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace ui_bridge_words {

using namespace stagelens;
using namespace Qt::StringLiterals;

class BridgeWords : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }
    void figures();
    void everyFamilyHasItsName();
    void unnamedRunsAreNamedInWords();
    void problemsBecomeSentences();
    void everyMessageOfTheValidationIsListed();
    void failuresAreListed();
    void faultsOfAClusterAreListed();
    void clausesAreFilledInAnyOrder();
    void gapsAreExplainedByTheirCauses();
    void differencesAreInWords();
    void betterOnlyBeyondTheNoise();
};

void BridgeWords::figures()
{
    QCOMPARE(ui::durationText(850), u"850 ns"_s);
    QCOMPARE(ui::durationText(85'200), u"85.2 µs"_s);
    QCOMPARE(ui::durationText(412'300'000), u"412 ms"_s);
    QCOMPARE(ui::durationText(1'629'000'000), u"1.63 s"_s);
    QCOMPARE(ui::durationText(1'629'000'000, true), u"1629"_s);
    QCOMPARE(ui::shareText(0.684), u"68 %"_s);
    QCOMPARE(ui::changeText(219, 412), u"−47 %"_s);
    QCOMPARE(ui::changeText(103, 100), u"+3 %"_s);
    QCOMPARE(ui::changeText(100.2, 100), u"±0 %"_s);
    QCOMPARE(ui::factorText(1.83), u"1.8x"_s);
    QCOMPARE(ui::factorText(1.04), u"1.04x"_s);
    QCOMPARE(ui::countText(8192), u"8,192"_s);
}

void BridgeWords::everyFamilyHasItsName()
{
    for (const schedule::Family &family : schedule::families())
        QVERIFY2(ui::familyCaption(family.name) != ui::qtText(family.name), family.name.data());
}

void BridgeWords::unnamedRunsAreNamedInWords()
{
    QCOMPARE(ui::countText(256'000), u"256,000"_s);
    QCOMPARE(ui::countText(262'144), u"262,144"_s); // not the same as 256,000
    store::RunSummary run;
    run.family = "1f1b";
    run.vocabulary = model::VocabularyMethod::Vocab2;
    run.devices = 4;
    run.microbatches = 16;
    QCOMPARE(ui::runName(run), u"1F1B · VOCAB-2 · 4x16"_s);
    run.vocabularySize = 8192;
    QCOMPARE(ui::runName(run), u"1F1B · VOCAB-2 · 4x16 · V 8,192"_s);
    run.name = "the slow one";
    QCOMPARE(ui::runName(run), u"the slow one"_s);
}

void BridgeWords::problemsBecomeSentences()
{
    QCOMPARE(ui::pointsText(0.11, 0.54), u"−43 points"_s);
    QCOMPARE(ui::pointsText(0.55, 0.54), u"+1 point"_s);
    QCOMPARE(ui::pointsText(0.541, 0.539), u"±0 points"_s);
    QCOMPARE(ui::sentence(base::Error::invalid({{"a", "9 devices need 9 layers"}, {"b", "raise it"}})),
             u"9 devices need 9 layers. Raise it."_s);
}

namespace {

/// Plans with one fault each.
std::vector<model::Experiment> faultyPlans()
{
    std::vector<model::Experiment> plans;
    const auto with = [&plans](auto change) {
        model::Experiment plan;
        change(plan);
        plans.push_back(std::move(plan));
    };
    using Plan = model::Experiment;
    with([](Plan &p) { p.parallel.devices = 0; });
    with([](Plan &p) { p.parallel.devices = 1'000'000; });
    with([](Plan &p) { p.parallel.devices = 100; });
    with([](Plan &p) { p.parallel.microbatches = -1; });
    with([](Plan &p) { p.parallel.stageLayers = {1, 2, 3}; });
    with([](Plan &p) { p.parallel.stageLayers = {0, 2, 3, 99}; });
    with([](Plan &p) { p.parallel.tensor = 7; });
    with([](Plan &p) { p.parallel.context = 7; });
    with([](Plan &p) { p.parallel.expert = 2; });
    with([](Plan &p) { p.parallel.zero = 2; });
    with([](Plan &p) { p.parallel.shardReplicas = 3; });
    with([](Plan &p) { p.parallel.syncEvery = 4; });
    with([](Plan &p) { p.parallel.rankOrder = "x"; });
    with([](Plan &p) { p.model.heads = 7; });
    with([](Plan &p) { p.model.kvHeads = 3; });
    with([](Plan &p) { p.model.vocabularySize = 2; });
    with([](Plan &p) { p.model.experts = 4; });
    with([](Plan &p) { p.model.headDim = 5; });
    with([](Plan &p) { p.schedule.chunks = 3; });
    with([](Plan &p) { p.schedule.groupSize = 2; });
    with([](Plan &p) { p.schedule.waves = 2; });
    with([](Plan &p) {
        p.schedule.family = "gpipe";
        p.schedule.overlappedPairs = true;
    });
    with([](Plan &p) { p.schedule.recomputeLayers = {99}; });
    with([](Plan &p) { p.schedule.family = ""; });
    with([](Plan &p) { p.schedule.family = model::kCustomFamily; });
    with([](Plan &p) { p.schedule.memoryLimit = 0; });
    with([](Plan &p) { p.hasModel = false; });
    with([](Plan &p) { p.cost.source = model::UniformCosts{{{"F", -1}, {"Q", 2}}, {}}; });
    with([](Plan &p) { p.training.steps = 0; });
    with([](Plan &p) { p.training.data = ""; });
    with([](Plan &p) { p.training.backend = "abacus"; });
    with([](Plan &p) { p.training.optimizer.name = "luck"; });
    with([](Plan &p) { p.training.optimizer.beta1 = 2; });
    with([](Plan &p) { p.training.optimizer.clip = -1; });
    return plans;
}

/// The clauses of a message that the window does not translate.
QStringList unlisted(const QString &message)
{
    QStringList missing;
    for (const QString &clause : message.split(u"; "_s)) {
        const auto matched = ui::matchClause(clause);
        if (!matched || ui::filledClause(QString::fromUtf8(matched->clause), matched->places) != clause)
            missing << clause;
    }
    return missing;
}

/// A message with the captions of the fields that it names: in English nothing else differs.
QString captioned(QString message)
{
    for (const model::Field &field : model::schema()) {
        const QString caption = ui::fieldCaption(ui::qtText(field.path));
        for (const std::string_view name : {field.path, field.option})
            if (!name.empty())
                message.replace(
                    QRegularExpression(u"(?<![\\w.-])"_s + QRegularExpression::escape(ui::qtText(name)) + u"(?![\\w-])"_s),
                    caption);
    }
    return message;
}

} // namespace

void BridgeWords::everyMessageOfTheValidationIsListed()
{
    QStringList missing;
    for (const model::Experiment &plan : faultyPlans()) {
        const base::Problems problems = model::validate(plan);
        QVERIFY(!problems.empty());
        for (const base::Problem &problem : problems) {
            missing << unlisted(ui::qtText(problem.message));
            QCOMPARE(ui::engineMessage(problem.message), captioned(ui::qtText(problem.message)));
        }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(u"add these to ui/words/engine_message_words.cpp:\n"_s + missing.join(u"\n"_s)));
}

void BridgeWords::failuresAreListed()
{
    // As the engine writes them: a run that diverges, one without memory, a file, a database, and an order that never ends.
    const QStringList messages{
        u"the loss is not finite in step 3 of 8, microbatch 2, on device 1, in pass S2: training diverged; lower the learning "
        u"rate (it is 0.001) or limit the gradient's norm with clip; the state before that step is in /tmp/dump"_s,
        u"device 0 in step 1 of 8, pass F0@1 ran out of memory; lower model.hidden, model.sequence or "
        u"parallel.microbatch_size"_s,
        u"the run needs 9 GB of memory, most of it on device 3 with 4 GB, but only 2 GB are free: 7 GB are missing; "
        u"--microbatch-size 1 would fit, with 1 GB in all and 300 MB on a device"_s,
        u"cannot be read: it does not exist; check the name"_s,
        u"is being used by another process; wait for it, close that program or choose another database"_s,
        u"the devices wait for each other after 5 of 64 passes: device 0 waits at position 3 (B0@0) for the gradient of B0@1 "
        u"from device 1, which has it at position 5; validate the schedule"_s,
        u"device 1, position 4: F3@1 runs twice, first at position 2; remove one of the two"_s,
        u"line 3, word 2: 'X' is no pass"_s,
    };
    const QString command = u"run `stagelens-cli bench --calibrate --backend cuda`, and not '--steps 3'"_s;
    QCOMPARE(ui::engineMessage(ui::utf8(command)), command); // to be copied
    QStringList missing;
    for (const QString &message : messages) {
        QCOMPARE(ui::engineMessage(ui::utf8(message)), captioned(message));
        missing << (message.startsWith(u"line"_s) || message.startsWith(u"device 1,"_s) ? QStringList() : unlisted(message));
    }
    QVERIFY2(missing.isEmpty(), qPrintable(u"add these to ui/words/failure_words.cpp:\n"_s + missing.join(u"\n"_s)));
}

void BridgeWords::faultsOfAClusterAreListed()
{
    QStringList missing;
    for (const model::HardwareField &field : model::hardwareFields()) {
        const double tooMuch = 2 * field.most;
        for (const double value : {field.least - 1, field.least, field.least + 0.5, tooMuch, std::nan("")})
            for (const QString &clause : ui::qtText(faultOf(field, value)).split(u"; "_s, Qt::SkipEmptyParts)) {
                const auto matched = ui::matchClause(clause);
                // Only numbers vary: a clause such as "choose %1" would leave the rest in English.
                if (!matched || std::ranges::any_of(matched->places, [](const QString &place) {
                        bool isNumber = false;
                        place.toDouble(&isNumber);
                        return !isNumber;
                    }))
                    missing << clause;
            }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(u"add these to ui/words/engine_message_words.cpp:\n"_s + missing.join(u"\n"_s)));
}

void BridgeWords::clausesAreFilledInAnyOrder()
{
    QCOMPARE(ui::filledClause(u"%2 of %1 and %2"_s, {u"%2"_s, u"b"_s}), u"b of %2 and b"_s); // a place is filled once
    const auto matched = ui::matchClause(u"7 heads do not divide hidden 64"_s);
    QVERIFY(matched);
    QCOMPARE(matched->places, (QStringList{u"7"_s, u"64"_s}));
    QVERIFY(!ui::matchClause(u"nothing of the engine says this"_s));
    QCOMPARE(ui::engineMessage("of a file; is 3"), u"of a file; is 3"_s);
}

void BridgeWords::gapsAreExplainedByTheirCauses()
{
    // The example of resources/docs/understanding-the-bubble.md, with a device more.
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.model.layers = 3;
    experiment.parallel = {3, 3, 1, {1, 1, 1}};
    experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}, {"send", 0.5}}};
    const auto plan = service::predict(experiment, 2);
    QVERIFY(plan.ok());
    const auto why = service::explain(**plan);
    QVERIFY(why.ok());
    ui::LaneGroup group;
    group.timeline = (*plan)->timeline;
    group.schedule = (*plan)->schedule;
    group.metrics = (*plan)->metrics;
    const auto at = [&](int device, double milliseconds) {
        return ui::explainGap(group, &why->idle, device, static_cast<base::Nanos>(milliseconds * 1e6), true);
    };
    QVERIFY(at(0, 0.5).isEmpty());
    const QString gap = at(0, 4);
    QVERIFY2(gap.contains(u" for the gradient from B of microbatch 0, stage 1, on device 1, then 0.5 for the message."_s),
             qPrintable(gap));
    QVERIFY2(at(2, 1).contains(u"for its first work"_s), qPrintable(at(2, 1)));
    QVERIFY(at(2, 1000).contains(u"has no work left"_s));
    QVERIFY(ui::explainGap(group, nullptr, 0, 4'000'000, true).contains(u"It needs B of microbatch 0"_s));
}

void BridgeWords::differencesAreInWords()
{
    model::Experiment first;
    model::Experiment second;
    second.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    second.parallel.microbatches = 32;
    second.training.steps = 7;
    second.schedule.overlappedPairs = true; // documents omit what is off
    const QString text = ui::differencesText(ui::planDifferences(first, second));
    QVERIFY2(text.contains(u"Microbatches: 16 → 32"_s), qPrintable(text));
    QVERIFY2(text.contains(u"Vocabulary layers: not split → VOCAB-2"_s), qPrintable(text));
    QVERIFY2(text.contains(u"Overlapped pairs: Off → On"_s), qPrintable(text));
    QVERIFY2(!text.contains(u"Steps"_s), qPrintable(text));
    QCOMPARE(ui::differences(first, second).size(), std::size_t{4});
    QVERIFY(ui::differences(first, first).empty());
}

void BridgeWords::betterOnlyBeyondTheNoise()
{
    const auto calm = ui::spreadOf({900, 500, 100, 101, 102, 103});
    QCOMPARE(calm.steps, std::size_t{4}); // the first two steps stand apart
    QCOMPARE(calm.median, base::Nanos{101});
    QCOMPARE(ui::iterationVerdict(calm, ui::spreadOf({1, 1, 101, 102, 103, 104})), u"no clear difference"_s);
    QCOMPARE(ui::iterationVerdict(calm, ui::spreadOf({1, 1, 50, 51, 52, 53})), u"better −50 %"_s);
    QCOMPARE(ui::figureVerdict(120, 100, false), u"worse +20 %"_s);
    QCOMPARE(ui::figureVerdict(120, 100, true), u"better +20 %"_s);
    QCOMPARE(ui::figureVerdict(100.1, 100, true), u"no clear difference"_s);
}

STAGELENS_TEST(BridgeWords)

} // namespace ui_bridge_words

#include "bridge_words.moc"
