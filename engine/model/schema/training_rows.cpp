#include "engine/model/schema/row.h"

#include "engine/operators/compression/compression.h"
#include "engine/operators/optimizers/optimizer.h"

#include <fmt/format.h>

namespace stagelens::model {

namespace {

constexpr double kMostSteps = 1'000'000'000;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::string setCompression(Experiment &experiment, const FieldValue &value)
{
    operators::ParsedCompression parsed = operators::parseCompression(std::get<std::string>(value));
    if (parsed.fault.empty())
        experiment.training.compression = std::move(parsed.choice);
    return std::move(parsed.fault);
}

std::string setLossScale(Experiment &experiment, const FieldValue &value)
{
    LossScaleChoice choice;
    std::string fault = parseLossScale(std::get<std::string>(value), choice);
    if (fault.empty())
        experiment.training.lossScale = choice;
    return fault;
}

std::string setBetas(Experiment &experiment, const FieldValue &value)
{
    const auto &betas = std::get<std::vector<double>>(value);
    if (betas.size() != 2)
        return fmt::format("has {} numbers; give two, such as 0.9,0.95", betas.size());
    experiment.training.optimizer.beta1 = betas[0];
    experiment.training.optimizer.beta2 = betas[1];
    return {};
}

/// Applies where the optimizer reads the option.
auto whereRead()
{
    return [](Field &field) {
        field.applies = [option = field.path.substr(kOptimizerPath.size())](const Experiment &experiment) {
            return optimizerOf(experiment.training.optimizer).reads(option);
        };
    };
}

} // namespace

std::vector<Field> trainingRows()
{
    using Kind = Field::Kind;
    static const std::string kOptimizers = operators::optimizerNames(", ");
    std::vector<FieldChoice> optimizers;
    for (const operators::Optimizer *optimizer : operators::optimizers())
        optimizers.push_back({optimizer->name, optimizer->caption, optimizer->description});
    return {
        row("training.gradient_compression", "--gradient-compression", "none|METHOD", "Gradient compression",
            "what replicas send of their gradients, the rest being kept for the next step: none (all), powersgd=R (two "
            "matrices of rank R), top-k=F (that share of the numbers, the greatest ones), sign (a bit for each) or "
            "one-bit-adam (a bit for each of "
            "the momentum of AdamW, whose second moments stay as they are after the uncompressed steps)",
            by([](const Experiment &e) { return FieldValue(operators::text(e.training.compression)); }, setCompression),
            as(Kind::Choice),
            oneOf(
                {{"none", "None", "All numbers of the gradients"},
                 {"powersgd=2", "PowerSGD, rank 2", "Two thin matrices whose product is nearly the gradient"},
                 {"powersgd=4", "PowerSGD, rank 4", "Two thin matrices whose product is nearly the gradient"},
                 {"powersgd=16", "PowerSGD, rank 16", "Two thin matrices whose product is nearly the gradient"},
                 {"top-k=0.01", "Greatest 1 %", "The numbers that are greatest in size, and their places"},
                 {"top-k=0.1", "Greatest 10 %", "The numbers that are greatest in size, and their places"},
                 {"sign", "Signs", "One bit for each number, and one scale for each matrix"},
                 {"one-bit-adam", "1-bit Adam", "One bit for each number of the momentum, to one replica and from it to all"}}),
            omitted(), where([](const Experiment &e) {
                return e.hasModel && (e.parallel.gradientRanks() > 1 || e.training.compression.isOn());
            })),
        row("training.gradient_compression_after", "--gradient-compression-after", "N", "Uncompressed steps before",
            "steps at the beginning of the training in which replicas send all numbers of their gradients, which are large and "
            "change quickly there (one-bit-adam: 15 % of the steps if 0)",
            MEMBER(training.compressionAfter), range(0, kMostSteps), omitted(),
            where([](const Experiment &e) { return e.hasModel && e.training.compression.isOn(); })),
        row("training.loss_scale", "--loss-scale", "dynamic|N", "Loss scale",
            "factor of the loss in fp16, which keeps small gradients from becoming 0: dynamic (halved when a gradient "
            "overflows, which skips the step), or a power of two",
            by([](const Experiment &e) { return FieldValue(text(e.training.lossScale)); }, setLossScale), as(Kind::Choice),
            oneOf(
                {{"dynamic", "Dynamic", "Begins at 65536; halved when a gradient overflows, doubled after 1000 steps without"},
                 {"1024", "1024"},
                 {"65536", "65536"}}),
            omitted(), where(all<kHasModel, kIsFp16>)),
        row("training.backend", "--backend", "NAME", "Backend",
            "what computes the passes when the plan is trained: see `list backends`", MEMBER(training.backend),
            as(Kind::Choice), oneOf({{"cpu", "CPU", "This machine's processor"}, {"cuda", "CUDA", "NVIDIA GPUs"}})),
        row("training.mode", "--mode", "MODE", "Clock",
            "live: all devices at once; virtual-clock: each pass measured alone, concurrency simulated", MEMBER(training.mode),
            oneOf({{"", "Automatic", "Live while devices <= cores, else virtual clock"},
                   {"live", "Live", "Wall clock, all devices at once"},
                   {"virtual-clock", "Virtual clock", "Each pass measured alone, concurrency simulated"}})),
        row("training.steps", "--steps", "N", "Steps", "training steps", MEMBER(training.steps), range(1, kMostSteps)),
        row("training.seed", "--seed", "S", "Seed", "of parameters, synthetic data and the places of a text's sequences",
            MEMBER(training.seed)),
        row("training.data", "--data", "SOURCE", "Text or tokens",
            "synthetic, a text file, a folder of texts or a .bin token file (nanoGPT, llm.c)", MEMBER(training.data),
            as(Kind::File)),
        row("training.optimizer.name", "--optimizer", "NAME", "Optimizer", kOptimizers, MEMBER(training.optimizer.name),
            as(Kind::Choice), oneOf(std::move(optimizers))),
        row("training.optimizer.lr", "--lr", "RATE", "Learning rate", "learning rate", MEMBER(training.optimizer.learningRate),
            range(0, kNoLimit)),
        row("training.optimizer.betas", "--betas", "b1,b2", "Betas",
            "decay of the mean and of the square (adamw), or share and decay of the momentum (lion), such as 0.9,0.95",
            by(
                [](const Experiment &e) {
                    return FieldValue(std::vector<double>{e.training.optimizer.beta1, e.training.optimizer.beta2});
                },
                setBetas),
            as(Kind::Pair), share(), whereRead()),
        row("training.optimizer.weight_decay", "--weight-decay", "RATE", "Weight decay",
            "decay of weights, apart from the gradient; sgd adds it to the gradient", MEMBER(training.optimizer.weightDecay),
            range(0, kNoLimit), whereRead()),
        row("training.optimizer.momentum", "--momentum", "MU", "Momentum", "decay of the sum of gradients (sgd, muon)",
            MEMBER(training.optimizer.momentum), share(), omitted(), whereRead()),
        row("training.optimizer.table_lr", "--table-lr", "RATE", "Rate of tables",
            "learning rate of the tables and vectors, which muon leaves to AdamW", MEMBER(training.optimizer.tableRate),
            range(0, kNoLimit), omitted(), whereRead()),
        row("training.optimizer.scale_parameter", "--scale-parameter", "--no-scale-parameter", "Scale by parameter",
            "multiply the rate of adafactor by the root mean square of each parameter, and let it fall as 1 / sqrt(t)",
            MEMBER(training.optimizer.scalesByValue), omitted(), whereRead()),
        row("training.optimizer.clip", "--clip", "NORM|off", "Gradient clipping", "greatest norm of the whole gradient",
            MEMBER(training.optimizer.clip), orElse("off")),
    };
}

} // namespace stagelens::model
