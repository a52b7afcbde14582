// The determinism contract: gradients have equal bits for any order of passes and any placement of stages.
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/text_form.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <string>

namespace integration_same_bits {

using namespace stagelens;
using model::VocabularyMethod;
using test::kAllMethods;
using test::scheduleOf;
using test::smallExperiment;
using test::tinyExperiment;

namespace {

schedule::Schedule parsed(const char *text)
{
    auto schedule = schedule::scheduleFromText(text);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    return std::move(schedule).value();
}

} // namespace

class SameBits : public QObject {
    Q_OBJECT

private slots:
    void ofEveryFamily_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        test::Sample sample;
        for (const VocabularyMethod method : kAllMethods)
            for (const int devices : {1, 2, 4, 8}) {
                if (sample.leavesOut())
                    continue;
                QTest::addRow("%s p=%d", model::name(method).data(), devices) << static_cast<int>(method) << devices;
            }
    }
    void ofEveryFamily()
    {
        QFETCH(int, method);
        QFETCH(int, devices);
        const auto experimentOf = [&](const std::string &family) {
            auto experiment = smallExperiment(family, static_cast<VocabularyMethod>(method), devices, 6);
            experiment.model.tied = (devices + method) % 2 != 0;
            return experiment;
        };
        const auto plain = experimentOf("1f1b");
        const std::vector<float> expected = test::gradientsOf(plain, scheduleOf(plain));
        for (const std::string &family : test::sameBitsFamilies()) {
            auto experiment = experimentOf(family);
            // Runs each family live for some methods and numbers of devices, and on the virtual clock for the others.
            experiment.training.mode = (family[0] + method + devices) % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, scheduleOf(experiment))), family.c_str());
        }
    }

    /// Interlaced computes the arithmetic of VOCAB-1 in one pass.
    void ofInterlaced()
    {
        for (const int devices : {1, 2, 3, 4, 8}) {
            for (const int microbatches : {1, 2, 7, 12}) {
                const auto plain = smallExperiment("1f1b", VocabularyMethod::Vocab1, devices, microbatches);
                auto experiment = smallExperiment("interlaced", VocabularyMethod::None, devices, microbatches);
                experiment.training.mode = microbatches % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                QVERIFY(test::sameBits(test::gradientsOf(plain, scheduleOf(plain)),
                                       test::gradientsOf(experiment, scheduleOf(experiment))));
            }
        }
    }

    /// Attention's probabilities are kept in the bits that the backward computes again.
    void withMaterialisedAttention()
    {
        for (const char *family : {"1f1b", "zb-h1"}) { // whole and split backwards
            for (const bool isLlama : {false, true}) {
                auto experiment = smallExperiment(family, VocabularyMethod::Vocab1, 2, 4);
                if (isLlama)
                    experiment = test::asLlama(experiment, 1);
                const std::vector<float> expected = test::gradientsOf(experiment, scheduleOf(experiment));
                experiment.schedule.attention = model::Attention::Materialised;
                for (const model::Recompute recompute :
                     {model::Recompute::None, model::Recompute::Selective, model::Recompute::Full}) {
                    experiment.schedule.recompute = recompute;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, scheduleOf(experiment))), family);
                }
            }
        }
    }

    /// Logits that are computed again have the bits of those that were kept: for every method, whole and split backwards, and
    /// tensor ranks whose shards act as one.
    void withRebuiltLogits()
    {
        int turn = 0;
        for (const VocabularyMethod method : kAllMethods)
            for (const char *family : {"gpipe", "1f1b", "zb-h1", "v-half"})
                for (const int tensor : {1, 2}) {
                    auto experiment = smallExperiment(family, method, 2, 5);
                    experiment.parallel.tensor = tensor;
                    experiment.parallel.sequenceParallel = tensor > 1 && turn % 2 == 0;
                    experiment.model.tied = turn % 3 == 0;
                    experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                    const std::vector<float> expected = test::gradientsOf(experiment, scheduleOf(experiment));
                    experiment.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, scheduleOf(experiment))),
                             (std::string(family) + " " + std::string(model::name(method))).c_str());
                }
    }

    /// Also the losses of later steps, into which the norm of the clipped gradient goes.
    void withEveryCutOfTheLayers()
    {
        for (const auto &[method, tied] : {std::pair(VocabularyMethod::None, false), {VocabularyMethod::Vocab2, true}}) {
            auto experiment = smallExperiment("1f1b", method, 2, 4);
            experiment.model.layers = 4;
            experiment.model.tied = tied;
            experiment.training.steps = 3;
            experiment.training.optimizer.clip = 0.5;
            experiment.parallel.stageLayers = {2, 2};
            const std::vector<float> gradients = test::gradientsOf(experiment, scheduleOf(experiment));
            const std::vector<double> losses = test::lossesOf(experiment);
            for (const std::vector<int> &cut : {std::vector{1, 3}, {3, 1}}) {
                experiment.parallel.stageLayers = cut;
                QVERIFY(test::sameBits(gradients, test::gradientsOf(experiment, scheduleOf(experiment))));
                QCOMPARE(test::lossesOf(experiment), losses);
            }
        }
    }

    void withRecomputation()
    {
        test::Sample sample;
        int turn = 0;
        for (const auto &[family, method] : test::allPlans()) {
            if (sample.leavesOut())
                continue;
            auto experiment = smallExperiment(family, method, 2, 5);
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            const auto schedule = scheduleOf(experiment);
            const std::vector<float> expected = test::gradientsOf(experiment, schedule);
            for (const auto recompute : {model::Recompute::Selective, model::Recompute::Full}) {
                experiment.schedule.recompute = recompute;
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)), family.c_str());
            }
        }
    }

    /// The first layers of each stage as a whole, and operators of the others, under every plan.
    void withRecomputedParts()
    {
        test::Sample sample;
        int turn = 0;
        for (const auto &[family, method] : test::allPlans()) {
            for (const bool isLlama : {false, true}) {
                if (test::kIsSanitized && (isLlama != (family.size() % 2 == 0) || sample.leavesOut()))
                    continue;
                auto experiment = smallExperiment(family, method, 2, 5);
                if (isLlama)
                    experiment = test::asLlama(experiment, 1);
                if (++turn % 5 == 0)
                    experiment.schedule.attention = model::Attention::Materialised;
                experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                const auto schedule = scheduleOf(experiment);
                const std::vector<float> expected = test::gradientsOf(experiment, schedule);
                test::recomputeParts(experiment, turn);
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)),
                         (family + std::to_string(turn)).c_str());
            }
        }
    }

    /// Every number of layers, and every set of operators, with whole and split backwards.
    void withEachRecomputedPart()
    {
        for (const char *family : {"1f1b", "zb-h1"}) {
            for (const bool isLlama : {false, true}) {
                auto experiment = smallExperiment(family, VocabularyMethod::None, 2, 3);
                if (isLlama)
                    experiment = test::asLlama(experiment, 2);
                const auto schedule = scheduleOf(experiment);
                const std::vector<float> expected = test::gradientsOf(experiment, schedule);
                for (int turn = 0; turn < (test::kIsThreadSanitized ? 2 : 8); ++turn) {
                    test::recomputeParts(experiment, turn);
                    experiment.schedule.recomputeLayers = {turn % 5};
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)), std::to_string(turn).c_str());
                }
            }
        }
    }

    /// Two directions add in a different order than one, so their bits differ, but they are reproducible, live or not.
    void ofTwoDirectionsInEveryRun()
    {
        for (const char *family : {"dualpipe", "chimera"}) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = smallExperiment(family, method, 4, 9);
                experiment.model.tied = method == VocabularyMethod::None || method == VocabularyMethod::Vocab2;
                const auto schedule = scheduleOf(experiment);
                const std::vector<float> expected = test::gradientsOf(experiment, schedule);
                QVERIFY(std::ranges::any_of(expected, [](float value) { return value != 0.0F; }));
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)), family);
                experiment.training.mode = model::RunMode::Live;
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)), family);
            }
        }
    }

    /// A pair computes what its passes compute one after the other, live or not.
    void withOverlappedPairs()
    {
        test::Sample sample;
        for (const char *family : {"1f1b", "interleaved-1f1b"}) {
            for (const VocabularyMethod method : kAllMethods) {
                if (sample.leavesOut())
                    continue;
                auto experiment = smallExperiment(family, method, 4, 13);
                experiment.model.tied = method == VocabularyMethod::None || method == VocabularyMethod::Vocab2;
                const std::vector<float> expected = test::gradientsOf(experiment, scheduleOf(experiment));
                experiment.schedule.overlappedPairs = true;
                const auto schedule = scheduleOf(experiment);
                QVERIFY(std::ranges::any_of(schedule.device(0), &schedule::Pass::pairedWithNext));
                for (const auto mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
                    experiment.training.mode = mode;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment, schedule)), family);
                }
            }
        }
    }

    /// A custom order: one microbatch has a whole backward, the next a split one with its W last.
    void wholeAndSplitBackwardsOfOneStage()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto plain = tinyExperiment("1f1b", VocabularyMethod::None, 2, 3);
        const auto mixed = parsed("schedule custom devices 2 microbatches 3 vocabulary none\n"
                                  "0: F0 F1 B0 F2 I1 W1 I2 W2\n"
                                  "1: F0 B0 F1 I1 F2 I2 W1 W2\n");
        QVERIFY(test::sameBits(test::gradientsOf(plain, scheduleOf(plain)), test::gradientsOf(plain, mixed)));
    }

    /// With the first stage on the last device, the copy of a tied table precedes the original.
    void placesFromTheEnd()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto plain = tinyExperiment("1f1b", VocabularyMethod::None, 2, 3);
        plain.model.tied = true;
        const auto turned = parsed("schedule custom devices 2 microbatches 3 vocabulary none placement 1,0\n"
                                   "0: F0@1 B0@1 F1@1 B1@1 F2@1 B2@1\n"
                                   "1: F0@0 F1@0 B0@0 F2@0 B1@0 B2@0\n");
        QVERIFY(test::sameBits(test::gradientsOf(plain, scheduleOf(plain)), test::gradientsOf(plain, turned)));
    }
};

STAGELENS_TEST(SameBits)

} // namespace integration_same_bits

#include "same_bits.moc"
