#include "engine/simulate/costs/vocabulary_costs.h"

#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::PassKind;
using schedule::PassStepKind;

double secondsOf(const VocabularyLegs &legs)
{
    double sum = 0;
    for (const VocabularyLeg &leg : legs)
        sum += leg.seconds;
    return sum;
}

ExchangeCost exchangesOf(const VocabularyLegs &legs)
{
    ExchangeCost sum;
    for (const VocabularyLeg &leg : legs) {
        sum.seconds += leg.isExchange ? leg.seconds : 0;
        sum.bytes += leg.bytes;
    }
    return sum;
}

/// Returns the tokens of a microbatch whose vocabulary layers a rank computes.
static double vocabularyTokens(const model::Experiment &experiment, const operators::TensorSplit &split)
{
    return static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence / split.context /
           split.vocabularyRanks();
}

VocabularyCosts::LogitCosts VocabularyCosts::costsOfLogits(double columns, const model::Experiment &experiment,
                                                           const LayerCosts &layer, const Traffic &traffic)
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = vocabularyTokens(experiment, layer.split());
    const double outputTokens = model.outputHeads * tokens; // rows of the output layer
    const double logits = outputTokens * columns;
    const double width = model.tableWidth();
    const double elementBytes = operators::elementBytes(model.dtype);
    LogitCosts costs{};
    costs.productFlops = 2 * logits * width;
    // A sampled softmax copies the rows of its words before each product, and adds their gradients to the table's.
    const double copiedRows = model.isSampled() ? columns - 1 + outputTokens : 0;
    costs.sampleRows = layer.memorySeconds(2 * copiedRows * width * elementBytes);
    costs.product = layer.matrixSeconds(costs.productFlops, std::min({outputTokens, columns, width}));
    const auto parts = static_cast<double>(experiment.schedule.logitParts(static_cast<std::int64_t>(outputTokens)));
    // Each part reads the matrix, or reads and writes its gradient.
    const double matrix = columns * width * elementBytes;
    const auto partSeconds = [&](double bytes) {
        const double smallest = std::min({outputTokens / parts, columns, width});
        return parts * std::max(layer.matrixSeconds(costs.productFlops / parts, smallest), layer.memorySeconds(bytes));
    };
    costs.partProduct = parts > 1 ? partSeconds(matrix) : costs.product;
    costs.partGradient = parts > 1 ? partSeconds(2 * columns * width * 4.0) : costs.product;
    costs.softmax = layer.memorySeconds(logits * traffic.logitsForward);
    costs.gradient = layer.memorySeconds(logits * traffic.logitsBackward);
    costs.cast = layer.memorySeconds(traffic.logitsCast * logits * (4.0 + elementBytes));
    return costs;
}

VocabularyCosts::VocabularyCosts(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                 const LayerCosts &layer, const Traffic &traffic)
    : m_recipes(schedule::recipeBook(schedule.vocabulary(), schedule::recipeChoice(experiment))),
      m_lastStage(schedule.placement().lastStage())
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = vocabularyTokens(experiment, layer.split());
    const double outputTokens = model.outputHeads * tokens;
    const double width = model.tableWidth();
    const auto boundary =
        static_cast<double>(operators::tableRowBytes(model, experiment.parallel.microbatchSize, layer.split().ofVocabulary()));
    const auto outputRows = static_cast<double>(operators::outputRowBytes(
        model, experiment.parallel.microbatchSize, layer.split().ofVocabulary(), operators::tailWidth(experiment)));
    const double elementBytes = operators::elementBytes(model.dtype);
    // Of tensor ranks, the first has the most logits.
    const int parts = schedule::VocabularyTables(schedule).parts();
    for (int device = 0; device < (model.isSampled() || model.isAdaptive() ? parts : 1); ++device)
        m_logits.push_back(costsOfLogits(logitColumns(experiment, schedule, device).expected, experiment, layer, traffic));
    m_copies = layer.memorySeconds(traffic.shardCopies * outputRows);
    // A hashed input reads and scatters several rows for each token.
    const auto inputRows = static_cast<double>(inputShardRows(experiment, schedule, 0));
    const double rowsOfToken = std::max(1, model.inputHashes);
    m_lookUp = layer.memorySeconds(traffic.lookUp * rowsOfToken * boundary);
    m_scatter = layer.memorySeconds(traffic.scatter * rowsOfToken * boundary +
                                    traffic.denseGradient * (inputRows * width * elementBytes));
    const bool gathersRows = layer.split().isSequenceParallel && !layer.split().dividesVocabularyByTokens;
    const double ownTokens = gathersRows ? tokens / layer.split().ranks : tokens;
    const auto mapOf = [&](double columns) {
        const double flops = 2 * ownTokens * columns * model.hidden;
        return Product{layer.matrixSeconds(flops, std::min({ownTokens, columns, static_cast<double>(model.hidden)})), flops};
    };
    m_inputMap = mapOf(width);
    m_outputMap = mapOf(static_cast<double>(model.outputWidth()));
    addTails(experiment, schedule, layer, traffic);
    if (layer.split().ranks == 1)
        return;
    const GroupCollective sum = layer.split().isSequenceParallel ? GroupCollective::ReduceScatter : GroupCollective::AllReduce;
    m_input = {layer.exchange(GroupCollective::AllGather, boundary), layer.exchange(sum, boundary)};
    m_output = {layer.exchange(GroupCollective::AllGather, outputRows), layer.exchange(sum, outputRows)};
    const double softmaxes = operators::tailWidth(experiment) > 0 ? 2 * outputTokens : outputTokens;
    m_maxima = layer.exchange(GroupCollective::AllReduce, 4 * softmaxes);
    m_statistics = layer.exchange(GroupCollective::AllReduce, 8 * softmaxes);
}

void VocabularyCosts::addTails(const model::Experiment &experiment, const schedule::Schedule &schedule, const LayerCosts &layer,
                               const Traffic &traffic)
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = vocabularyTokens(experiment, layer.split());
    const std::vector<model::VocabularyTail> tails = model.tails();
    const bool isSharded = operators::tailWidth(experiment) > 0;
    Product maps;
    for (const model::VocabularyTail &tail : tails) {
        const double ofTail = operators::tailShare(model, tail) * tokens;
        const double words = tail.words();
        const double mapFlops = 2 * ofTail * tail.width * model.hidden;
        const double flops = 2 * ofTail * tail.width * words;
        const double smallest = std::min<double>(ofTail, tail.width);
        m_tails.flops += 3 * (mapFlops + flops);
        m_tails.seconds += 3 * (layer.matrixSeconds(mapFlops, smallest) + layer.matrixSeconds(flops, smallest)) +
                           layer.memorySeconds(ofTail * words * (traffic.logitsForward + traffic.logitsBackward));
        maps.flops += mapFlops;
        maps.seconds += layer.matrixSeconds(mapFlops, smallest);
    }
    if (!isSharded)
        return;
    m_outputMap = maps;
    for (int device = 0; device < schedule.devices(); ++device) {
        TailCosts &costs = m_tailShards.emplace_back();
        const std::vector<std::int64_t> rows = tailShardRows(experiment, schedule, device);
        for (std::size_t i = 0; i < tails.size(); ++i) {
            const double ofTail = operators::tailShare(model, tails[i]) * tokens;
            const double logits = ofTail * static_cast<double>(rows[i]);
            const double flops = 2 * logits * tails[i].width;
            costs.product.flops += flops;
            costs.product.seconds += layer.matrixSeconds(flops, std::min<double>(ofTail, tails[i].width));
            costs.softmax += layer.memorySeconds(logits * traffic.logitsForward);
            costs.gradient += layer.memorySeconds(logits * traffic.logitsBackward);
        }
    }
}

VocabularyCosts::Product VocabularyCosts::tailShards(const schedule::PassRole &role, int device) const
{
    if (m_tailShards.empty())
        return {};
    double products = 0;
    double softmaxes = 0;
    double gradients = 0;
    for (const schedule::PassStep &step : m_recipes.of(role).steps) {
        if (step.kind == PassStepKind::TailStatistics) {
            products += std::ranges::count(step.out, schedule::PassValue::WeighedRows) > 0 ? 2 : 1;
            ++softmaxes;
        }
        if (step.kind == PassStepKind::TailGradients) { // with the logits and exponentials again
            products += step.out.empty() ? 2 : 3;
            softmaxes += 0.5;
            ++gradients;
        }
    }
    const TailCosts &costs = m_tailShards[static_cast<std::size_t>(device)];
    return {products * costs.product.seconds + softmaxes * costs.softmax + gradients * costs.gradient,
            products * costs.product.flops};
}

VocabularyLegs VocabularyCosts::legs(const schedule::PassRole &role, int device) const
{
    const LogitCosts &logits = m_logits[m_logits.size() > 1 ? static_cast<std::size_t>(device) : 0];
    double lookUps = 0;
    double products = 0;
    double partProducts = 0;
    double partGradients = 0;
    double softmaxes = 0;
    double casts = 0;
    double gradients = 0;
    double copies = 0;
    double scatters = 0;
    double inputMaps = 0;
    double tails = 0;
    double outputMaps = 0;
    double gathers = 0; // of rows of the output layer
    double sums = 0;
    double inputGathers = 0;
    double inputSums = 0;
    double maxima = 0;
    double statistics = 0;
    const bool isOwnPass = schedule::isVocabularyPass(role.kind);
    // The first stage's input, if the tables are as wide as the layers.
    const auto isOfInput = [](const schedule::PassStep &step) {
        return schedule::rowsOf(step.in.front()) != schedule::RowsOf::OutputTable;
    };
    for (const schedule::PassStep &step : m_recipes.of(role).steps) {
        switch (step.kind) {
        case PassStepKind::Embed: ++lookUps; break;
        case PassStepKind::TokenGradient: ++scatters; break;
        case PassStepKind::Receive: copies += step.in.front() == schedule::PassValue::LastOutput ? 1 : 0; break; // X
        case PassStepKind::Logits:
        case PassStepKind::WeighRows: ++(step.isOfPart ? partProducts : products); break;
        case PassStepKind::LocalSoftmax: ++softmaxes; break;
        case PassStepKind::RowMaxima:
        case PassStepKind::Exponentiate:
        case PassStepKind::RebuildExponentials: softmaxes += 0.5; break;
        case PassStepKind::LabelRows: ++casts; break; // the product E W of S reads E in the compute type
        case PassStepKind::WeightGradient:
            ++(step.isOfPart ? partGradients : products);
            ++gradients;
            copies += isOwnPass ? 1 : 0; // dX
            break;
        case PassStepKind::Widen: ++inputMaps; break;
        case PassStepKind::Narrow: ++outputMaps; break;
        case PassStepKind::WidenBackward: inputMaps += 2; break; // of its input and of the map
        case PassStepKind::NarrowBackward: outputMaps += 2; break;
        case PassStepKind::Tails: ++tails; break;
        case PassStepKind::GatherRows: ++(isOfInput(step) ? inputGathers : gathers); break;
        case PassStepKind::SumRows: ++(isOfInput(step) ? inputSums : sums); break;
        case PassStepKind::SumMaxima: ++maxima; break;
        case PassStepKind::SumStatistics: ++statistics; break;
        default: break;
        }
    }
    VocabularyLegs legs;
    const auto add = [&legs](std::string_view name, double count, double seconds, double flops = 0) {
        if (count > 0)
            legs.push_back({name, count * seconds, false, 0, count * flops});
    };
    const auto addExchange = [&legs](std::string_view name, double count, const ExchangeCost &cost) {
        if (count > 0)
            legs.push_back({name, count * cost.seconds, true, count * cost.bytes});
    };
    addExchange("gather", inputGathers, m_input.gather);
    addExchange("gather", gathers, m_output.gather);
    add("look-up", lookUps, m_lookUp);
    add("map", inputMaps, m_inputMap.seconds, m_inputMap.flops);
    add("map", outputMaps, m_outputMap.seconds, m_outputMap.flops);
    add(products > 1 ? "products" : "product", products, logits.product, logits.productFlops);
    if (const double parts = partProducts + partGradients; parts > 0)
        legs.push_back({parts > 1 ? "products" : "product",
                        partProducts * logits.partProduct + partGradients * logits.partGradient, false, 0,
                        parts * logits.productFlops});
    if (logits.sampleRows > 0)
        add("drawn rows", products + partProducts + partGradients, logits.sampleRows);
    add("softmax", softmaxes, logits.softmax);
    addExchange("maxima", maxima, m_maxima);
    addExchange("statistics", statistics, m_statistics);
    add("cast", casts, logits.cast);
    add("gradient", gradients, logits.gradient);
    add("tails", tails, m_tails.seconds, m_tails.flops);
    if (const Product shards = tailShards(role, device); shards.seconds > 0)
        add("tails", 1, shards.seconds, shards.flops);
    add("copies", copies, m_copies);
    add("scatter", scatters, m_scatter);
    addExchange("sum", inputSums, m_input.sum);
    addExchange("sum", sums, m_output.sum);
    return legs;
}

VocabularyLegs VocabularyCosts::pass(PassKind kind, int device) const
{
    return legs({.kind = kind}, device);
}

VocabularyLegs VocabularyCosts::embedding(PassKind kind, int stage) const
{
    return legs({.kind = kind, .isFirst = stage == 0, .isLast = false});
}

VocabularyLegs VocabularyCosts::output(PassKind kind, int stage) const
{
    return legs({.kind = kind, .isFirst = false, .isLast = stage == m_lastStage});
}

} // namespace stagelens::simulate
