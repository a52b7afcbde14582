// The verdict: what holds a plan up, and the change that helps most.
#include "engine/schedule/families.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/panels/headline_bar.h"
#include "ui/words/advice/headline.h"
#include "ui/words/words.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

namespace ui_shell_verdict {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellVerdict : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }
    void headlineNamesTheSlowDevice();
    void headlineNamesAllOfTheSlowestDevices();
    void headlineCutsTheLayersForASlowDevice();
    void averagesOfWeightsAreWeighed();
    void headlineSaysWhenNothingHelps();
    void headlineTakesTheBetterOfMethodAndSchedule();
    void twoChangesAreAskedForWhereTheyAreMuchBetter();
    void theLargestPartOfTheBubbleIsNamed();
    void theSecondLineHasTheBestAlternativeAndItsPrice();
    void headlineNamesTheFixForMemory();
    void theNearestFixForMemoryCostsLeast();
    void evenlyLoadedDevicesWaitForACause();
    void headlineNamesAllToAllsOfExperts();
};

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

service::Prediction evenlyLoaded()
{
    service::Prediction prediction = slowLastDevice();
    prediction.metrics.bubbleRatioPerDevice = {0.16, 0.16, 0.16, 0.16};
    prediction.metrics.bubbleRatio = 0.16;
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
    advice.options = {{model::VocabularyMethod::None, 400'000'000, 40}, {model::VocabularyMethod::Vocab2, 218'600'000, 20}};
    return advice;
}

} // namespace

void ShellVerdict::headlineNamesTheSlowDevice()
{
    const auto prediction = slowLastDevice();
    const auto advice = vocab2Helps();
    const auto headline = ui::makeHeadline(prediction, &advice);
    QCOMPARE(headline.text, u"Device 3 holds the others up: 68 % of its work is the output layer; the others idle 73 % of the "
                            "time. VOCAB-2 would make the iteration about 1.8x as fast."_s);
    QCOMPARE(headline.actionCaption, u"Try VOCAB-2"_s);
    QVERIFY(headline.change && headline.change->method == model::VocabularyMethod::Vocab2);
}

void ShellVerdict::headlineNamesAllOfTheSlowestDevices()
{
    const auto prediction = slowLastDevice();
    auto advice = vocab2Helps();
    const auto text = [&] { return ui::makeHeadline(prediction, &advice).text; };
    advice.asSlow = {0};
    QVERIFY2(text().startsWith(u"Devices 0 and 3 hold the others up: 68 % of their work is "_s), qPrintable(text()));
    advice.asSlow = {0, 1};
    advice.vocabularyShare.reset();
    QVERIFY2(text().startsWith(u"Devices 0, 1 and 3 hold the others up: they have the most work; "_s), qPrintable(text()));
    ui::HeadlineBar bar;
    bar.setHeadline(ui::makeHeadline(prediction, &advice));
    const QString markup = bar.findChild<QLabel *>(u"headline.text"_s)->text();
    for (const int device : {0, 1, 3})
        QVERIFY2(markup.contains(u"<a href='%1'"_s.arg(device)), qPrintable(markup));
    QVERIFY(!markup.contains(u"<a href='2'"_s));
    QVERIFY2(markup.contains(u"73\u00a0% of"_s), qPrintable(markup)); // no line ends between a number and its unit
    // Where most devices are as slow, the few that wait are no loss to name.
    advice.asSlow = {0, 1, 2};
    QVERIFY2(text().startsWith(u"The devices are evenly loaded"_s), qPrintable(text()));
}

void ShellVerdict::headlineCutsTheLayersForASlowDevice()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 40;
    service::Advice advice;
    advice.slowestDevice = 3;
    advice.othersIdle = 0.73;
    advice.options = {{model::VocabularyMethod::None, 400'000'000, 40}};
    advice.cut = {{3, 3, 3, 1}, 250'000'000, 30};
    const auto headline = ui::makeHeadline(prediction, &advice);
    QCOMPARE(headline.text, u"Device 3 holds the others up: it has the most work; the others idle 73 % of the time. "
                            "Layers 3/3/3/1 would make the iteration about 1.6x as fast."_s);
    QCOMPARE(headline.actionCaption, u"Try layers 3/3/3/1"_s);
    QVERIFY(headline.change && headline.change->stageLayers == advice.cut->stageLayers);
    QVERIFY(headline.change->family.isEmpty() && !headline.change->method);
    // A device that is slow has no more of split vocabulary layers than others: the cut is what helps.
    prediction.metrics.vocabularySharePerDevice = {0.3, 0.3, 0.3, 0.3};
    advice.vocabularyShare = 0.3;
    advice.better = model::VocabularyMethod::Redis;
    advice.options.push_back({model::VocabularyMethod::Redis, 380'000'000, 29});
    QCOMPARE(ui::makeHeadline(prediction, &advice).text, headline.text);
    prediction.metrics.vocabularySharePerDevice = {0, 0, 0, 0.3};
    QCOMPARE(ui::makeHeadline(prediction, &advice).actionCaption, u"Try rebalancing"_s);
    advice.options.back().peakMemory = 30; // the cut is as lean, and much faster
    QCOMPARE(ui::makeHeadline(prediction, &advice).actionCaption, u"Try layers 3/3/3/1"_s);
    advice.options.pop_back();
    advice.better.reset();
    advice.cut->stageLayers.assign(16, 1);
    QCOMPARE(ui::makeHeadline(prediction, &advice).actionCaption, u"Try evenly cut layers"_s);
    advice.cut->peakMemory = 41; // would not fit
    QVERIFY(!ui::makeHeadline(prediction, &advice).hasAction());
}

void ShellVerdict::averagesOfWeightsAreWeighed()
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

void ShellVerdict::headlineSaysWhenNothingHelps()
{
    auto prediction = evenlyLoaded();
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
    QVERIFY2(headline.second.startsWith(
                 u"No method, schedule or even cut of the layers that was tried makes this plan more than 1 % faster"_s),
             qPrintable(headline.second));
}

void ShellVerdict::headlineTakesTheBetterOfMethodAndSchedule()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 100;
    auto advice = vocab2Helps();
    advice.vocabularyShare = 0.02;
    advice.speedup = 1.02;
    advice.options.back().iteration = 392'000'000;
    const base::Nanos now = prediction.metrics.iteration;
    // Too much memory, another training, not possible, and one that helps.
    const ui::FamilyOptions families{
        ui::FamilyOptions::State::Tried,
        {{"v-zb", now / 4, 101}, {"pipedream", now / 3, 50}, {"gpipe", {}, {}}, {"zb-h2", now / 2, 100}, {"v-half", now, 20}}};
    auto headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.change->family, u"zb-h2"_s);
    QCOMPARE(headline.actionCaption, u"Try ZB-H2"_s);
    QVERIFY2(headline.text.endsWith(u" ZB-H2 would make the iteration about 2.0x as fast."_s), qPrintable(headline.text));
    // Where the vocabulary layers are what holds the others up, they are what is mended.
    advice.vocabularyShare = 0.5;
    headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QVERIFY(headline.change->method == model::VocabularyMethod::Vocab2 && headline.change->family.isEmpty());
    // Devices that are evenly loaded have no such cause, however much vocabulary work each has.
    advice.othersIdle = 0.02;
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).change->family, u"zb-h2"_s);
}

void ShellVerdict::twoChangesAreAskedForWhereTheyAreMuchBetter()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 100;
    const auto advice = vocab2Helps(); // VOCAB-2: 218.6 ms, 20 bytes
    ui::FamilyOptions families{ui::FamilyOptions::State::Tried, {}, model::VocabularyMethod::Vocab2, {}};
    const auto proposed = [&](base::Nanos iteration, base::Bytes peak) {
        families.combined = {{"v-half", iteration, peak}};
        return ui::makeHeadline(prediction, &advice, nullptr, families);
    };
    QCOMPARE(proposed(200'000'000, 10).actionCaption, u"Try VOCAB-2"_s); // a second change for 9 %
    QCOMPARE(proposed(150'000'000, 21).actionCaption, u"Try VOCAB-2"_s); // needs more memory
    auto both = proposed(190'000'000, 20);
    QCOMPARE(both.actionCaption, u"Try V-Half with VOCAB-2"_s);
    QVERIFY2(both.text.endsWith(u" V-Half with VOCAB-2 would make the iteration about 2.1x as fast."_s), qPrintable(both.text));
    // So does a schedule alone, if it beats the method.
    families.combined.clear();
    families.options = {{"zb-h1", 190'000'000, 20}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).actionCaption, u"Try ZB-H1"_s);
    families.options.clear();
    // Of a plan that does not fit as well.
    prediction.memoryCapacity = 30;
    prediction.metrics.peakMemory = {40};
    QCOMPARE(proposed(200'000'000, 10).actionCaption, u"Try VOCAB-2"_s);
    both = proposed(190'000'000, 20);
    QVERIFY2(both.text.contains(u"V-Half with VOCAB-2 would fit: "_s), qPrintable(both.text));
}

void ShellVerdict::theLargestPartOfTheBubbleIsNamed()
{
    auto prediction = slowLastDevice();
    auto advice = vocab2Helps();
    const auto text = [&] { return ui::makeHeadline(prediction, &advice).text; };
    advice.causes = {40, 10, 45, 0, 0};
    QVERIFY2(text().startsWith(u"Device 3 holds the others up: "_s), qPrintable(text()));
    advice.causes = {90, 10, 45, 20, 0};
    QVERIFY2(text().startsWith(u"The devices idle 55 % of the time, above all while the pipeline fills and drains. "_s),
             qPrintable(text()));
    advice.causes = {20, 10, 45, 90, 0};
    QVERIFY2(text().startsWith(u"The devices idle 55 % of the time, above all for messages and barriers. "_s),
             qPrintable(text()));
    advice.causes = {20, 10, 10, 40, 90}; // of the what-ifs
    QVERIFY2(text().startsWith(u"Device 3 holds the others up: "_s), qPrintable(text()));
}

void ShellVerdict::theSecondLineHasTheBestAlternativeAndItsPrice()
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
    QCOMPARE(headline.change->family, u"zb-h2"_s); // the fastest that fits is the action, and not the alternative
    QCOMPARE(headline.second, u"Against ZB-H2: V-Half, −30.0 GiB, +11.6 % time"_s);
    // Without one it is compared with the plan.
    const ui::FamilyOptions others{ui::FamilyOptions::State::Tried,
                                   {families.options[0], {"zb-h1", 995'000, base::Bytes{40} << 30}}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, others).second, u"Also: V-Half, −20.0 GiB, +0.4 % time"_s);
    // Both at once, once all of them were tried.
    ui::FamilyOptions both = others;
    both.method = model::VocabularyMethod::Vocab1;
    both.combined = {{"1f1b", 500'000, base::Bytes{10} << 30}, // the plan's own: a method, not both
                     {"chimera", 700'000, base::Bytes{44} << 30},
                     {"pipedream", 100'000, base::Bytes{30} << 30}};
    const auto combined = ui::makeHeadline(prediction, &advice, nullptr, both);
    QCOMPARE(combined.actionCaption, u"Try Chimera with VOCAB-1"_s);
    QCOMPARE(combined.change->family, u"chimera"_s);
    QVERIFY(combined.change->method == model::VocabularyMethod::Vocab1);
    QCOMPARE(combined.second, QString()); // what needs less is much slower
    both.combined[1].iteration = 900'000;
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, both).second,
             u"Against Chimera with VOCAB-1: V-Half, −24.0 GiB, +11.6 % time"_s);
    both.state = ui::FamilyOptions::State::Combining;
    const auto before = ui::makeHeadline(prediction, &advice, nullptr, both);
    QVERIFY(!before.hasAction());
    QCOMPARE(before.second, QString());
}

void ShellVerdict::headlineNamesTheFixForMemory()
{
    auto prediction = slowLastDevice();
    prediction.memoryCapacity = 30;
    prediction.metrics.iteration = 400;
    auto advice = vocab2Helps();
    advice.options = {{model::VocabularyMethod::None, 400, 40},
                      {model::VocabularyMethod::Vocab1, 210, 25},
                      {model::VocabularyMethod::Vocab2, 200, 35}};
    const auto headline = ui::makeHeadline(prediction, &advice);
    QVERIFY2(headline.text.startsWith(u"Device 3 needs "_s), qPrintable(headline.text));
    QVERIFY(headline.change->method == model::VocabularyMethod::Vocab1);
    QVERIFY2(headline.text.endsWith(u" VOCAB-1 would fit: 25 B, −47.5 % time (predicted)."_s), qPrintable(headline.text));
    QCOMPARE(headline.second, QString()); // nothing else fits
    // A schedule is as good a fix, and the others that fit are its alternatives.
    ui::FamilyOptions families{ui::FamilyOptions::State::Tried, {{"v-half", 190, 28}, {"v-zb", 100, 45}, {"zb-h1", 205, 15}}};
    const auto schedule = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(schedule.actionCaption, u"Try V-Half"_s);
    QCOMPARE(schedule.second, u"Against V-Half: ZB-H1, −13 B, +7.9 % time"_s);
    families.state = ui::FamilyOptions::State::Trying;
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).actionCaption, u"Try VOCAB-1"_s);
    QCOMPARE(ui::makeHeadline(prediction, &advice, nullptr, families).second, QString());
    // Where nothing fits the action is the search for shapes, once everything was tried.
    prediction.memoryCapacity = 5;
    QVERIFY(!ui::makeHeadline(prediction, &advice, nullptr, families).hasAction());
    families.state = ui::FamilyOptions::State::Tried;
    const auto nothing = ui::makeHeadline(prediction, &advice, nullptr, families);
    QVERIFY(nothing.isOfShapes && nothing.hasAction());
    QCOMPARE(nothing.actionCaption, u"Shapes that fit…"_s);
    ui::HeadlineBar bar;
    QSignalSpy asked(&bar, &ui::HeadlineBar::shapesAsked);
    bar.setHeadline(nothing);
    auto *action = bar.findChild<QPushButton *>(u"headline.action"_s);
    QVERIFY(action && action->text() == nothing.actionCaption);
    action->click();
    QCOMPARE(asked.size(), 1);
}

void ShellVerdict::theNearestFixForMemoryCostsLeast()
{
    auto prediction = slowLastDevice();
    prediction.metrics.iteration = 400;
    prediction.memoryCapacity = 30;
    auto advice = vocab2Helps();
    advice.better.reset();
    advice.options = {{model::VocabularyMethod::None, 400, 40}, {model::VocabularyMethod::Vocab2, 200, 35}};
    const ui::MemoryFix recomputed{u"recomputation of 3 layers"_s, {}, 440, 29};
    ui::FamilyOptions families{ui::FamilyOptions::State::Trying, {}};
    QVERIFY(!ui::makeHeadline(prediction, &advice, nullptr, families).hasAction()); // still searching
    const auto first = ui::makeHeadline(prediction, &advice, &recomputed, families);
    QVERIFY(first.isFix);
    QVERIFY2(first.text.endsWith(u" With recomputation of 3 layers it would fit: 29 B, +10.0 % time (predicted)."_s),
             qPrintable(first.text));
    families = {ui::FamilyOptions::State::Tried, {{"v-half", 420, 28}, {"v-min", 520, 20}}};
    QCOMPARE(ui::makeHeadline(prediction, &advice, &recomputed, families).actionCaption, u"Try V-Half"_s);
    families.options[0].iteration = 450;
    const auto kept = ui::makeHeadline(prediction, &advice, &recomputed, families);
    QVERIFY(kept.isFix && !kept.change);
    QCOMPARE(kept.second, u"Against recomputation of 3 layers: V-Min, −9 B, +18.2 % time"_s);
    // More devices are the last thing to ask for: after a schedule with another method.
    const ui::MemoryFix larger{u"8 devices"_s, {}, 200, 20, true};
    families.options.clear();
    families.method = model::VocabularyMethod::Vocab2;
    families.combined = {{"v-half", 380, 25}};
    families.state = ui::FamilyOptions::State::Combining;
    QVERIFY(!ui::makeHeadline(prediction, &advice, &larger, families).hasAction());
    families.state = ui::FamilyOptions::State::Tried;
    QCOMPARE(ui::makeHeadline(prediction, &advice, &larger, families).actionCaption, u"Try V-Half with VOCAB-2"_s);
    families.combined.clear();
    QCOMPARE(ui::makeHeadline(prediction, &advice, &larger, families).actionCaption, u"Try 8 devices"_s);
    // Of a plan with tensor ranks that is twice the GPUs: another division of those at hand may do.
    prediction.experiment.parallel.tensor = 2;
    const auto divided = ui::makeHeadline(prediction, &advice, &larger, families);
    QVERIFY(divided.isOfShapes && !divided.isFix && divided.text.contains(u"With 8 devices it would fit"_s));
    QCOMPARE(divided.actionCaption, u"Shapes that fit…"_s);
    prediction.experiment.parallel.tensor = 1;
    QVERIFY2(ui::makeHeadline(prediction, &advice, nullptr, families)
                 .text.endsWith(u" Nothing tried makes it fit: use more devices or tensor ranks, shorter sequences or fewer "
                                "layers."_s),
             qPrintable(ui::makeHeadline(prediction, &advice, nullptr, families).text));
}

void ShellVerdict::evenlyLoadedDevicesWaitForACause()
{
    auto prediction = evenlyLoaded();
    auto advice = vocab2Helps();
    advice.othersIdle = 0.16;
    const auto text = [&] { return ui::makeHeadline(prediction, &advice).text; };
    advice.causes = {60, 10, 5, 30, 0};
    QVERIFY2(
        text().startsWith(
            u"The devices are evenly loaded; they idle 16 % of the time, above all while the pipeline fills and drains."_s),
        qPrintable(text()));
    prediction.experiment.parallel.microbatches = 7; // of 4 devices
    QVERIFY2(text().startsWith(u"7 microbatches are few for 4 devices, which idle 16 % of the time, above all while the "
                               "pipeline fills and drains."_s),
             qPrintable(text()));
    prediction.experiment.parallel.microbatches = 1;
    QVERIFY2(text().startsWith(u"One microbatch is too few for 4 devices, which idle 16 % of the time, "_s),
             qPrintable(text()));
    timeline::Timeline sliced;
    sliced.slices = 8;
    prediction.timeline = std::make_shared<const timeline::Timeline>(sliced);
    QVERIFY2(text().startsWith(u"The devices are evenly loaded"_s), qPrintable(text()));
    prediction.experiment.parallel.microbatches = 16;
    advice.causes.communication = 70;
    QVERIFY(text().contains(u" above all for messages and barriers."_s));
    advice.causes.unequalStages = 80;
    QVERIFY(text().contains(u" above all because stages are unequal."_s));
    advice.causes.vocabularyLayers = 90;
    QVERIFY(text().contains(u" above all for the vocabulary layers."_s));
    advice.causes.slowParts = 100;
    QVERIFY(text().contains(u" above all for the what-ifs' slow parts."_s));
    prediction.metrics.bubbleRatio = 0.01; // too little to ask why
    QVERIFY2(text().startsWith(u"The devices are evenly loaded; they idle 1 % of the time. "_s), qPrintable(text()));
    // Replicas that sum their gradients after the last backward.
    prediction.experiment.parallel.replicas = 16;
    prediction.metrics.bubbleRatio = 0.16;
    prediction.metrics.exposedExchange = 120'000'000;
    QVERIFY2(text().startsWith(u"Averaging gradients over 16 replicas adds %1 after the last backward: 30 % of the step."_s.arg(
                 ui::durationText(120'000'000))),
             qPrintable(text()));
    prediction.metrics.exposedExchange = 20'000'000; // less than the bubble
    QVERIFY(text().startsWith(u"The devices are evenly loaded"_s));
}

void ShellVerdict::headlineNamesAllToAllsOfExperts()
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
                                        "about 1.6x as fast."_s);
    QCOMPARE(headline.change->family, u"dualpipe"_s);
    // The vocabulary layers of the slowest device are not what the sentence names, and neither is their method.
    auto withVocabulary = vocab2Helps();
    withVocabulary.speedup = 1.07;
    withVocabulary.options.back().iteration = 374'000'000;
    withVocabulary.othersIdle = 0.2;
    QCOMPARE(ui::makeHeadline(prediction, &withVocabulary, nullptr, families).text, headline.text);
    families.options = {{"zb-h2", 350'000'000, 50, 140'000'000}};
    headline = ui::makeHeadline(prediction, &advice, nullptr, families);
    QCOMPARE(headline.text, diagnosis + u" ZB-H2 would make the iteration about 1.1x as fast."_s);
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

STAGELENS_TEST(ShellVerdict)

} // namespace ui_shell_verdict

#include "shell/verdict.moc"
