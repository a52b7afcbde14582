// The texts of slow parts and links, and what validation says of what-ifs.
#include "engine/model/what_if.h"
#include "engine/model/experiment_json.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <nlohmann/json.hpp>

namespace unit_model_what_if {

using namespace stagelens;
using model::SlowTarget;

namespace {

model::Experiment plan()
{
    model::Experiment experiment;
    experiment.parallel.replicas = 2;
    return experiment;
}

/// "field: message" of every problem.
QString problemsOf(const model::Experiment &experiment)
{
    const base::Problems problems = model::validate(experiment);
    return problems.empty() ? QString() : QString::fromStdString(base::Error::invalid(problems).text());
}

} // namespace

class ModelWhatIf : public QObject {
    Q_OBJECT

private slots:
    void slowPartsOfEveryKind()
    {
        const auto parts = model::parseSlowParts(" 3=1.5, device=0:1.1,rank=7:1.2 ,node=0:2,replica=1:0.5");
        QVERIFY(parts.ok());
        QCOMPARE(*parts, (std::vector<model::SlowPart>{{SlowTarget::Device, 3, 1.5},
                                                       {SlowTarget::Device, 0, 1.1},
                                                       {SlowTarget::Rank, 7, 1.2},
                                                       {SlowTarget::Node, 0, 2},
                                                       {SlowTarget::Replica, 1, 0.5}}));
        QCOMPARE(model::slowText(*parts), std::string("3=1.5,0=1.1,rank=7:1.2,node=0:2,replica=1:0.5"));
        QCOMPARE(*model::parseSlowParts(model::slowText(*parts)), *parts);
        QCOMPARE(*model::parseSlowLinks("2-3=4,0-1=1.5"), (std::vector<model::SlowLink>{{2, 3, 4}, {0, 1, 1.5}}));
        QVERIFY(model::parseSlowParts("")->empty());
    }

    void textsThatAreRefused_data()
    {
        QTest::addColumn<QString>("slow");
        QTest::addColumn<QString>("link");
        QTest::addColumn<QString>("message");
        const auto slow = [](const char *text, const char *message) { QTest::newRow(text) << text << "" << message; };
        const auto link = [](const char *text, const char *message) { QTest::newRow(text) << "" << text << message; };
        slow("3", "names nothing slow; write DEVICE=F");
        slow("gpu=3:2", "names nothing slow");
        slow("rank=7", "names nothing slow");
        slow("x=2", "names nothing slow");
        slow("1=2,", "names nothing slow");
        slow("3=fast", "has no number for its factor");
        slow("3=nan", "has no number for its factor");
        slow("3=0", "has the factor 0; choose 0.01 to 100, such as 0.01");
        slow("3=1000", "choose 0.01 to 100, such as 100");
        slow("4=1.5", "names device 4, but the plan has devices 0 to 3; choose 3");
        slow("-1=1.5", "choose 0");
        slow("rank=8:2", "names rank 8, but the plan has ranks 0 to 7; choose 7");
        slow("replica=2:2", "names replica 2, but the plan has replicas 0 to 1; choose 1");
        slow("3=2,3=1.5", "names device 3 twice; keep one");
        link("2", "names no link; write two devices and a factor, such as 2-3=4");
        link("a-b=2", "names no link");
        link("2-3", "names no link");
        link("2-4=2", "names device 4");
        link("2-2=2", "joins device 2 to itself");
        link("2-3=2,3-2=4", "names 3-2 twice");
    }
    void textsThatAreRefused()
    {
        QFETCH(QString, slow);
        QFETCH(QString, link);
        QFETCH(QString, message);
        model::Experiment experiment = plan();
        experiment.whatIf.slow = slow.toStdString();
        experiment.whatIf.slowLink = link.toStdString();
        const QString problems = problemsOf(experiment);
        QVERIFY2(problems.startsWith(slow.isEmpty() ? "what_if.slow_link: " : "what_if.slow: ") && problems.contains(message),
                 qPrintable(problems));
    }

    void nodesNeedHardware()
    {
        model::Experiment experiment = plan();
        experiment.whatIf.slow = "node=0:2";
        QCOMPARE(problemsOf(experiment), QString());
        experiment.cost.source = model::UniformCosts{{{"F", 1}}};
        QVERIFY(problemsOf(experiment).contains("name devices or ranks, or choose a hardware preset"));
    }

    void numbersHaveTheirRanges()
    {
        const auto refused = [](auto change, const char *message) {
            model::Experiment experiment = plan();
            change(experiment.whatIf);
            const QString problems = problemsOf(experiment);
            QVERIFY2(problems.contains(message), qPrintable(problems));
        };
        using model::WhatIf;
        refused([](WhatIf &w) { w.jitter = 5; }, "what_if.jitter: is 5; choose 0.0001 to 2");
        refused([](WhatIf &w) { w.draws = 10; }, "what_if.draws: is given without jitter");
        refused([](WhatIf &w) { w.jitter = 0.1, w.draws = 0; }, "what_if.draws: is 0; choose 1 to 1000000");
        refused([](WhatIf &w) { w.failureInterval = 10; }, "what_if.failure_interval: needs checkpoint_seconds");
        refused([](WhatIf &w) { w.checkpointSeconds = 10; }, "what_if.checkpoint_seconds: needs failure_interval");
        refused([](WhatIf &w) { w.restartSeconds = 10; }, "what_if.restart_seconds: needs failure_interval");
        refused([](WhatIf &w) { w.failureInterval = 1, w.checkpointSeconds = 2000; }, "choose less than 1800");
        refused([](WhatIf &w) { w.failureInterval = 0, w.checkpointSeconds = 1; }, "what_if.failure_interval: is 0");
        model::Experiment large = plan();
        large.parallel.microbatches = 100'000;
        large.whatIf.jitter = 0.1;
        large.whatIf.draws = 1'000'000;
        QVERIFY2(problemsOf(large).contains("choose at most 8333"), qPrintable(problemsOf(large)));
    }

    void documentsKeepThem()
    {
        QVERIFY(!model::toJson(plan()).contains("what_if"));
        model::Experiment experiment = plan();
        experiment.whatIf = {"3=1.5", "2-3=4", 0.05, 500, 0.5, "lengths.csv", 24, 30, 120};
        const auto document = model::toJson(experiment);
        QCOMPARE(
            QString::fromStdString(document["what_if"].dump()),
            QString(
                R"({"slow":"3=1.5","slow_link":"2-3=4","jitter":0.05,"draws":500,"expert_skew":0.5,"lengths":"lengths.csv",)"
                R"("failure_interval":24.0,"checkpoint_seconds":30.0,"restart_seconds":120.0})"));
        const auto back = model::experimentFromJson(document.dump(), "test");
        QVERIFY(back.ok());
        QCOMPARE(*back, experiment);
        const auto wrong = model::experimentFromJson(R"({"stagelens":"experiment/2","what_if":{"slow":3,"lag":1}})", "test");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().problems.size(), std::size_t{2});
        QCOMPARE(wrong.error().problems[0].field, std::string("what_if.slow"));
    }
};

STAGELENS_TEST(ModelWhatIf)

} // namespace unit_model_what_if

#include "model/what_if.moc"
