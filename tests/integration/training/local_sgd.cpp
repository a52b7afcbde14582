// Replicas that train alone and are averaged every few steps: the bits of a reference that trains each one in a session of its
// own, on threads and on the virtual clock, under every kind of schedule; memory, checkpoints, verification and refusals.
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/run_check.h"
#include "engine/runtime/training/session.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace integration_training_local_sgd {

using namespace stagelens;
using model::VocabularyMethod;
using runtime::Tensors;
using test::scheduleOf;
using test::Trained;
namespace fs = std::filesystem;

namespace {

using SessionPtr = std::unique_ptr<runtime::Session>;

model::Experiment planOf(int every, int replicas = 2, const char *family = "1f1b",
                         VocabularyMethod method = VocabularyMethod::None, int microbatches = 2)
{
    auto experiment = test::tinyExperiment(family, method, 2, microbatches);
    experiment.parallel.replicas = replicas;
    experiment.parallel.syncEvery = every;
    experiment.training.steps = 4;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

SessionPtr open(const model::Experiment &experiment)
{
    auto session = runtime::Session::open(experiment, scheduleOf(experiment), {});
    if (!session)
        qFatal("%s", session.error().text().c_str());
    return std::move(session).value();
}

void step(runtime::Session &session, int index)
{
    if (const auto done = session.step(index, true, {}); !done)
        qFatal("%s", done.error().text().c_str());
}

/// Adds in the order of the replicas, then multiplies by 1 / their number.
Tensors meanOf(const std::vector<Tensors> &all)
{
    Tensors mean = all.front();
    for (std::size_t i = 0; i < mean.size(); ++i)
        for (std::size_t k = 0; k < mean[i].size(); ++k) {
            for (std::size_t replica = 1; replica < all.size(); ++replica)
                mean[i][k] += all[replica][i][k];
            mean[i][k] *= 1.0F / static_cast<float>(all.size());
        }
    return mean;
}

/// One replica in a session of its own. With one microbatch a step, step s of replica k has the tokens of step s d + k here.
class Alone {
public:
    explicit Alone(model::Experiment experiment) : m_replicas(experiment.parallel.replicas)
    {
        if (experiment.parallel.microbatches != 1)
            qFatal("the tokens would be others");
        experiment.parallel.replicas = 1;
        experiment.parallel.syncEvery = 1;
        for (int replica = 0; replica < m_replicas; ++replica)
            m_sessions.push_back(open(experiment));
    }
    /// Trains that many steps, with an average after every `every` of them, and returns the weights.
    Tensors train(int steps, int every)
    {
        for (int index = 0; index < steps; ++index) {
            std::vector<Tensors> all;
            for (int replica = 0; replica < m_replicas; ++replica) {
                runtime::Session &session = *m_sessions[static_cast<std::size_t>(replica)];
                step(session, index * m_replicas + replica);
                all.push_back(session.parameters());
            }
            if ((index + 1) % every == 0)
                for (const SessionPtr &session : m_sessions)
                    session->tensors().write(&runtime::Parameter::value, meanOf(all));
        }
        return m_sessions.front()->parameters();
    }

private:
    int m_replicas;
    std::vector<SessionPtr> m_sessions;
};

double distance(const Tensors &one, const Tensors &other)
{
    double squares = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t k = 0; k < one[i].size(); ++k)
            squares += std::pow(static_cast<double>(one[i][k]) - static_cast<double>(other[i][k]), 2);
    return std::sqrt(squares);
}

std::string firstField(const base::Result<> &outcome)
{
    return outcome ? "none" : outcome.error().problems.front().field;
}

} // namespace

class TrainingLocalSgd : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void hasTheBitsOfReplicasAlone_data()
    {
        QTest::addColumn<QByteArray>("optimizer");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("every");
        QTest::addColumn<bool>("live");
        test::Sample sample;
        const auto add = [&sample](const char *optimizer, int replicas, int every, bool live) {
            if (!sample.leavesOut())
                QTest::addRow("%s, %d replicas, every %d, live %d", optimizer, replicas, every, live)
                    << QByteArray(optimizer) << replicas << every << live;
        };
        add("adamw", 2, 2, true);
        add("adamw", 3, 2, false);
        add("sgd", 3, 4, true);
        add("adafactor", 2, 2, false);
        add("adam8bit", 2, 2, false);
        add("muon", 3, 2, false);
    }
    /// With moments of their own, and gradients limited each by its own norm.
    void hasTheBitsOfReplicasAlone()
    {
        QFETCH(QByteArray, optimizer);
        QFETCH(int, replicas);
        QFETCH(int, every);
        QFETCH(bool, live);
        auto experiment = planOf(every, replicas, "1f1b", VocabularyMethod::None, 1);
        experiment.parallel.microbatchSize = 2;
        experiment.training.optimizer.name = optimizer.toStdString();
        experiment.training.optimizer.momentum = optimizer == "sgd" ? 0.9 : experiment.training.optimizer.momentum;
        const Tensors expected = Alone(experiment).train(4, every);
        if (live)
            experiment.training.mode = model::RunMode::Live;
        const SessionPtr session = open(experiment);
        for (int index = 0; index < 4; ++index)
            step(*session, index);
        for (int replica = 0; replica < replicas; ++replica) {
            const Tensors found = session->tensors().read(&runtime::Parameter::value, replica);
            for (std::size_t i = 0; i < found.size(); ++i)
                QVERIFY2(test::sameBits(found[i], expected[i]), session->plan().parameters[i].name.c_str());
        }
    }

    /// Until then each has its own weights.
    void replicasAreEqualOnlyWhenAveraged()
    {
        const SessionPtr session = open(planOf(3));
        const auto apart = [&session] {
            return distance(session->tensors().read(&runtime::Parameter::value, 0),
                            session->tensors().read(&runtime::Parameter::value, 1));
        };
        for (int index = 0; index < 6; ++index) {
            step(*session, index);
            QCOMPARE(apart() == 0, index % 3 == 2);
        }
        const auto state = runtime::ParameterPart::state(0);
        QVERIFY(distance(session->tensors().read(state, 0), session->tensors().read(state, 1)) > 0);
    }

    /// The mean of the weights after a step of gradient descent is a step along the mean of the gradients.
    void oneStepOfPlainSgdIsDataParallelism()
    {
        auto experiment = planOf(1, 3, "1f1b", VocabularyMethod::None, 1);
        experiment.training.optimizer = {};
        experiment.training.optimizer.name = "sgd";
        experiment.training.optimizer.momentum = 0;
        experiment.training.optimizer.weightDecay = 0;
        experiment.training.optimizer.learningRate = 0.1;
        const Tensors averaged = Alone(experiment).train(3, 1);
        const SessionPtr session = open(experiment);
        const Tensors begin = session->parameters();
        for (int index = 0; index < 3; ++index)
            step(*session, index);
        const double way = distance(session->parameters(), begin);
        const double error = distance(session->parameters(), averaged);
        QVERIFY2(way > 0 && error < 1e-5 * way, qPrintable(QString("%1 of %2").arg(error).arg(way)));
    }

    /// Two steps apart leave data parallelism by what is quadratic in the learning rate.
    void stepsApartDifferInSecondOrder()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto difference = [](double rate) {
            auto experiment = planOf(2);
            experiment.training.optimizer = {};
            experiment.training.optimizer.name = "sgd";
            experiment.training.optimizer.momentum = 0;
            experiment.training.optimizer.weightDecay = 0;
            experiment.training.optimizer.learningRate = rate;
            const SessionPtr apart = open(experiment);
            experiment.parallel.syncEvery = 1;
            const SessionPtr together = open(experiment);
            for (int index = 0; index < 2; ++index) {
                step(*apart, index);
                step(*together, index);
            }
            return distance(apart->parameters(), together->parameters());
        };
        const double ratio = difference(0.0005) / difference(0.00025);
        QVERIFY2(ratio > 3.6 && ratio < 4.4, qPrintable(QString::number(ratio)));
    }

    void bitsDependOnNeitherModeNorSchedule_data()
    {
        QTest::addColumn<QByteArray>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("tensor");
        test::Sample sample;
        const auto add = [&sample](const char *family, VocabularyMethod method, bool tied, int tensor = 1) {
            if (!sample.leavesOut())
                QTest::addRow("%s, method %d, tied %d, tensor %d", family, static_cast<int>(method), tied, tensor)
                    << QByteArray(family) << static_cast<int>(method) << tied << tensor;
        };
        add("zb-h1", VocabularyMethod::None, true);
        add("gpipe", VocabularyMethod::Vocab2, false);
        add("interleaved-1f1b", VocabularyMethod::Vocab1, true);
        add("1f1b", VocabularyMethod::Vocab1, false, 2);
    }
    void bitsDependOnNeitherModeNorSchedule()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, method);
        QFETCH(bool, tied);
        QFETCH(int, tensor);
        const auto planLike = [&](const char *name, model::RunMode mode) {
            auto experiment = planOf(2, 2, name, static_cast<VocabularyMethod>(method), 4);
            experiment.model.tied = tied;
            experiment.parallel.tensor = tensor;
            experiment.training.mode = mode;
            return experiment;
        };
        const Trained first = train(planLike("1f1b", model::RunMode::VirtualClock));
        const Trained other = train(planLike(family.constData(), model::RunMode::Live));
        QCOMPARE(other.losses, first.losses);
        QVERIFY(other.gradients == first.gradients);
        QVERIFY(other.final == first.final);
    }

    /// Two directions keep copies of their weights equal.
    void copiesOfDirectionsStayEqual()
    {
        auto experiment = planOf(2, 2, "dualpipe", VocabularyMethod::None, 4);
        const Trained first = train(experiment);
        experiment.training.mode = model::RunMode::Live;
        QVERIFY(train(experiment).final == first.final);
        experiment.training.mode = model::RunMode::VirtualClock;
        experiment.schedule.family = "chimera";
        QCOMPARE(train(experiment).losses.size(), first.losses.size());
    }

    void memoryAndTrafficArePlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto experiment = planOf(2, 3);
        const auto schedule = scheduleOf(experiment);
        const auto onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < 2; ++device) {
                QVERIFY(test::peaksArePredicted(experiment, schedule, report, device));
                const auto &anchored = report.timeline->lanes[static_cast<std::size_t>(device)].anchored;
                QCOMPARE(anchored.size(), static_cast<std::size_t>(report.step % 2)); // no reduction of gradients
                if (!anchored.empty())
                    QCOMPARE(anchored.front().kind, timeline::AnchoredKind::AverageParameters);
            }
        };
        const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }

    void lossesFall()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = planOf(4);
        experiment.training.steps = 24;
        experiment.training.optimizer.learningRate = 0.003;
        const std::vector<double> apart = test::lossesOf(experiment);
        experiment.parallel.syncEvery = 1;
        const std::vector<double> together = test::lossesOf(experiment);
        QCOMPARE(apart.front(), together.front()); // the mean over all tokens, before any update
        QVERIFY(apart.back() != together.back());  // another algorithm
        QVERIFY(apart.front() - apart.back() > 0.5 * (together.front() - together.back()));
    }

    void resumedRunsHaveTheSameBits_data()
    {
        QTest::addColumn<QByteArray>("optimizer");
        for (const std::string_view name : {"adamw", "adam8bit", "adafactor"})
            if (!test::kIsThreadSanitized || name == "adamw")
                QTest::newRow(name.data()) << QByteArray(name.data());
    }
    /// Each replica resumes with its own moments.
    void resumedRunsHaveTheSameBits()
    {
        QFETCH(QByteArray, optimizer);
        auto experiment = planOf(2, 3, "1f1b", VocabularyMethod::Vocab2);
        experiment.training.optimizer.name = optimizer.toStdString();
        experiment.training.steps = 8;
        const Trained whole = train(experiment);
        experiment.training.steps = 4;
        const fs::path run = place("run-" + optimizer.toStdString());
        QVERIFY(runtime::train(experiment, scheduleOf(experiment), {{}, {}, run, 2, {}}, {}, {}).ok());
        experiment.training.steps = 8;
        const Trained rest = test::trainedWithDump(experiment, place("dump"), {{}, {}, {}, 0, run});
        QCOMPARE(rest.losses.size(), std::size_t{4});
        QVERIFY(std::equal(rest.losses.begin(), rest.losses.end(), whole.losses.begin() + 4));
        QVERIFY(rest.final == whole.final);
    }

    void checkpointsOfOthersAreTakenOrRefused()
    {
        auto experiment = planOf(2, 2);
        const fs::path run = place("of-two");
        QVERIFY(runtime::train(experiment, scheduleOf(experiment), {{}, {}, run, 2, {}}, {}, {}).ok());
        const auto checkpoint = runtime::newestCheckpoint(run);
        QVERIFY2(checkpoint.ok(), checkpoint ? "" : checkpoint.error().text().c_str());
        experiment.training.steps = 12;
        QVERIFY(runtime::resumeProblems(*checkpoint, experiment).empty());
        experiment.parallel.syncEvery = 4;
        auto problems = runtime::resumeProblems(*checkpoint, experiment);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems[0].field, std::string("parallel.sync_every"));
        QCOMPARE(problems[0].message, std::string("is 4, but the checkpoint is of a run with 2; leave it as it was"));
        experiment.parallel.syncEvery = 2;
        experiment.parallel.replicas = 4;
        experiment.parallel.microbatches = 1; // as many sequences
        problems = runtime::resumeProblems(*checkpoint, experiment);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems[0].field, std::string("parallel.replicas"));
        // A run that summed gradients has one state, with which all replicas can begin.
        auto summed = planOf(1, 2);
        const fs::path sums = place("summed");
        QVERIFY(runtime::train(summed, scheduleOf(summed), {{}, {}, sums, 2, {}}, {}, {}).ok());
        summed.training.steps = 8;
        summed.parallel.syncEvery = 4;
        const auto begun = runtime::train(summed, scheduleOf(summed), {{}, {}, {}, 0, sums}, {}, {});
        QVERIFY2(begun.ok(), begun ? "" : begun.error().text().c_str());
    }

    void runsEndAndAreStoredWhenAveraged()
    {
        auto experiment = planOf(4);
        experiment.training.steps = 50;
        const auto schedule = scheduleOf(experiment);
        const auto ended = runtime::train(experiment, schedule, {}, {}, {});
        QCOMPARE(firstField(ended), std::string("training.steps"));
        QVERIFY2(ended.error().text().find("choose 48 or 52") != std::string::npos, ended.error().text().c_str());
        experiment.training.steps = 3;
        QVERIFY(runtime::stepProblems(experiment)[0].message.ends_with("choose 4"));
        experiment.training.steps = 48;
        QVERIFY(runtime::stepProblems(experiment).empty());
        const auto stored = runtime::train(experiment, schedule, {{}, {}, place("never"), 6, {}}, {}, {});
        QCOMPARE(firstField(stored), std::string("--checkpoint-every"));
        QVERIFY2(stored.error().text().find("choose 4 or 8") != std::string::npos, stored.error().text().c_str());
        QVERIFY(!fs::exists(place("never")));
    }

private:
    [[nodiscard]] fs::path place(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }
    [[nodiscard]] Trained train(const model::Experiment &experiment) const
    {
        return test::trainedWithDump(experiment, place("dump"));
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingLocalSgd)

} // namespace integration_training_local_sgd

#include "training/local_sgd.moc"
