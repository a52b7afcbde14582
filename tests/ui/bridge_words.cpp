// Figures, sentences and verdicts as a person reads them.
#include "engine/model/capabilities.h"
#include "engine/schedule/families.h"
#include "engine/service/predictions/explain.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/state/gap_explanation.h"
#include "ui/words/differences.h"
#include "ui/words/engine_messages.h"
#include "ui/words/headline.h"
#include "ui/words/verdict.h"
#include "ui/words/words.h"

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
    void clausesAreFilledInAnyOrder();
    void headlineNamesTheSlowDevice();
    void averagesOfWeightsAreWeighed();
    void headlineSaysWhenNothingHelps();
    void headlineTakesTheBetterOfMethodAndSchedule();
    void theSecondLineHasTheBestAlternativeAndItsPrice();
    void headlineNamesTheFixForMemory();
    void headlineNamesAllToAllsOfExperts();
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

service::Prediction slowLastDevice()
{
    service::Prediction prediction;
    prediction.metrics.iteration = 400'000'000;
    prediction.metrics.bubbleRatio = 0.55;
    prediction.metrics.bubbleRatioPerDevice = {0.7, 0.73, 0.75, 0.02};
    prediction.metrics.peakMemory = {10, 10, 10, 40};
    if (auto made = schedule::makeSchedule(prediction.experiment))
        prediction.schedule = std::make_shared<const schedule::Schedule>(*std::move(made));
    return prediction;
}

service::Advice vocab2Helps()
{
    service::Advice advice;
    advice.slowestDevice = 3;
    advice.vocabularyShare = 0.68;
    advice.othersIdle = 0.73;
    advice.better = model::VocabularyMethod::Vocab2;
    advice.speedup = 1.83;
    return advice;
}

} // namespace

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

} // namespace

void BridgeWords::everyMessageOfTheValidationIsListed()
{
    QStringList missing;
    for (const model::Experiment &plan : faultyPlans()) {
        const base::Problems problems = model::validate(plan);
        QVERIFY(!problems.empty());
        for (const base::Problem &problem : problems) {
            missing << unlisted(ui::qtText(problem.message));
            QCOMPARE(ui::engineMessage(problem.message), ui::qtText(problem.message)); // in English
        }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(u"add these to ui/words/engine_message_words.cpp:\n"_s + missing.join(u"\n"_s)));
    // Reasons of the capability table come and go with the engine: most are listed.
    qsizetype reasons = 0;
    for (const model::Capability &each : model::capabilities())
        for (const std::string_view text : {std::string_view(each.reason), std::string_view(each.remedy)}) {
            reasons += text.empty() ? 0 : 1;
            missing << (text.empty() ? QStringList() : unlisted(ui::qtText(text)));
        }
    if (!missing.isEmpty())
        qInfo("not translated: %s", qPrintable(missing.join(u"\n"_s)));
    QVERIFY(missing.size() * 4 < reasons);
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

void BridgeWords::headlineNamesTheSlowDevice()
{
    const auto prediction = slowLastDevice();
    const auto advice = vocab2Helps();
    const auto headline = ui::makeHeadline(prediction, &advice);
    QCOMPARE(headline.text, u"Device 3 holds the others up: 68 % of its work is the output layer; the others idle 73 % of the "
                            "time. VOCAB-2 would make the iteration about 1.8x as fast (predicted)."_s);
    QCOMPARE(headline.actionCaption, u"Try VOCAB-2"_s);
    QVERIFY(headline.action == model::VocabularyMethod::Vocab2);
}

void BridgeWords::averagesOfWeightsAreWeighed()
{
    auto prediction = slowLastDevice();
    prediction.experiment.parallel.replicas = 2;
    prediction.experiment.parallel.syncEvery = 4;
    timeline::Timeline drawn;
    drawn.lanes.resize(1);
    drawn.lanes[0].anchored.push_back({0, 12'000'000, 0, timeline::AnchoredKind::AverageParameters});
    prediction.timeline = std::make_shared<const timeline::Timeline>(drawn);
    prediction.metrics.exposedExchange = 2'000'000;
    auto advice = vocab2Helps();
    advice.better.reset();
    QVERIFY(!ui::makeHeadline(prediction, &advice).text.contains(u"Averaging"_s)); // not before it is known
    advice.everyStep = service::Advice::EveryStep{480'000'000, 20'000'000};
    const auto headline = ui::makeHeadline(prediction, &advice);
    QVERIFY2(headline.text.endsWith(u" Averaging weights every 4 steps exposes %1 a step and hides %2."_s.arg(
                 ui::durationText(2'000'000), ui::durationText(1'000'000))),
             qPrintable(headline.text));
    QVERIFY2(headline.second.startsWith(
                 u"Gradients summed in every step would expose %1: 20 % more time."_s.arg(ui::durationText(20'000'000))),
             qPrintable(headline.second));
    advice.everyStep->iteration = prediction.metrics.iteration;
    prediction.metrics.exposedExchange = 3'000'000;
    const auto other = ui::makeHeadline(prediction, &advice);
    QVERIFY(other.text.endsWith(u" exposes %1 a step."_s.arg(ui::durationText(3'000'000))));
    QVERIFY(other.second.startsWith(u"Gradients summed in every step would take no more time."_s));
}

void BridgeWords::headlineSaysWhenNothingHelps()
{
    auto prediction = slowLastDevice();
    prediction.metrics.bubbleRatioPerDevice = {0.16, 0.16, 0.16, 0.16};
    prediction.metrics.bubbleRatio = 0.16;
    auto advice = vocab2Helps();
    advice.othersIdle = 0.16;
    advice.better.reset();
    const QString diagnosis = u"The devices are evenly loaded; they idle 16 % of the time."_s;
    // Given durations say nothing about other methods, and neither does the sentence.
    QCOMPARE(ui::makeHeadline(prediction, &advice).text, diagnosis);
    advice.options = {{model::VocabularyMethod::None, prediction.metrics.iteration, 40}};
    QCOMPARE(ui::makeHeadline(prediction, &advice).text, diagnosis);
    QCOMPARE(ui::makeHeadline(prediction, &advice).second,
             u"No vocabulary method makes this plan more than 1 % faster at this memory (predicted). Schedules were not "
             "tried."_s);
    ui::FamilyOptions families{ui::FamilyOptions::State::Trying, {{"zb-h1", prediction.metrics.iteration * 995 / 1000, 40}}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).text, diagnosis);
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).second, QString());
    families.state = ui::FamilyOptions::State::Tried;
    const auto headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QVERIFY(!headline.hasAction());
    QCOMPARE(headline.text, diagnosis);
    QVERIFY2(headline.second.startsWith(u"Nothing tried makes this plan more than 1 % faster at this memory"_s),
             qPrintable(headline.second));
}

void BridgeWords::headlineTakesTheBetterOfMethodAndSchedule()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 100;
    auto advice = vocab2Helps();
    advice.vocabularyShare = 0.02;
    advice.speedup = 1.02;
    const base::Nanos now = prediction.metrics.iteration;
    // Too much memory, another training, not possible, and one that helps.
    const ui::FamilyOptions families{
        ui::FamilyOptions::State::Tried,
        {{"v-zb", now / 4, 101}, {"pipedream", now / 3, 50}, {"gpipe", {}, {}}, {"zb-h2", now / 2, 100}, {"v-half", now, 20}}};
    auto headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.family, u"zb-h2"_s);
    QCOMPARE(headline.actionCaption, u"Try ZB-H2"_s);
    QVERIFY2(headline.text.endsWith(u" ZB-H2 would make the iteration about 2.0x as fast (predicted)."_s),
             qPrintable(headline.text));
    // Where the vocabulary layers are what holds the others up, they are what is mended.
    advice.vocabularyShare = 0.5;
    headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QVERIFY(headline.action == model::VocabularyMethod::Vocab2 && headline.family.isEmpty());
    // Devices that are evenly loaded have no such cause, however much vocabulary work each has.
    advice.othersIdle = 0.02;
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).family, u"zb-h2"_s);
}

void BridgeWords::theSecondLineHasTheBestAlternativeAndItsPrice()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = base::Bytes{100} << 30;
    prediction.metrics.peakMemory = {base::Bytes{40} << 30};
    prediction.metrics.iteration = 1'000'000;
    auto advice = vocab2Helps();
    advice.better.reset();
    advice.options = {{model::VocabularyMethod::None, 1'000'000, base::Bytes{40} << 30}};
    const ui::FamilyOptions families{ui::FamilyOptions::State::Tried,
                                     {{"v-half", 1'004'000, base::Bytes{20} << 30},
                                      {"zb-h2", 900'000, base::Bytes{50} << 30},
                                      {"zb-h1", 979'000, base::Bytes{40} << 30},
                                      {"v-zb", 400'000, base::Bytes{200} << 30}}};
    const auto headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.family, u"zb-h2"_s); // the fastest that fits is the action, and not the alternative
    QCOMPARE(headline.second, u"Against ZB-H2: V-Half, −30.0 GiB, +11.6 % time"_s);
    // Without one it is compared with the plan.
    const ui::FamilyOptions others{ui::FamilyOptions::State::Tried,
                                   {families.options[0], {"zb-h1", 995'000, base::Bytes{40} << 30}}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, others).second, u"Also: V-Half, −20.0 GiB, +0.4 % time"_s);
    // Both at once: a schedule with the fastest method, once all of them were tried.
    ui::FamilyOptions both = others;
    both.fastest = model::VocabularyMethod::Vocab1;
    both.combined = {{"1f1b", 500'000, base::Bytes{10} << 30}, // the plan's own: a method, not both
                     {"chimera", 700'000, base::Bytes{44} << 30},
                     {"pipedream", 100'000, base::Bytes{30} << 30}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, both).second,
             u"Also: V-Half, −20.0 GiB, +0.4 % time · Chimera with VOCAB-1, −30.0 % time, +4.00 GiB"_s);
    both.state = ui::FamilyOptions::State::Combining;
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, both).second, QString());
}

void BridgeWords::headlineNamesTheFixForMemory()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 30;
    auto advice = vocab2Helps();
    advice.options = {{model::VocabularyMethod::None, 400, 40},
                      {model::VocabularyMethod::Vocab1, 210, 25},
                      {model::VocabularyMethod::Vocab2, 200, 35}};
    const auto headline = ui::makeHeadline(prediction, &advice);
    QVERIFY2(headline.text.startsWith(u"Device 3 needs "_s), qPrintable(headline.text));
    QVERIFY(headline.action == model::VocabularyMethod::Vocab1);
}

void BridgeWords::headlineNamesAllToAllsOfExperts()
{
    auto prediction = slowLastDevice();
    prediction.metrics.bubbleRatio = 0.2;
    prediction.metrics.busyPerDevice = {300'000'000, 300'000'000, 300'000'000, 300'000'000};
    prediction.metrics.expertPerDevice = {120'000'000, 140'000'000, 120'000'000, 120'000'000};
    service::Advice advice;
    advice.othersIdle = 0.2;
    const QString diagnosis = u"Every layer with experts waits for its all-to-alls: 35 % of the step."_s;
    QCOMPARE(ui::makeHeadline(prediction, &advice).text, diagnosis);
    // Another schedule that hides them, and one that is only faster.
    ui::FamilyOptions families{ui::FamilyOptions::State::Tried, {{"dualpipe", 250'000'000, 50, 28'000'000}}};
    auto headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.text, diagnosis + u" DualPipe would hide 80 % of it behind another microbatch, and make the iteration "
                                        "about 1.6x as fast (predicted)."_s);
    QCOMPARE(headline.family, u"dualpipe"_s);
    // The vocabulary layers of the slowest device are not what the sentence names, and neither is their method.
    auto withVocabulary = vocab2Helps();
    withVocabulary.speedup = 1.07;
    withVocabulary.othersIdle = 0.2;
    QCOMPARE(ui::makeHeadline(prediction, &withVocabulary, nullptr, families).text, headline.text);
    families.options = {{"zb-h2", 350'000'000, 50, 140'000'000}};
    headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.text, diagnosis + u" ZB-H2 would make the iteration about 1.1x as fast (predicted)."_s);
    // As long as the compute, and of unequal experts.
    prediction.metrics.expertPerDevice = {120'000'000, 150'000'000, 120'000'000, 120'000'000};
    prediction.metrics.expertLoad = 1.83;
    QCOMPARE(ui::makeHeadline(prediction, &advice).text,
             u"Experts send for as long as they compute: 38 % of the step. The busiest expert rank receives 1.8x its share of "
             "the tokens, and the others wait for it."_s);
    // A greater bubble is named instead.
    advice.othersIdle = 0.5;
    QVERIFY(!ui::makeHeadline(prediction, &advice).text.contains(u"xperts"_s));
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
    const QString text = ui::differencesText(ui::planDifferences(first, second));
    QVERIFY2(text.contains(u"Microbatches: 16 → 32"_s), qPrintable(text));
    QVERIFY2(text.contains(u"Vocabulary layers: not split → VOCAB-2"_s), qPrintable(text));
    QVERIFY2(!text.contains(u"Steps"_s), qPrintable(text));
    QCOMPARE(ui::differences(first, second).size(), std::size_t{3});
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
