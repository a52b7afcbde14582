// Recipes of layers: every kernel call finds the values that it needs, checked by executing the steps on names.
#include "engine/operators/recipe.h"
#include "engine/operators/architecture.h"
#include "engine/operators/engine_floats.h"
#include "engine/operators/partition.h"
#include "engine/operators/recompute.h"
#include "engine/operators/sizes.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace unit_operators_recipe {

using namespace stagelens;
using namespace stagelens::operators;

namespace {

model::ModelConfig llama(int kvHeads, int ffn)
{
    model::ModelConfig model;
    model.family = model::ModelFamily::Llama;
    model.kvHeads = kvHeads;
    model.ffn = ffn;
    return model;
}

/// Attention and MLP read one norm: x + attention(norm(x)) + mlp(norm(x)), as in GPT-J.
Block parallelBlock(std::int64_t h, const model::ModelConfig &model)
{
    BlockBuilder block(h, WeightLayout::InputByOutput);
    const int norm = block.vector("norm.weight", h, Initial::Ones);
    const int qkvIn = block.matrix("qkv.weight", h, 3 * h);
    const int out = block.matrix("out.weight", h, h);
    const int gateIn = block.matrix("gate.weight", h, 2 * h);
    const int upIn = block.matrix("up.weight", h, 2 * h);
    const int downIn = block.matrix("down.weight", 2 * h, h);
    block.cut(qkvIn, Cut::Outputs, {{h, model.heads}, {h, model.heads}, {h, model.heads}});
    for (const int each : {gateIn, upIn})
        block.cut(each, Cut::Outputs, {{2 * h, 2 * h}});
    for (const int each : {out, downIn})
        block.cut(each, Cut::Inputs);
    const ValueId normed = block.rmsNorm("normed", "statistics", Block::kInput, norm);
    const ValueId attention = block.attention("attention", block.linear("qkv", normed, qkvIn), model);
    const ValueId middle = block.add("middle", block.linear("projected", attention, out), Block::kInput);
    const ValueId gate = block.value("gate", 2 * h);
    const ValueId up = block.value("up", 2 * h);
    block.linear(normed, {{gateIn, -1, gate}, {upIn, -1, up}});
    const ValueId down = block.linear("down", block.swiGlu("activated", gate, up), downIn);
    return block.build(block.add("out", down, middle));
}

/// Executes the steps of a recipe symbolically: each place holds a name. "x" is a value, "d x" its gradient, "d x from 1" the
/// sum of its first contribution. Throws if a step reads anything but what its operator needs.
class Names {
public:
    explicit Names(const LayerRecipe &recipe) : m_block(recipe.block)
    {
        for (const Operator &op : m_block.operators)
            for (const ValueId value : op.inputs)
                ++m_uses[value];
        m_places[key({Place::Kind::Input})] = name(Block::kInput);
    }

    void forward(const std::vector<Step> &steps)
    {
        for (const Step &step : steps) {
            const Operator &op = m_block.operators[static_cast<std::size_t>(step.op)];
            for (std::size_t i = 0; i < step.in.size(); ++i)
                expect(step.in[i], name(op.inputs[i]));
            std::vector<std::string> outputs;
            for (const ValueId value : op.outputs)
                outputs.push_back(name(value));
            if (step.between) {
                put(step.between, outputs[0]);
                outputs = {name(readerOf(op.outputs[0]).outputs[0])};
            }
            if (step.addend) {
                const Operator &add = readerOf(op.outputs[0]);
                expect(step.addend, name(add.inputs[1]));
                outputs = {name(add.outputs[0])};
            }
            for (std::size_t i = 0; i < step.out.size(); ++i)
                put(step.out[i], outputs[i]);
        }
    }

    void backward(const std::vector<Step> &steps)
    {
        m_places[key({Place::Kind::Gradient})] = "d " + name(m_block.output);
        for (const Step &step : steps)
            apply(step);
        expect({Place::Kind::Gradient}, "d " + name(Block::kInput));
    }

    void weights(const std::vector<Step> &steps)
    {
        for (const Step &step : steps)
            apply(step);
    }
    /// Empties the places of saved values.
    void forget(const std::vector<ValueId> &values)
    {
        for (const ValueId value : values)
            put({Place::Kind::Saved, value}, {});
    }
    /// Returns how often the gradient of each parameter was added to.
    [[nodiscard]] const std::map<int, int> &updates() const { return m_updates; }

private:
    void apply(const Step &step)
    {
        if (step.kind == StepKind::Copy)
            return put(step.out[0], m_places[key(step.in[0])]);
        const Operator &op = m_block.operators[static_cast<std::size_t>(step.op)];
        if (step.kind == StepKind::WeightGradient) {
            expect(step.in[0], name(op.inputs[0]));
            for (std::size_t i = 0; i < op.outputs.size(); ++i)
                expectGradient(step.in[i + 1], op.outputs[i]);
            for (const Projection &projection : op.projections)
                ++m_updates[projection.weight];
            return;
        }
        switch (op.kind) {
        case OperatorKind::Linear:
            for (std::size_t i = 0; i < op.outputs.size(); ++i)
                expectGradient(step.in[i], op.outputs[i]);
            if (step.between) {
                const Operator &gelu = m_block.operators[static_cast<std::size_t>(producerOf(op.inputs[0]))];
                expect(step.between, name(gelu.inputs[0]));
                return contribute(step, gelu.inputs[0]);
            }
            return contribute(step, op.inputs[0]);
        case OperatorKind::LayerNorm:
        case OperatorKind::RmsNorm:
            expectGradient(step.in[0], op.outputs[0]);
            expect(step.in[1], name(op.inputs[0]));
            expect(step.in[2], name(op.outputs[1]));
            for (const int parameter : op.parameters)
                ++m_updates[parameter];
            return contribute(step, op.inputs[0]);
        case OperatorKind::SwiGlu:
            expectGradient(step.in[0], op.outputs[0]);
            for (std::size_t i = 0; i < 2; ++i) {
                expect(step.out[i], name(op.inputs[i]));
                put(step.out[i], "d " + name(op.inputs[i]));
            }
            return;
        case OperatorKind::Rotary:
            expectGradient(step.in[0], op.outputs[0]);
            return put(step.out[0], "d " + name(op.inputs[0]));
        case OperatorKind::Attention:
            expectGradient(step.in[0], op.outputs[0]);
            expect(step.in[1], name(op.inputs[0]));
            expect(step.in[2], name(op.outputs[0]));
            for (std::size_t i = 1; i < op.outputs.size(); ++i)
                expect(step.in[2 + i], name(op.outputs[i]));
            return put(step.out[0], "d " + name(op.inputs[0]));
        default: break;
        }
        throw std::logic_error("a step of an operator that has none");
    }

    /// The gradient of a value through all but its additions, whose share is the gradient of the sum.
    void contribute(const Step &step, ValueId value)
    {
        const Place &place = step.out[0];
        const int products = m_uses[value] - static_cast<int>(isAdded(value));
        const int before = step.accumulates ? m_contributions[value] : 0;
        if (step.accumulates && isAdded(value) && before == 0)
            expectGradient(place, readerOf(value, OperatorKind::Add).outputs[0]);
        else if (step.accumulates)
            expect(place, part(value, before));
        m_contributions[value] = before + 1;
        put(place, before + 1 == products ? "d " + name(value) : part(value, before + 1));
    }

    [[nodiscard]] std::string part(ValueId value, int contributions) const
    {
        return "d " + name(value) + " from " + std::to_string(contributions);
    }
    /// The gradient of a value that is only added is the gradient of the sum.
    void expectGradient(const Place &place, ValueId value)
    {
        while (isAdded(value) && m_uses[value] == 1)
            value = readerOf(value, OperatorKind::Add).outputs[0];
        expect(place, "d " + name(value));
    }
    void expect(const Place &place, const std::string &content)
    {
        if (m_places[key(place)] != content)
            throw std::logic_error("expected " + content + ", found " + m_places[key(place)]);
    }
    void put(const Place &place, const std::string &content) { m_places[key(place)] = content; }
    [[nodiscard]] static int key(const Place &place)
    {
        return place.kind == Place::Kind::Saved     ? 100 + place.index
               : place.kind == Place::Kind::Scratch ? 1000 + place.index
                                                    : static_cast<int>(place.kind);
    }
    [[nodiscard]] std::string name(ValueId value) const { return std::string(m_block.value(value).name); }
    [[nodiscard]] int producerOf(ValueId value) const
    {
        for (std::size_t op = 0; op < m_block.operators.size(); ++op)
            if (std::ranges::count(m_block.operators[op].outputs, value) > 0)
                return static_cast<int>(op);
        return -1;
    }
    [[nodiscard]] bool isAdded(ValueId value) const
    {
        return std::ranges::any_of(m_block.operators, [&](const Operator &op) {
            return op.kind == OperatorKind::Add && std::ranges::count(op.inputs, value) > 0;
        });
    }
    [[nodiscard]] const Operator &readerOf(ValueId value) const
    {
        return *std::ranges::find_if(m_block.operators,
                                     [&](const Operator &op) { return std::ranges::count(op.inputs, value) > 0; });
    }
    [[nodiscard]] const Operator &readerOf(ValueId value, OperatorKind kind) const
    {
        return *std::ranges::find_if(
            m_block.operators, [&](const Operator &op) { return op.kind == kind && std::ranges::count(op.inputs, value) > 0; });
    }

    const Block &m_block;
    std::map<int, std::string> m_places;
    std::map<ValueId, int> m_uses;
    std::map<ValueId, int> m_contributions;
    std::map<int, int> m_updates;
};

std::vector<Block> blocks()
{
    model::ModelConfig gpt;
    return {blockOf(gpt), blockOf(llama(4, 352)), blockOf(llama(2, 64)), parallelBlock(128, gpt),
            withProbabilities(blockOf(gpt), gpt)};
}

} // namespace

class OperatorRecipe : public QObject {
    Q_OBJECT
private slots:
    void everyStepFindsItsValues()
    {
        for (const Block &block : blocks()) {
            const LayerRecipe recipe = recipeOf(block);
            for (const bool isSplit : {false, true}) {
                for (const bool isRebuilt : {false, true}) {
                    Names names(recipe);
                    try {
                        names.forward(isRebuilt ? recipe.rebuild : recipe.forward);
                        names.backward(isSplit ? recipe.inputGradient : recipe.backward);
                        if (isSplit)
                            names.weights(recipe.weightGradient);
                    } catch (const std::logic_error &error) {
                        QFAIL(qPrintable(QString::fromStdString(text(recipe) + error.what())));
                    }
                    int matrices = 0;
                    for (const BlockParameter &parameter : block.parameters)
                        matrices += parameter.isMatrix() ? 1 : 0;
                    for (const auto &[parameter, count] : names.updates())
                        QCOMPARE(count, 1);
                    QVERIFY(names.updates().size() >= static_cast<std::size_t>(matrices) + 1);
                }
            }
        }
    }

    /// Two linear maps of the ranks' columns read one norm, whose gradient is summed over the ranks once.
    void valuesEnterTensorRanksOnce()
    {
        const model::ModelConfig gpt;
        for (const bool isSequenceParallel : {false, true}) {
            const Block block = partitioned(parallelBlock(128, gpt), {.ranks = 2, .isSequenceParallel = isSequenceParallel});
            const auto entries = std::ranges::count_if(block.operators, [](const Operator &op) {
                return op.kind == OperatorKind::AllGather || op.kind == OperatorKind::Replicate;
            });
            QCOMPARE(entries, 1);
            const Exchange sum = isSequenceParallel ? Exchange::ReduceScatter : Exchange::AllReduce;
            const LayerRecipe recipe = recipeOf(block);
            for (const auto *steps : {&recipe.backward, &recipe.inputGradient})
                QCOMPARE(
                    std::ranges::count_if(
                        *steps, [sum](const Step &step) { return step.kind == StepKind::Exchange && step.exchange == sum; }),
                    1);
        }
    }

    /// What a layer rebuilds of its operators, every other saved value being kept.
    void everyRebuildFindsItsValues()
    {
        for (const Block &block : blocks()) {
            const LayerRecipe recipe = recipeOf(block);
            for (int set = 0; set < 8; ++set) {
                const model::RecomputeModules modules{(set & 1) != 0, (set & 2) != 0, (set & 4) != 0};
                const std::vector<ValueId> dropped = droppedValues(block, recipe.saved, modules);
                QCOMPARE(dropped.empty(), set == 0);
                const std::vector<Step> rebuild = rebuildSteps(recipe.forward, dropped);
                Names names(recipe);
                try {
                    names.forward(recipe.forward);
                    names.forget(dropped);
                    names.forward(rebuild);
                    names.backward(recipe.backward);
                } catch (const std::logic_error &error) {
                    QFAIL(qPrintable(QString::fromStdString(text(recipe) + error.what())));
                }
                for (const Step &step : rebuild) // cheap operators only: no product, no exchange
                    QVERIFY(step.kind == StepKind::Forward &&
                            isRebuilt(block.operators[static_cast<std::size_t>(step.op)].kind, modules));
            }
            QCOMPARE(rebuildSteps(recipe.forward, recipe.saved).size(), recipe.rebuild.size());
        }
    }

    /// The sums that the memory plan and the predictions rest on, from the literature's way of counting.
    void savedTensorsOfTheArchitectures()
    {
        const auto saved = [](const Block &block, bool areStatistics) {
            std::int64_t width = 0;
            for (const ValueId value : savedValues(block))
                width += block.value(value).isStatistics == areStatistics ? block.value(value).width : 0;
            return width;
        };
        const model::ModelConfig gpt;
        const std::int64_t h = gpt.hidden;
        QCOMPARE(saved(blockOf(gpt), false), 7 * h + 2 * gpt.ffn);
        QCOMPARE(saved(blockOf(gpt), true), 2 * 2 + gpt.heads);
        const model::ModelConfig grouped = llama(2, 352);
        QCOMPARE(saved(blockOf(grouped), false), 3 * h + 2 * h + 2 * (h / 2) + 3 * 352);
        QCOMPARE(saved(blockOf(grouped), true), 2 * 1 + grouped.heads);
    }

    /// Korthikanti et al. 2022 (arXiv 2205.05198), equation 1: 34 s b h + 5 a s^2 b; section 5: selective recomputation drops
    /// the second term.
    void materialisedAttentionKeepsItsProbabilities()
    {
        model::ModelConfig gpt3;
        gpt3.hidden = 12288;
        gpt3.heads = gpt3.kvHeads = 96;
        gpt3.ffn = 4 * gpt3.hidden;
        gpt3.sequence = 2048;
        gpt3.dtype = model::DataType::Fp16;
        const std::int64_t linear = std::int64_t{34} * 2048 * 12288;
        const std::int64_t scores = std::int64_t{5} * 96 * 2048 * 2048;
        using model::Attention;
        using model::Recompute;
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::None, Attention::Flash), linear);
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::None, Attention::Materialised), linear + scores);
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::Selective, Attention::Materialised), linear);
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::Full, Attention::Materialised), std::int64_t{2} * 2048 * 12288);
        const model::ModelConfig small;
        const auto kept = engineFloats(small, 3, base::Precision::Fp32, true).layer - engineFloats(small, 3).layer;
        QCOMPARE(kept, std::int64_t{3} * small.heads * small.sequence * small.sequence);
    }

    /// Korthikanti et al. 2022 (arXiv 2205.05198), equations 2 and 4: s b h (10 + 24 / t), and with sequence parallelism 34 s b
    /// h / t.
    void tensorRanksDivideWhatIsSaved()
    {
        model::ModelConfig gpt3;
        gpt3.hidden = 12288;
        gpt3.heads = gpt3.kvHeads = 96;
        gpt3.ffn = 4 * gpt3.hidden;
        gpt3.sequence = 2048;
        gpt3.dtype = model::DataType::Fp16;
        const std::int64_t unit = std::int64_t{2048} * 12288;
        using model::Attention;
        using model::Recompute;
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::None, Attention::Flash, {8, false}), unit * (10 + 24 / 8));
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::None, Attention::Flash, {8, true}), unit * 34 / 8);
        const std::int64_t scores = std::int64_t{5} * 96 / 8 * 2048 * 2048;
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::None, Attention::Materialised, {8, true}), unit * 34 / 8 + scores);
        QCOMPARE(layerActivationBytes(gpt3, 1, Recompute::Full, Attention::Flash, {8, true}), unit * 2 / 8);
    }

    /// A layer of hidden width 16 on two ranks, 8 tokens in fp32 (512 bytes in all): 4 exchanges forward, 6 backward, of which
    /// a rank sends half; 12 if the backward is split. Without sequence parallelism 2 and 2 all-reduces. At the end of the step
    /// 6 h gradients are summed, or 2 h of a Llama.
    void exchangesOfALayer()
    {
        model::ModelConfig gpt;
        gpt.hidden = 16;
        gpt.heads = gpt.kvHeads = 2;
        gpt.ffn = 64;
        const auto sent = [](const std::vector<Step> &steps) {
            std::int64_t bytes = 0;
            for (const Step &step : steps)
                if (step.kind == StepKind::Exchange)
                    bytes += (step.exchange == Exchange::AllReduce ? 2 : 1) * 8 * step.width * 4 / 2;
            return bytes;
        };
        const LayerRecipe sequence = recipeOf(partitioned(blockOf(gpt), {2, true}));
        QCOMPARE(sent(sequence.forward), 1024);
        QCOMPARE(sent(sequence.backward), 1536);
        QCOMPARE(sent(sequence.inputGradient) + sent(sequence.weightGradient), 8 * 256);
        const LayerRecipe tensor = recipeOf(partitioned(blockOf(gpt), {2, false}));
        QCOMPARE(sent(tensor.forward), 1024);
        QCOMPARE(sent(tensor.backward), 1024);
        const auto summed = [](const Block &block) {
            std::int64_t count = 0;
            for (const BlockParameter &parameter : block.parameters)
                count += needsSum(parameter, {2, true}) ? parameter.count() : 0;
            return count;
        };
        QCOMPARE(summed(sequence.block), 6 * 16);
        model::ModelConfig grouped = llama(2, 48);
        grouped.hidden = 16;
        grouped.heads = 2;
        QCOMPARE(summed(partitioned(blockOf(grouped), {2, true})), 2 * 16);
    }

    /// The parts of all ranks make each whole matrix, and copies are where ranks outnumber heads.
    void ranksHoldEveryElement()
    {
        model::ModelConfig gpt;
        for (const auto &[model, ranks] :
             {std::pair(gpt, 2), {gpt, 4}, {llama(4, 352), 4}, {llama(2, 352), 4}, {llama(1, 352), 2}}) {
            const Block whole = blockOf(model);
            for (const BlockParameter &parameter : whole.parameters) {
                std::vector<int> holders(static_cast<std::size_t>(parameter.count()));
                for (int rank = 0; rank < ranks; ++rank) {
                    const layout::MatrixPart part = partOf(whole, parameter, rank, ranks);
                    std::int64_t next = 0;
                    part.eachRun({0, part.count()}, [&](std::int64_t own, std::int64_t first, std::int64_t count) {
                        QCOMPARE(own, next);
                        next += count;
                        for (std::int64_t i = first; i < first + count; ++i)
                            ++holders[static_cast<std::size_t>(i)];
                    });
                    QCOMPARE(next, part.count());
                    const Block own = partitioned(whole, {ranks, true});
                    const auto index = static_cast<std::size_t>(&parameter - whole.parameters.data());
                    QCOMPARE(own.parameters[index].rows, part.rows.size());
                    QCOMPARE(own.parameters[index].columns, part.width());
                }
                const int copies = copiesOf(parameter, ranks);
                QVERIFY(std::ranges::all_of(holders, [copies](int count) { return count == copies; }));
            }
        }
    }

    void scratchIsAsSmallAsItCanBe()
    {
        for (const int ffn : {32, 128, 352, 512}) {
            model::ModelConfig model = llama(2, ffn);
            const std::int64_t h = model.hidden;
            const LayerRecipe recipe = recipeOf(blockOf(model));
            QCOMPARE(recipe.scratch[0], std::max<std::int64_t>({h, ffn, h + 2 * (h / 2)}));
            QCOMPARE(recipe.scratch[1], h);
        }
        model::ModelConfig wideHeads = llama(4, 352);
        wideHeads.headDim = 64;
        QCOMPARE(recipeOf(blockOf(wideHeads)).scratch[1], std::int64_t{256});
        QCOMPARE(recipeOf(blockOf(wideHeads)).scratch[0], std::int64_t{768});
    }

    void refusesWhatNoKernelComputes()
    {
        BlockBuilder block(128, WeightLayout::OutputByInput);
        const ValueId twice = block.add("twice", Block::kInput, Block::kInput);
        QVERIFY_EXCEPTION_THROWN((void)recipeOf(block.build(twice)), std::logic_error);
    }
};

STAGELENS_TEST(OperatorRecipe)

} // namespace unit_operators_recipe

#include "operators/recipe.moc"
