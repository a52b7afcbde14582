// Tours: every step of every tour is simulated and its claims checked; a broken tour is explained with file and line.
#include "engine/base/file.h"
#include "engine/schedule/families.h"
#include "engine/service/runs/training_job.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/learn/live_simulation.h"
#include "ui/learn/page_files.h"
#include "ui/learn/page_plans.h"
#include "ui/learn/tour.h"
#include "ui/words/words.h"

#include <QDir>
#include <QTemporaryDir>

#include <algorithm>
#include <limits>
#include <random>

namespace ui_learn_tours {

using namespace stagelens;
using namespace Qt::StringLiterals;

class LearnTours : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void expressionsAreComputed();
    void badExpressionsAreRefused();
    void everyClaimOfEveryTourHolds_data();
    void everyClaimOfEveryTourHolds();
    void theRunsOfEveryTourTurnOutAsItSays();
    void everyChallengeIsSolvedByItsSolution_data();
    void everyChallengeIsSolvedByItsSolution();
    void everyFamilyHasAPageWithAPicture();
    void aBrokenTourIsExplained_data();
    void aBrokenTourIsExplained();
    void damagedToursAreNeverBelieved();
};

namespace {

QDir tours(const char *folder = "tours")
{
    return QDir(ui::qtText((base::resourceFolder() / "docs" / folder).string()));
}

/// Adds a row for each tour of a folder, in each language. Returns how many tours there are.
qsizetype addTours(const char *folder)
{
    const QStringList names = tours(folder).entryList({u"*.tour"_s}, QDir::Files, QDir::Name);
    for (const QString &name : names)
        for (const char *code : {"en", "ko", "zh_CN"}) {
            const QString path = QString::fromLatin1(folder) + u'/' + name;
            QTest::newRow(qPrintable(QString::fromLatin1(code) + u' ' + path)) << ui::pageFile(path, QString::fromLatin1(code));
        }
    return names.size();
}

std::optional<double> computed(std::string_view text)
{
    const auto expression = ui::Expression::parse(text);
    if (!expression)
        return std::nullopt;
    return expression->value([](std::string_view name) { return name == "p" ? std::optional(4.0) : std::nullopt; });
}

service::PredictionPtr predicted(const model::Experiment &experiment)
{
    const auto prediction = service::predict(experiment, 2);
    if (!prediction)
        qWarning("%s", prediction.error().text().c_str());
    return prediction ? *prediction : nullptr;
}

} // namespace

void LearnTours::expressionsAreComputed()
{
    QCOMPARE(computed("1 + 2 * p"), 9.0);
    QCOMPARE(computed("(p - 1) / (8 + p - 1)"), 3.0 / 11);
    QCOMPARE(computed("-p * -.5 - 1 - 1"), 0.0);
    QCOMPARE(computed("2 - 3 - 4"), -5.0);
    QVERIFY(!computed("1 / (p - 4)")); // no value
    QVERIFY(!computed("m"));
    const auto claim = ui::Claim::parse("p <= 2 + 2");
    QVERIFY(claim && claim->holds([](std::string_view) { return 4.0; }) == true);
    QVERIFY(claim->holds([](std::string_view) { return 5.0; }) == false);
    QVERIFY(!claim->holds([](std::string_view) { return std::optional<double>(); }));
}

void LearnTours::badExpressionsAreRefused()
{
    for (const char *text : {"", "+", "1 +", "(1", "1)", "a b", "1..2", "$", "{}", "1 2"})
        QVERIFY2(!ui::Expression::parse(text), text);
    QVERIFY(!ui::Expression::parse(std::string(100'000, '(')));
    QVERIFY(!ui::Expression::parse(std::string(100'000, '-') + "1"));
    QVERIFY(!ui::Claim::parse("bubble"));
    QVERIFY(!ui::FilledText::parse(u"{bubble"_s));
    QVERIFY(!ui::FilledText::parse(u"{nothing}"_s));
    QVERIFY(!ui::FilledText::parse(u"{bubble|colour}"_s));
}

void LearnTours::everyClaimOfEveryTourHolds_data()
{
    QTest::addColumn<QString>("file");
    QVERIFY2(addTours("tours") >= 5, "the tours of the design");
    QVERIFY2(addTours("scenes") > 0, "the wall dissolves");
}

void LearnTours::everyClaimOfEveryTourHolds()
{
    QFETCH(const QString, file);
    const auto tour = ui::readTour(ui::utf8(file));
    QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
    QVERIFY(tour->steps.size() >= 3 && !tour->summary.isEmpty());
    for (const ui::TourStep &step : tour->steps) {
        ui::Facts facts;
        const service::PredictionPtr plan = predicted(step.plan.experiment);
        QVERIFY(plan);
        facts.add(*plan);
        if (!step.plan.beside.empty()) {
            const service::PredictionPtr beside = predicted(ui::besideOf(step.plan.experiment, step.plan.beside));
            QVERIFY(beside);
            facts.add(*beside, "other_");
        }
        if (step.plan.closeUp) {
            const auto part = ui::partOf(ui::contentOf(step.plan, {plan, nullptr, nullptr, nullptr}), step.plan);
            QVERIFY2(part, qPrintable(step.title));
            facts.addPart(part->time, part->flops);
        }
        QVERIFY2(!step.claims.empty(), "a step says something that can be checked");
        for (const ui::CheckedClaim &claim : step.claims)
            QVERIFY2(claim.claim.holds(facts.lookup()) == true,
                     qPrintable(u"%1, line %2 does not hold: %3"_s.arg(file).arg(claim.line).arg(claim.words)));
        const QString text = step.text.fill(facts);
        QVERIFY2(!text.contains(u'–') && !text.contains(u'{'), qPrintable(step.title + u": "_s + text));
        QVERIFY2(!step.plan.controls.isEmpty(), "something can be changed");
    }
}

/// Runs of thousands of steps are cut, which leaves their outcomes open; STAGELENS_LONG=1 trains all of their steps.
void LearnTours::theRunsOfEveryTourTurnOutAsItSays()
{
    constexpr int kStepsOfSanitizers = 3;
    const int mostSteps = qEnvironmentVariableIsSet("STAGELENS_LONG") ? std::numeric_limits<int>::max() : 100;
    const QTemporaryDir folder;
    int trained = 0;
    for (const QString &file : tours().entryList({u"*.tour"_s}, QDir::Files, QDir::Name)) {
        const auto tour = ui::readTour(ui::utf8(tours().filePath(file)));
        QVERIFY(tour);
        for (const ui::TourStep &step : tour->steps) {
            std::vector<std::vector<double>> losses;
            bool isCut = false;
            for (const ui::OfferedRun &run : step.plan.runs) {
                model::Experiment plan = ui::besideOf(step.plan.experiment, run.changes);
                isCut |= plan.training.steps > mostSteps;
                plan.training.steps = std::min(plan.training.steps, test::kIsSanitized ? kStepsOfSanitizers : mostSteps);
                service::runTraining(plan, {}, folder.filePath(u"runs.db"_s).toStdString(), 2, {},
                                     [&losses, i = losses.size()](const service::RunSnapshotPtr &snapshot) {
                                         losses.resize(i + 1);
                                         losses[i] = snapshot->record.losses;
                                         if (snapshot->error)
                                             qWarning("%s", snapshot->error->text().c_str());
                                     });
                QCOMPARE(losses.back().size(), static_cast<std::size_t>(plan.training.steps));
                ++trained;
            }
            ui::Facts facts;
            facts.addLosses(losses);
            for (const ui::CheckedClaim &outcome : step.outcomes)
                QVERIFY2(isCut || outcome.claim.holds(facts.lookup()) == true,
                         qPrintable(u"%1, line %2 does not hold: %3"_s.arg(file).arg(outcome.line).arg(outcome.words)));
        }
    }
    QVERIFY2(trained >= 10, "timelines differ, losses coincide; sixteen experts");
}

void LearnTours::everyChallengeIsSolvedByItsSolution_data()
{
    QTest::addColumn<QString>("file");
    QVERIFY(addTours("challenges") >= 5);
}

void LearnTours::everyChallengeIsSolvedByItsSolution()
{
    QFETCH(const QString, file);
    const auto tour = ui::readTour(ui::utf8(file));
    QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
    for (const ui::TourStep &step : tour->steps) {
        QVERIFY(!step.goals.empty() && !step.hint.isEmpty());
        const auto solution = ui::solved(step);
        QVERIFY2(solution.ok(), solution ? "" : solution.error().text().c_str());
        const service::PredictionPtr start = predicted(step.plan.experiment);
        const service::PredictionPtr end = predicted(*solution);
        QVERIFY(start && end);
        const auto met = [&](const service::PredictionPtr &plan) {
            ui::Facts facts;
            facts.add(*start, "start_");
            facts.add(*plan);
            return std::ranges::count_if(
                step.goals, [&](const ui::CheckedClaim &goal) { return goal.claim.holds(facts.lookup()) == true; });
        };
        const auto all = static_cast<std::ptrdiff_t>(step.goals.size());
        QVERIFY2(met(start) < all, "there is something to do");
        QCOMPARE(met(end), all);
    }
}

void LearnTours::everyFamilyHasAPageWithAPicture()
{
    const QDir docs(ui::qtText((base::resourceFolder() / "docs").string()));
    for (const schedule::Family &family : schedule::families()) {
        const QString page = u"schedules/"_s + ui::qtText(family.name) + u".md"_s;
        QVERIFY2(docs.exists(page), qPrintable(page));
        const auto plan = ui::livePlanOfPage(page);
        QVERIFY(plan && ui::livePlanProblems(plan->experiment).empty() && predicted(plan->experiment));
        QCOMPARE(plan->experiment.parallel.devices, 4);
        QCOMPARE(plan->experiment.parallel.microbatches, 8);
    }
    for (const char16_t *method : {u"none", u"redis", u"vocab-naive", u"vocab-1", u"vocab-2"}) {
        const auto plan = ui::livePlanOfPage(u"vocabulary/"_s + QString::fromUtf16(method) + u".md"_s);
        QVERIFY(plan && predicted(plan->experiment));
    }
    QVERIFY(!ui::livePlanOfPage(u"glossary.md"_s));
    QVERIFY(!ui::livePlanOfPage(u"schedules/auto.md"_s));
}

void LearnTours::aBrokenTourIsExplained_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    const QString head = u"# T\n\n## S\n"_s;
    QTest::newRow("empty") << QString() << 1 << u"begins with"_s;
    QTest::newRow("no step") << u"# T\nwords\n"_s << 1 << u"no step"_s;
    QTest::newRow("no text") << head + u"plan: devices 4\n"_s << 3 << u"no text"_s;
    QTest::newRow("unknown key") << head + u"paint: red\n\nx"_s << 4 << u"'paint' is unknown"_s;
    QTest::newRow("unknown option") << head + u"plan: wheels 4\n\nx"_s << 4 << u"'wheels' is no option"_s;
    QTest::newRow("no number") << head + u"plan: devices four\n\nx"_s << 4 << u"no whole number"_s;
    QTest::newRow("unknown schedule") << head + u"plan: schedule best\n\nx"_s << 4 << u"'best' is unknown"_s;
    QTest::newRow("a file") << head + u"plan: schedule-file /etc/passwd\n\nx"_s << 4 << u"names no files"_s;
    QTest::newRow("a path") << head + u"example: ../../secret\n\nx"_s << 4 << u"no name of an example"_s;
    QTest::newRow("no example") << head + u"example: nothing\n\nx"_s << 4 << QString();
    QTest::newRow("too large") << head + u"plan: devices 2000000\n\nx"_s << 3 << u"more than the 32"_s;
    QTest::newRow("unsound") << head + u"plan: microbatches 0\n\nx"_s << 3 << u"cannot be drawn"_s;
    QTest::newRow("unsound beside") << head + u"beside: devices 0\n\nx"_s << 3 << u"cannot be drawn"_s;
    QTest::newRow("no claim") << head + u"check: bubble; small\n\nx"_s << 4 << u"compares nothing"_s;
    QTest::newRow("no words") << head + u"check: bubble < 1\n\nx"_s << 4 << u"in words"_s;
    QTest::newRow("unknown figure") << head + u"check: joy > 1; fun\n\nx"_s << 4 << u"'joy' is no figure"_s;
    QTest::newRow("negative cost") << head + u"plan: costs F=-1\n\nx"_s << 4 << u"no duration"_s;
    QTest::newRow("not a number") << head + u"plan: costs F=nan\n\nx"_s << 4 << u"no duration"_s;
    QTest::newRow("unknown place") << head + u"\nx\ny {joy}"_s << 6 << u"'joy' is no figure"_s;
    QTest::newRow("no hint") << head + u"change: devices\ngoal: bubble < 1; x\nsolution: devices 2\n\nx"_s << 7 << u"a hint"_s;
    QTest::newRow("locked") << head + u"goal: bubble < 1; x\nhint: y\nsolution: devices 2\n\nx"_s << 7
                            << u"cannot change; add it"_s;
    const QString moved = head + u"plan: devices 2, microbatches 2, schedule gpipe\nreorder: yes\nhint: y\n"_s;
    const QString goal = u"goal: makespan <= start_makespan; x\n"_s;
    const QString order = u"solution: 0: F0 B0 F1 B1\n"_s;
    QTest::newRow("no device") << moved + goal + u"solution: 2: F0 B0 F1 B1\n\nx"_s << 3 << u"begins with no device"_s;
    QTest::newRow("not all passes") << moved + goal + u"solution: 0: F0 B0 F1\n\nx"_s << 3 << u"line 2 of the order"_s;
    QTest::newRow("deadlock") << moved + goal + order + u"\nx"_s << 3 << u"line 2 of the order"_s;
    QTest::newRow("nothing to reach") << moved + u"goal: held <= 1; x\n"_s + order + u"\nx"_s << 9 << u"a goal such as"_s;
    QTest::newRow("fields and passes") << moved + goal + u"change: schedule\nsolution: schedule 1f1b\n\nx"_s << 10
                                       << u"one order a device"_s;
    QTest::newRow("not movable") << head + u"hint: y\n"_s + goal + order + u"\nx"_s << 7 << u"add 'reorder: yes'"_s;
    QTest::newRow("too many to move") << head + u"plan: microbatches 64\nreorder: yes\nhint: y\n"_s + goal + order + u"\nx"_s
                                      << 9 << u"more than the 400 passes"_s;
    QTest::newRow("wrong start") << head + u"order: 0: F0 F0\n\nx"_s << 5 << u"line 2 of the order"_s;
    const QString run = u"run: A\n"_s;
    const QString outcome = u"outcome: apart_b < 1; near\n"_s;
    QTest::newRow("one run") << head + run + outcome + u"\nx"_s << 6 << u"offer two to 6"_s;
    QTest::newRow("seven runs") << head + run.repeated(7) + outcome + u"\nx"_s << 12 << u"7 runs cannot be compared"_s;
    QTest::newRow("no outcome") << head + run + run + u"\nx"_s << 6 << u"runs need 'outcome'"_s;
    QTest::newRow("no runs") << head + outcome + u"\nx"_s << 5 << u"'outcome' needs runs"_s;
    QTest::newRow("nothing to train") << head + run + run + outcome + u"\nx"_s << 7 << u"no model to train"_s;
    QTest::newRow("a run without a name") << head + u"run: ; devices 4\n\nx"_s << 4 << u"a run has a name"_s;
    QTest::newRow("a run of an unknown option") << head + u"run: A; wheels 4\n\nx"_s << 4 << u"'wheels' is no option"_s;
    QTest::newRow("an unsound run") << head + u"plan: model gpt-demo\n"_s + run + u"run: B; devices 0\n"_s + outcome + u"\nx"_s
                                    << 3 << u"cannot be drawn"_s;
    QTest::newRow("data that are a file") << head + u"data: /etc/passwd\n\nx"_s << 4 << u"no data of a tour"_s;
    QTest::newRow("no such run") << head + u"outcome: apart_g < 1; far\n\nx"_s << 4 << u"'apart_g' is no figure"_s;
    for (const char *part :
         {"3", "device x", "device 3, F", "device 3, microbatch 1, X", "device 3, microbatch 1, F, layer, 2"})
        QTest::newRow(part) << head + u"close-up: %1\n\nx"_s.arg(QString::fromUtf8(part)) << 4 << u"a close-up is a device"_s;
    QTest::newRow("second step") << head + u"\nx\n## S2\nplan: devices x\n\ny"_s << 7 << u"no whole number"_s;
}

void LearnTours::aBrokenTourIsExplained()
{
    QFETCH(const QString, text);
    QFETCH(const int, line);
    QFETCH(const QString, says);
    const auto tour = ui::parseTour(text, u"t.tour"_s);
    QVERIFY(!tour);
    const base::Problem &problem = tour.error().problems.front();
    QCOMPARE(ui::qtText(problem.field), u"t.tour, line %1"_s.arg(line));
    QVERIFY2(ui::qtText(problem.message).contains(says), problem.message.c_str());
}

void LearnTours::damagedToursAreNeverBelieved()
{
    const unsigned seed = std::random_device()();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    QFile file(tours().filePath(u"1-bubble.tour"_s));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray sound = file.readAll();
    for (int round = 0; round < 150; ++round) {
        QByteArray damaged = sound;
        for (int i = 0; i < 3; ++i) {
            const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(damaged.size()));
            if (random() % 3 == 0)
                damaged.truncate(at + 1);
            else if (random() % 2 == 0)
                damaged[at] = static_cast<char>(random() % 256);
            else
                damaged.insert(at, damaged.mid(static_cast<qsizetype>(random() % static_cast<unsigned>(damaged.size())), 40));
        }
        const auto tour = ui::parseTour(QString::fromUtf8(damaged), u"d.tour"_s);
        if (tour) {
            for (const ui::TourStep &step : tour->steps)
                QVERIFY(ui::livePlanProblems(step.plan.experiment).empty());
        } else {
            QVERIFY2(tour.error().problems.front().field.find("d.tour, line ") == 0, tour.error().text().c_str());
        }
    }
}

STAGELENS_TEST(LearnTours)

} // namespace ui_learn_tours

#include "learn/tours.moc"
