#include "engine/runtime/executor/pass_runner.h"

#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/executor/output/output_heads.h"
#include "engine/runtime/executor/output/tail_steps.h"
#include "engine/runtime/executor/output/vocabulary_map.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace stagelens::runtime {

using backend::Tensor;
using schedule::Pass;
using schedule::PassStep;
using schedule::PassStepKind;
using schedule::PassValue;

namespace {

/// Returns the operator of a step as timelines name it; empty for the layers, which name their own, exchanges and messages.
std::string_view operatorName(PassStepKind kind)
{
    switch (kind) {
    case PassStepKind::Embed: return "embedding look-up";
    case PassStepKind::AddPositions: return "embedding positions";
    case PassStepKind::FinalNorm: return "final norm";
    case PassStepKind::FinalNormBackward: return "final norm input";
    case PassStepKind::Logits: return "output logits";
    case PassStepKind::LocalSoftmax: return "output softmax";
    case PassStepKind::RowMaxima: return "output maxima";
    case PassStepKind::Exponentiate: return "output exponentials";
    case PassStepKind::RebuildExponentials: return "output exponentials again";
    case PassStepKind::CopyStatistics: return "output statistics";
    case PassStepKind::WeighRows: return "output weighted rows";
    case PassStepKind::LabelRows: return "output label rows";
    case PassStepKind::ScaleRows: return "output scaled rows";
    case PassStepKind::SubtractLabels: return "output gradient";
    case PassStepKind::WeightGradient: return "output weight";
    case PassStepKind::Loss: return "output loss";
    case PassStepKind::PositionGradient: return "embedding positions weight";
    case PassStepKind::TokenGradient: return "embedding weight";
    case PassStepKind::Widen: return "embedding map";
    case PassStepKind::WidenBackward: return "embedding map gradients";
    case PassStepKind::Narrow: return "output map";
    case PassStepKind::NarrowBackward: return "output map gradients";
    case PassStepKind::Tails: return "output tails";
    case PassStepKind::TailStatistics: return "output tail softmax";
    case PassStepKind::RescaleTails: return "output tail sums";
    case PassStepKind::TailGradients: return "output tail gradients";
    case PassStepKind::LayersForward:
    case PassStepKind::LayersBackward:
    case PassStepKind::LayersInputGradient:
    case PassStepKind::LayersWeightGradient:
    case PassStepKind::Receive:
    case PassStepKind::Send:
    case PassStepKind::TailLoss:
    case PassStepKind::GatherRows:
    case PassStepKind::SumRows:
    case PassStepKind::SumMaxima:
    case PassStepKind::SumStatistics: break;
    }
    return {};
}

bool isVocabulary(const Pass &pass, const PassStep &step)
{
    return step.countsApart || schedule::isVocabularyPass(pass.kind);
}

} // namespace

void PassRunner::hold(PassRun &run)
{
    for (std::size_t i = 0; i < schedule::kMessageKinds; ++i)
        if (const Tensor &tensor = run.message(static_cast<PassValue>(schedule::kKeptValues + i)))
            m_held.push_back(tensor);
}

void PassRunner::finish()
{
    compute().finish();
    m_held.clear();
}

base::Nanos PassRunner::vocabularyTime() const
{
    base::Nanos sum = 0;
    for (const auto &[begin, end] : m_inVocabulary)
        sum += compute().timeOf(end) - compute().timeOf(begin);
    return sum;
}

void PassRunner::begin(PassRun &run)
{
    m_inVocabulary.clear();
    hold(run);
}

base::Result<> PassRunner::run(PassRun &run)
{
    std::optional<backend::Compute::Mark> vocabularyBegin;
    const auto timeVocabulary = [&](bool isVocabulary) {
        if (isVocabulary && !vocabularyBegin)
            vocabularyBegin = compute().mark();
        if (!isVocabulary && vocabularyBegin)
            m_inVocabulary.emplace_back(*std::exchange(vocabularyBegin, std::nullopt), compute().mark());
    };
    m_context.operators->resume();
    while (!run.isAtMessage() && !run.exchange()) {
        const PassStep &step = *run.next();
        timeVocabulary(step.countsApart);
        if (step.isOfPart) {
            runParts(run);
            continue;
        }
        if (auto launched = launch(run, step); !launched)
            return launched;
        if (!run.exchange())
            note(run.pass(), step);
        if (!run.layers())
            run.advance();
    }
    timeVocabulary(false);
    if (!run.exchange()) {
        run.dropUnused();
        packMessages(run);
    }
    return {};
}

void PassRunner::note(const Pass &pass, const PassStep &step) const
{
    if (const std::string_view name = operatorName(step.kind); !name.empty())
        m_context.operators->note([name] { return std::string(name); }, isVocabulary(pass, step));
}

void PassRunner::runParts(PassRun &run)
{
    const auto last = std::ranges::find(run.steps(), false, &PassStep::isOfPart);
    const std::span<const PassStep> steps(run.steps().begin(), last);
    const std::int64_t tokens = m_context.shape.outputTokens();
    const std::int64_t parts = m_plan.experiment.schedule.logitParts(tokens);
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = tokens * part / parts;
        if (part > 0)
            m_context.operators->repeat(steps.size());
        for (const PassStep &step : steps) {
            runOutput(run, step, {run.pass().microbatch, first, tokens * (part + 1) / parts - first});
            note(run.pass(), step);
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
        run.advance();
}

base::Result<> PassRunner::launch(PassRun &run, const PassStep &step)
{
    const Pass &pass = run.pass();
    const Shape &shape = m_context.shape;
    const auto in = [&](std::size_t i) { return run.in(step.in[i], m_context); };
    if (runTailStep(run, step, {m_model, m_step, m_context, [&](PassValue value) { return place(run, value); }}))
        return checkLoss(pass.microbatch, &pass);
    Parameter *const positions = m_model.positions();
    switch (step.kind) {
    case PassStepKind::Receive:
    case PassStepKind::Send: break; // run by DeviceMessages before and after
    case PassStepKind::Embed: embed(run, step.out.front()); break;
    case PassStepKind::AddPositions:
        if (positions != nullptr)
            eachSequence([&](std::int64_t row, std::int64_t position, std::int64_t rows) {
                compute().addPositions(in(0) + row * shape.hidden, positions->weights() + position * shape.hidden, 1, rows,
                                       shape.hidden);
            });
        break;
    case PassStepKind::LayersForward:
    case PassStepKind::LayersBackward:
    case PassStepKind::LayersInputGradient:
    case PassStepKind::LayersWeightGradient: runLayers(run, step); break;
    case PassStepKind::FinalNorm: normalise(run, step.out.front()); break;
    case PassStepKind::FinalNormBackward: differentiateNorm(run, step); break;
    case PassStepKind::CopyStatistics: copyStatistics(run, step.out.front()); break;
    case PassStepKind::SubtractLabels: // u (sum of factors E W - label rows)
        compute().addScaled(in(0), in(1), -1.0F, shape.outputRows());
        compute().scale(in(0), in(0), shape.labelWeight(), shape.outputRows());
        break;
    case PassStepKind::Loss: return recordLoss(pass.microbatch, run.statistics(step.in.front(), m_context), &pass);
    case PassStepKind::PositionGradient:
        if (positions != nullptr)
            eachSequence([&](std::int64_t row, std::int64_t position, std::int64_t rows) {
                compute().addPositionGradients(positions->gradient.data() + position * shape.hidden, in(0) + row * shape.hidden,
                                               1, rows, shape.hidden);
            });
        break;
    case PassStepKind::TokenGradient: addTokenGradients(run, step.in.front()); break;
    case PassStepKind::Widen: widen(place(run, step.out.front()), in(0), *m_model.inputMap(), m_context); break;
    case PassStepKind::WidenBackward:
        narrow(place(run, step.out.front()), in(0), *m_model.inputMap(), m_context);
        addMapGradient(*m_model.inputMap(), in(1), in(0), m_context);
        break;
    case PassStepKind::Narrow: {
        const Values rows = place(run, step.out.front());
        narrow(rows, in(0), *m_model.outputMap(), m_context);
        clearUnlabelled(rows, firstOwn(), shape.ownTokens(), m_context);
        break;
    }
    case PassStepKind::NarrowBackward:
        clearUnlabelled(in(0), firstOwn(), shape.ownTokens(), m_context);
        widen(place(run, step.out.front()), in(0), *m_model.outputMap(), m_context);
        addMapGradient(*m_model.outputMap(), in(0), in(1), m_context);
        break;
    case PassStepKind::Tails: // see runTailStep()
    case PassStepKind::TailLoss:
    case PassStepKind::TailStatistics:
    case PassStepKind::RescaleTails:
    case PassStepKind::TailGradients: break;
    case PassStepKind::GatherRows:
    case PassStepKind::SumRows:
    case PassStepKind::SumMaxima:
    case PassStepKind::SumStatistics: run.exchange() = exchangeOf(run, step); break;
    case PassStepKind::Logits:
    case PassStepKind::LocalSoftmax:
    case PassStepKind::RowMaxima:
    case PassStepKind::Exponentiate:
    case PassStepKind::RebuildExponentials:
    case PassStepKind::WeighRows:
    case PassStepKind::LabelRows:
    case PassStepKind::ScaleRows:
    case PassStepKind::WeightGradient: runOutput(run, step, {pass.microbatch, 0, shape.outputTokens()}); break;
    }
    return {};
}

TensorExchange PassRunner::exchangeOf(PassRun &run, const PassStep &step)
{
    using Kind = TensorExchange::Kind;
    if (step.kind == PassStepKind::SumMaxima || step.kind == PassStepKind::SumStatistics) {
        float *const statistics = m_context.memory.at(step.out.front(), simulate::kVocabularyStage, run.pass().microbatch);
        return {step.kind == PassStepKind::SumMaxima ? Kind::Maxima : Kind::Sums, statistics, statistics, 1};
    }
    const Kind kind = step.kind == PassStepKind::GatherRows ? Kind::AllGather
                      : step.in == step.out                 ? Kind::AllReduce
                                                            : Kind::ReduceScatter;
    const Values in = run.in(step.in.front(), m_context);
    const Shape &shape = m_context.shape;
    const bool isOfHeads = schedule::rowsOf(step.out.front()) == schedule::RowsOf::OutputTable;
    const std::int64_t width = isOfHeads ? shape.tableWidth * shape.outputHeads + shape.tailWidth : shape.tableWidth;
    return {kind, in, place(run, step.out.front()), width};
}

template <class Visit>
void PassRunner::eachSequence(const Visit &visit) const
{
    const Shape &shape = m_context.shape;
    const std::int64_t own = shape.ownTokens();
    const std::int64_t first = firstOwn();
    shape.eachRun(m_context.contextRank, {first, first + own},
                  [&](auto row, auto position, auto rows) { visit(row - first, position, rows); });
}

/// The shard finds its kept values itself: of a step only the last input (statistics) and the first output are read.
void PassRunner::runOutput(PassRun &run, const PassStep &step, const TokenPart &part)
{
    const OutputShard &output = m_model.output();
    const std::int32_t *const labels = m_step.labels(part.microbatch);
    const auto all = [&] { return run.statistics(step.in.back(), m_context); };
    if (m_sampled && step.kind != PassStepKind::LabelRows && step.kind != PassStepKind::ScaleRows)
        return runSampled(run, step, part);
    switch (step.kind) {
    case PassStepKind::Logits: return output.logits(part, m_context);
    case PassStepKind::LocalSoftmax: return output.localSoftmax(part, labels, m_context);
    case PassStepKind::RowMaxima: return output.rowMaxima(part, labels, m_context);
    case PassStepKind::Exponentiate: return output.exponentiate(part, m_context);
    case PassStepKind::RebuildExponentials: return output.rebuildExponentials(part, m_context);
    case PassStepKind::WeighRows: return output.weighRows(rowsOf(run, step, part), part, m_context);
    case PassStepKind::LabelRows: return output.labelRows(rowsOf(run, step, part), part, labels, m_context);
    case PassStepKind::ScaleRows: return output.scaleRows(run.in(step.out.front(), m_context), part, all(), labels, m_context);
    case PassStepKind::WeightGradient: return output.addWeightGradient(part, all(), labels, m_context);
    default: break;
    }
}

Values PassRunner::rowsOf(PassRun &run, const PassStep &step, const TokenPart &part)
{
    const PassValue value = step.out.front();
    return part.first == 0 ? place(run, value) : run.in(value, m_context);
}

void PassRunner::runSampled(PassRun &run, const PassStep &step, const TokenPart &part)
{
    const OutputShard &output = m_model.output();
    const OutputStep sampled{step.kind, part, m_step.labels(part.microbatch)};
    const auto all = [&] { return run.statistics(step.in.back(), m_context); };
    switch (step.kind) {
    case PassStepKind::WeighRows: return m_sampled->weighRows(rowsOf(run, step, part), sampled, output, m_context);
    case PassStepKind::WeightGradient: return m_sampled->addWeightGradient(all(), sampled, output, m_context);
    default: return m_sampled->run(sampled, output, m_context);
    }
}

Values PassRunner::place(PassRun &run, PassValue value)
{
    const Values place = run.out(value, m_context);
    if (schedule::isMessage(value))
        m_held.push_back(run.message(value));
    return place;
}

StageRun PassRunner::beginLayers(PassRun &run, const PassStep &step)
{
    const Pass &pass = run.pass();
    const Stage &stage = m_model.stage(pass.stage);
    const auto begin = [&](StageWork work, Values tensor) { return StageRun(stage, work, pass.microbatch, tensor, m_context); };
    switch (step.kind) {
    case PassStepKind::LayersForward: return begin(StageWork::Forward, place(run, step.out.front()));
    case PassStepKind::LayersWeightGradient: return begin(StageWork::WeightGradient, {});
    case PassStepKind::LayersInputGradient: return begin(StageWork::InputGradient, run.in(step.in.front(), m_context));
    default: return begin(StageWork::Backward, run.in(step.in.front(), m_context));
    }
}

void PassRunner::runLayers(PassRun &run, const PassStep &step)
{
    if (!run.layers())
        run.layers() = beginLayers(run, step);
    run.exchange() = run.layers()->advance(m_context);
    if (!run.exchange())
        run.layers().reset();
}

void PassRunner::embed(PassRun &run, PassValue rows)
{
    const Shape &shape = m_context.shape;
    const Values out = place(run, rows);
    for (std::size_t list = 0; list < m_step.inputLists(); ++list) {
        const Values to = list == 0 ? out : m_context.scratch(0);
        compute().gatherRows(to, m_model.tokenTable()->weights(), m_model.tokenShard(),
                             m_step.inputRows(list, run.pass().microbatch), shape.vocabularyTokens());
        if (list > 0)
            compute().addScaled(out, to, 1.0F, shape.gathered());
    }
}

void PassRunner::addTokenGradients(PassRun &run, PassValue gradient)
{
    for (std::size_t list = 0; list < m_step.inputLists(); ++list)
        compute().scatterAddRows(m_model.tokenTable()->gradient.data(), m_model.tokenShard(),
                                 m_step.inputRows(list, run.pass().microbatch), run.in(gradient, m_context), 1.0F,
                                 m_context.shape.vocabularyTokens());
}

void PassRunner::normalise(PassRun &run, PassValue out)
{
    const Pass &pass = run.pass();
    forwardNorm(m_model.finalNorm(), place(run, out),
                m_context.memory.at(PassValue::NormStatistics, pass.stage, pass.microbatch),
                m_context.at(PassValue::NormInput, pass.stage, pass.microbatch), m_context);
}

void PassRunner::differentiateNorm(PassRun &run, const PassStep &step)
{
    const Pass &pass = run.pass();
    const Values in = place(run, step.out.front());
    compute().zero(in, m_context.shape.boundary());
    backwardNorm(m_model.finalNorm(), in, run.in(step.in.front(), m_context),
                 m_context.at(PassValue::NormInput, pass.stage, pass.microbatch),
                 m_context.memory.at(PassValue::NormStatistics, pass.stage, pass.microbatch), m_context);
}

void PassRunner::copyStatistics(PassRun &run, PassValue message)
{
    const kernels::SoftmaxStatistics local = run.statistics(PassValue::LocalStatistics, m_context);
    const float *const from = message == PassValue::Sums ? local.sum : local.maximum;
    (void)place(run, message); // statistics are float in every precision
    compute().copy(run.message(message)->data(), from, schedule::traits(message).statistics * local.tokens);
}

void PassRunner::packMessages(PassRun &run)
{
    const Pass &pass = run.pass();
    const Shape &shape = m_context.shape;
    for (const PassStep &step : run.steps()) {
        if (step.kind != PassStepKind::Send)
            return;
        const PassValue message = step.in.front();
        const std::optional<int> stage = m_plan.destinationOf(message, pass);
        const auto codec = stage ? codecOf(m_plan, message, m_device, m_plan.deviceOf(*stage, pass.microbatch)) : std::nullopt;
        if (!codec)
            continue;
        Tensor packed = m_context.memory.allocateMessage(kernels::packedFloats(*codec, shape.ownTokens(), shape.hidden));
        compute().pack(packed->data(), run.in(message, m_context), shape.ownTokens(), shape.hidden, *codec);
        m_held.push_back(std::exchange(run.message(message), std::move(packed)));
        m_context.operators->note([] { return std::string("message pack"); }, false);
    }
}

base::Result<> PassRunner::recordLoss(int microbatch, const kernels::SoftmaxStatistics &all, const Pass *pass)
{
    double &loss = m_step.losses[size(microbatch)];
    const std::int64_t first = m_context.shape.split.dividesVocabularyByTokens ? firstOwn() : 0;
    loss = lossOfHeads(all, first, m_step.counted(microbatch), m_context);
    if (m_model.tailShards())
        loss += lossOfTails(all, tailRows(m_step, microbatch, m_context.shape), m_context);
    return checkLoss(microbatch, pass);
}

base::Result<> PassRunner::checkLoss(int microbatch, const Pass *pass) const
{
    if (std::isfinite(m_step.losses[size(microbatch)]))
        return {};
    const std::string at = m_step.use == StepUse::Evaluation ? std::string() : " in " + m_step.text(m_plan);
    return base::Error::failed(fmt::format("the loss is not finite{}, microbatch {}, on device {}{}: training diverged; lower "
                                           "the learning rate (it is {:g}) or limit the gradient's norm with clip",
                                           at, microbatch, m_device,
                                           pass != nullptr ? ", in pass " + schedule::text(*pass) : "",
                                           m_plan.experiment.training.optimizer.learningRate),
                               "training.optimizer.lr");
}

} // namespace stagelens::runtime
