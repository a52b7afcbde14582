// What has the same bits as what, line by line:
//   a plan run twice                                    here
//   families of schedules, recomputation                same_bits.cpp
//   threads, processes and NCCL                         cli_mpi.cpp, gpu/nccl.cpp
//   ranks live and folded                               tensor_ranks.cpp, ranks/context.cpp, here with all axes
//   sequence parallel on and off                        here: all but the gradients that its ranks have parts of, if the
//                                                       vocabulary is whole
//   other numbers of tensor ranks, of replicas          here: never, but for rounding
//   ZeRO 0 to 3, the norm of sharded gradients          replicas.cpp, with clipping
//   ZeRO that reduces in every microbatch               ranks/zero_in_passes.cpp: its forms, with unsplit backwards
//   groups of two in any order of sums                  here
#include "engine/runtime/training/session.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace integration_ranks_bits_table {

using namespace stagelens;
using model::VocabularyMethod;
using runtime::Tensors;
using test::sameBits;

namespace {

/// The gradients of step `index`, ordered as `names` if it is not null.
Tensors gradientsOf(const model::Experiment &experiment, int index = 0, std::vector<std::string> *names = nullptr)
{
    const auto session = runtime::Session::open(experiment, test::scheduleOf(experiment), {});
    if (!session)
        qFatal("%s", session.error().text().c_str());
    if (const auto report = (*session)->step(index, false, {}); !report)
        qFatal("%s", report.error().text().c_str());
    for (const runtime::ParameterInfo &info : (*session)->plan().parameters)
        if (names != nullptr)
            names->push_back(info.name);
    return (*session)->gradients();
}

bool areSame(const Tensors &one, const Tensors &other)
{
    return std::ranges::equal(one, other, sameBits);
}

/// The greatest error of a gradient, against the norm of the other.
double distance(const Tensors &one, const Tensors &other)
{
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        double difference = 0;
        double norm = 0;
        for (std::size_t k = 0; k < one[i].size(); ++k) {
            difference += std::pow(static_cast<double>(one[i][k]) - static_cast<double>(other[i][k]), 2);
            norm += std::pow(static_cast<double>(other[i][k]), 2);
        }
        worst = std::max(worst, std::sqrt(difference / norm));
    }
    return worst;
}

model::Experiment planOf(int tensor, int context, int replicas, int microbatches)
{
    auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::Vocab2, 2, microbatches);
    experiment.parallel.tensor = tensor;
    experiment.parallel.context = context;
    experiment.parallel.replicas = replicas;
    return experiment;
}

} // namespace

class RanksBitsTable : public QObject {
    Q_OBJECT

private slots:
    /// With every axis, live and folded.
    void aPlanRunTwice()
    {
        auto experiment = planOf(2, 2, 2, 2);
        experiment.parallel.zero = 1;
        const Tensors first = gradientsOf(experiment);
        QVERIFY(areSame(gradientsOf(experiment), first));
        if (test::kIsThreadSanitized)
            return; // 16 threads
        experiment.training.mode = model::RunMode::Live;
        QVERIFY(areSame(gradientsOf(experiment), first));
        QVERIFY(areSame(gradientsOf(experiment), first));
    }

    void sequenceParallelOnAndOff_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        test::Sample sample;
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1})
            for (const bool isLlama : {false, true})
                if (!sample.leavesOut())
                    QTest::addRow("method %d, %s", static_cast<int>(method), isLlama ? "llama" : "gpt")
                        << static_cast<int>(method) << isLlama;
    }
    /// All gradients are equal but those of norms, of biases after a sum, and of positions: their sums over rows associate
    /// otherwise, because each rank has the rows of its own tokens.
    void sequenceParallelOnAndOff()
    {
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        const auto isReplicated = [](const std::string &name) {
            for (const char *part : {"ln_", "c_proj.bias", "wpe", "norm"})
                if (name.find(part) != std::string::npos)
                    return true;
            return false;
        };
        const auto with = [&](bool isSequenceParallel, std::vector<std::string> *names) {
            const auto vocabulary = static_cast<VocabularyMethod>(method);
            auto experiment = test::tinyExperiment("1f1b", vocabulary, vocabulary == VocabularyMethod::None ? 2 : 1, 4);
            experiment.parallel.tensor = 2;
            experiment.parallel.sequenceParallel = isSequenceParallel;
            return gradientsOf(isLlama ? test::asLlama(experiment, 2) : experiment, 0, names);
        };
        std::vector<std::string> names;
        const Tensors on = with(true, &names);
        const Tensors off = with(false, nullptr);
        int replicated = 0;
        int different = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
            replicated += isReplicated(names[i]) ? 1 : 0;
            different += sameBits(on[i], off[i]) ? 0 : 1;
            if (!isReplicated(names[i]))
                QVERIFY2(sameBits(on[i], off[i]), names[i].c_str());
        }
        QVERIFY(replicated > 0 && different > 0 && different <= replicated);
        QVERIFY(distance(on, off) < 1e-6);
    }

    /// The sum of the gradient of the output layer's input associates otherwise with a vocabulary sharded over several devices
    /// (over tensor ranks first, not over devices first), and with VOCAB-2, whose label rows are summed apart or not.
    void sequenceParallelWithAShardedVocabulary()
    {
        for (const auto &[method, devices] : {std::pair{VocabularyMethod::Vocab1, 2}, {VocabularyMethod::Vocab2, 1}}) {
            auto experiment = test::tinyExperiment("1f1b", method, devices, 4);
            experiment.parallel.tensor = 2;
            const Tensors on = gradientsOf(experiment);
            experiment.parallel.sequenceParallel = false;
            const Tensors off = gradientsOf(experiment);
            QVERIFY(sameBits(on.back(), off.back())); // of the output layer, before that sum
            QVERIFY(!areSame(on, off) && distance(on, off) < 1e-5);
        }
    }

    /// Another number of ranks divides a sum otherwise: rounded differently, and no more than that.
    void otherNumbersOfRanks()
    {
        const Tensors one = gradientsOf(planOf(1, 1, 1, 8));
        for (const model::Experiment &plan : {planOf(2, 1, 1, 8), planOf(4, 1, 1, 8), planOf(1, 2, 1, 8), planOf(1, 1, 2, 4)}) {
            const Tensors other = gradientsOf(plan);
            QVERIFY(!areSame(other, one));
            QVERIFY2(distance(other, one) < 1e-5, qPrintable(QString::number(distance(other, one))));
        }
    }

    /// Two summands commute: the sum over two replicas has the bits of both orders, which sums over more have not.
    void sumsOverTwoReplicasInAnyOrder()
    {
        for (const int replicas : {2, 3}) {
            auto experiment = planOf(1, 1, replicas, 1);
            const Tensors together = gradientsOf(experiment);
            experiment.parallel.replicas = 1;
            std::vector<Tensors> alone; // with one microbatch a step, replica k has the tokens of step k
            for (int replica = 0; replica < replicas; ++replica)
                alone.push_back(gradientsOf(experiment, replica));
            const auto sum = [&](bool isReversed) {
                Tensors all = isReversed ? alone.back() : alone.front();
                for (std::size_t i = 0; i < all.size(); ++i)
                    for (std::size_t k = 0; k < all[i].size(); ++k) {
                        for (int step = 1; step < replicas; ++step)
                            all[i][k] += alone[static_cast<std::size_t>(isReversed ? replicas - 1 - step : step)][i][k];
                        all[i][k] *= 0.5F; // exact, as is the weight of a replica's tokens among two
                    }
                return all;
            };
            QCOMPARE(areSame(sum(false), sum(true)), replicas == 2);
            if (replicas == 2)
                QVERIFY(areSame(together, sum(false)));
        }
    }
};

STAGELENS_TEST(RanksBitsTable)

} // namespace integration_ranks_bits_table

#include "ranks/bits_table.moc"
