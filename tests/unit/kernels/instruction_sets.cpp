// The versions of a kernel for several instruction sets: which one runs, and what they have in common.
#include "kernels/include/activation.h"
#include "kernels/include/adamw.h"
#include "kernels/include/attention.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/instruction_set.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/softmax.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <functional>
#include <vector>

namespace unit_kernels_instruction_sets {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// What `work` answers with each instruction set of this processor, in rising order from `lowest`.
std::vector<std::vector<float>> withEach(InstructionSet lowest, const std::function<std::vector<float>()> &work)
{
    const InstructionSet before = instructionSet();
    std::vector<std::vector<float>> results;
    for (const InstructionSet set : kInstructionSets) {
        if (set < lowest || !isAvailable(set))
            continue;
        useInstructionSet(set);
        results.push_back(work());
    }
    useInstructionSet(before);
    return results;
}

void compareBits(const std::vector<std::vector<float>> &results)
{
    for (const auto &each : results)
        QVERIFY(each == results.front());
}

} // namespace

class KernelsInstructionSets : public QObject {
    Q_OBJECT

private slots:
    void theBestIsInUse()
    {
        for (const InstructionSet set : kInstructionSets) {
            qInfo("%s: %s", name(set).data(), isAvailable(set) ? "available" : "not on this processor");
            if (isAvailable(set) && !qEnvironmentVariableIsSet("STAGELENS_ISA"))
                QVERIFY(instructionSet() >= set);
        }
        QVERIFY(isAvailable(instructionSet()));
    }

    void elementwiseKernelsGiveEqualBits()
    {
        constexpr std::int64_t rows = 7, width = 133; // no multiple of any vector
        constexpr std::int64_t count = rows * width;
        const auto x = randomValues(count, 40, 3.0);
        const auto y = randomValues(count, 41);
        compareBits(withEach(InstructionSet::Baseline, [&] {
            auto values = x;
            auto gradient = y;
            std::vector<float> out(count), mean(rows), rstd(rows), sums(width), biases(width), first(count), second(count);
            const std::vector<std::int32_t> labels(rows, 3);
            activationForward(Activation::Gelu, out.data(), x.data(), count);
            activationBackward(Activation::Gelu, gradient.data(), x.data(), count);
            add(gradient.data(), out.data(), count);
            layerNormForward(out.data(), mean.data(), rstd.data(), gradient.data(), x.data(), y.data(), rows, width);
            layerNormBackward(gradient.data(), sums.data(), biases.data(), y.data(), out.data(), mean.data(), rstd.data(),
                              x.data(), rows, width);
            localSoftmax(mean.data(), rstd.data(), sums.data(), {out.data(), rows, width, 0}, labels.data());
            addColumnSums(biases.data(), out.data(), rows, width);
            add(gradient.data(), out.data(), count);
            adamwStep(values.data(), gradient.data(), first.data(), second.data(),
                      {1e-3F, 0.9F, 0.95F, 1e-8F, 0.1F, 1, 0.1F, 0.05F}, count);
            values.push_back(static_cast<float>(sumOfSquares(out.data(), count)));
            for (const auto &more : {out, sums, biases, mean, rstd, first, second})
                values.insert(values.end(), more.begin(), more.end());
            return values;
        }));
    }

    /// The baseline has no fused multiply-add; the two others sum in the same order.
    void attentionGivesEqualBitsWhereProductsAreFused()
    {
        const AttentionShape shape{1, 150, 4, 2, 24};
        const auto qkv = randomValues(static_cast<std::size_t>(150 * shape.qkvWidth()), 42);
        const auto dOut = randomValues(150 * 96, 43);
        compareBits(withEach(InstructionSet::Avx2, [&] {
            std::vector<float> out(150 * 96), logSumExp(150 * 4), dQkv(qkv.size());
            std::vector<float> scratch(static_cast<std::size_t>(attentionScratch(shape)));
            attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data());
            attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), shape, scratch.data());
            out.insert(out.end(), dQkv.begin(), dQkv.end());
            return out;
        }));
    }
};

STAGELENS_TEST(KernelsInstructionSets)

} // namespace unit_kernels_instruction_sets

#include "kernels/instruction_sets.moc"
