// What a benchmark of a GPU makes of its kernels' times.
#include "engine/service/runs/gpu_bench.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_service_gpu_bench {

using namespace stagelens;
using backend::FigureGroup;
using backend::KernelFigure;

namespace {

KernelFigure figure(FigureGroup group, const char *name, double flops, double bytes, std::vector<double> seconds,
                    const char *shape = "s")
{
    return {.group = group,
            .name = name,
            .type = "bf16",
            .shape = shape,
            .flops = flops,
            .bytes = bytes,
            .seconds = std::move(seconds)};
}

const service::KernelResult &find(const service::GpuBench &bench, const std::string &name)
{
    static const service::KernelResult nothing;
    for (const service::KernelResult &each : bench.kernels)
        if (each.figure.name == name)
            return each;
    return nothing;
}

/// 100 FLOP/s and 1e8 B/s are possible.
std::vector<KernelFigure> ceilings()
{
    return {figure(FigureGroup::Ceiling, "largest product", 200, 0, {2}), figure(FigureGroup::Ceiling, "copy", 0, 1e8, {1})};
}

} // namespace

class ServiceGpuBench : public QObject {
    Q_OBJECT

private slots:
    void holdsFiguresAgainstTheCeilings()
    {
        std::vector<KernelFigure> figures = ceilings();
        figures.push_back(figure(FigureGroup::OutputProduct, "logits", 90, 0, {1.2, 1, 0.8, 1, 1}));
        figures.push_back(figure(FigureGroup::Memory, "GELU", 0, 8e7, {1}));
        figures.push_back(figure(FigureGroup::Memory, "order of tokens", 0, 1000, {1}));
        const service::GpuBench bench = service::judged(figures);
        QCOMPARE(find(bench, "logits").seconds, 1.0);
        QCOMPARE(find(bench, "logits").share.value_or(0), 0.9);
        QCOMPARE(find(bench, "logits").wantedShare.value_or(0), 0.9);
        QCOMPARE(find(bench, "GELU").rate, 8e7);
        QCOMPARE(find(bench, "GELU").share.value_or(0), 0.8);
        QVERIFY(!find(bench, "order of tokens").wantedShare); // its launch bounds it
        QVERIFY(!find(bench, "copy").share);
    }

    void weighsAGroupWithItsWork()
    {
        std::vector<KernelFigure> figures = ceilings();
        figures.push_back(figure(FigureGroup::LayerProduct, "large", 900, 0, {10})); // 90 %
        figures.push_back(figure(FigureGroup::LayerProduct, "small", 50, 0, {1}));   // 50 %
        const service::GpuBench bench = service::judged(figures);
        QCOMPARE(bench.groups.size(), std::size_t{1});
        QVERIFY(qAbs(bench.groups.front().share - 950.0 / 1100) < 1e-12);
    }

    void attentionIsHeldAgainstCudnns()
    {
        std::vector<KernelFigure> figures = ceilings();
        figures.push_back(figure(FigureGroup::Attention, "attention backward", 20, 0, {1}));
        const service::GpuBench alone = service::judged(figures);
        QCOMPARE(find(alone, "attention backward").share.value_or(0), 0.2);
        QVERIFY(!find(alone, "attention backward").wantedShare);
        figures.push_back(figure(FigureGroup::Attention, "attention backward, cuDNN", 20, 0, {0.5}));
        const service::GpuBench both = service::judged(figures);
        QCOMPARE(find(both, "attention backward").share.value_or(0), 0.5);
        QCOMPARE(find(both, "attention backward").wantedShare.value_or(0), 0.5);
        QVERIFY(!find(both, "attention backward, cuDNN").wantedShare);
    }

    void cutsOfTheOutputLayerAgainstTheWhole()
    {
        std::vector<KernelFigure> figures = ceilings();
        for (const char *method : {"vocab-1", "vocab-2"}) {
            const std::string name = std::string("S + T of ") + method;
            figures.push_back(figure(FigureGroup::OutputLayer, name.c_str(), 3 * 2.0 * 4096 * 4096 * 32768, 0, {6e-3}, "a"));
            figures.push_back(figure(FigureGroup::OutputLayer, name.c_str(), 100, 0, {1.25}, "shard"));
            figures.push_back(figure(FigureGroup::OutputLayer, name.c_str(), 800, 0, {8}, "whole"));
        }
        const service::GpuBench bench = service::judged(figures);
        QCOMPARE(bench.scaling.size(), std::size_t{2});
        QCOMPARE(bench.scaling.front().shards, 8);
        QCOMPARE(bench.scaling.front().share, 0.8);
        QCOMPARE(find(bench, "S + T of vocab-1").wantedSeconds.value_or(0), 5.2e-3);
    }

    void aFaultIsNoFigure()
    {
        std::vector<KernelFigure> figures = ceilings();
        figures.push_back({.group = FigureGroup::Memory, .name = "AdamW", .bytes = 1e9, .fault = "no memory"});
        const service::GpuBench bench = service::judged(figures);
        QVERIFY(!find(bench, "AdamW").share);
        QVERIFY(bench.groups.empty());
    }
};

STAGELENS_TEST(ServiceGpuBench)

} // namespace unit_service_gpu_bench

#include "service/gpu_bench.moc"
