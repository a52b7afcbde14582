#include "engine/simulate/costs/vocabulary_costs.h"

#include "engine/simulate/costs/device_share.h"

#include <algorithm>

namespace stagelens::simulate {

using schedule::PassKind;

double secondsOf(const VocabularyLegs &legs)
{
    double sum = 0;
    for (const VocabularyLeg &leg : legs)
        sum += leg.seconds;
    return sum;
}

VocabularyCosts::VocabularyCosts(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                 const LayerCosts &layer, const Traffic &traffic)
    : m_method(model::traits(schedule.vocabulary())), m_lastStage(schedule.placement().lastStage())
{
    const model::ModelConfig &model = experiment.model;
    const double tokens = static_cast<double>(experiment.parallel.microbatchSize) * model.sequence;
    const auto rows = static_cast<double>(shardRows(experiment, schedule, 0));
    const double logits = tokens * rows;
    const auto boundary = static_cast<double>(operators::boundaryBytes(model, experiment.parallel.microbatchSize));
    const double elementBytes = operators::elementBytes(model.dtype);
    m_product = layer.matrixSeconds(2 * logits * model.hidden, std::min({tokens, rows, static_cast<double>(model.hidden)}));
    m_softmax = layer.memorySeconds(logits * traffic.logitsForward);
    m_gradient = layer.memorySeconds(logits * traffic.logitsBackward);
    m_cast = layer.memorySeconds(logits * (4.0 + elementBytes));
    m_copies = layer.memorySeconds(traffic.shardCopies * boundary);
    m_lookUp = layer.memorySeconds(traffic.lookUp * boundary);
    m_scatter = layer.memorySeconds(traffic.scatter * boundary + traffic.denseGradient * (rows * model.hidden * elementBytes));
}

VocabularyLegs VocabularyCosts::pass(PassKind kind) const
{
    if (!m_method.isSharded)
        return {};
    // If there is a pass U, S computes the maximum before the barrier, and U the exponentials and sums after it.
    const double sums = m_method.hasPassU ? m_softmax / 2 : 0;
    switch (kind) {
    case PassKind::S:
        if (m_method.joinsSAndT)
            return {{"products", 3 * m_product}, {"softmax", m_softmax}, {"gradient", m_gradient}, {"copies", 2 * m_copies}};
        if (m_method.isGradientFromS)
            return {{"products", 2 * m_product}, {"softmax", m_softmax}, {"cast", m_cast}, {"copies", m_copies}};
        return {{"product", m_product}, {"softmax", m_softmax - sums}, {"copies", m_copies}};
    case PassKind::U: return m_method.hasPassU ? VocabularyLegs{{"softmax", sums}} : VocabularyLegs();
    case PassKind::T:
        if (m_method.joinsSAndT)
            return {};
        if (m_method.isGradientFromS)
            return {{"product", m_product}, {"gradient", m_gradient}, {"copies", m_copies}};
        return {{"products", 2 * m_product}, {"gradient", m_gradient}, {"copies", m_copies}};
    case PassKind::EF: return {{"look-up", m_lookUp}};
    case PassKind::EB: return {{"scatter", m_scatter}};
    default: return {};
    }
}

VocabularyLegs VocabularyCosts::embedding(PassKind kind, int stage) const
{
    if (m_method.isSharded || stage != 0)
        return {};
    if (kind == PassKind::F)
        return {{"look-up", m_lookUp}};
    return kind == PassKind::B || kind == PassKind::W ? VocabularyLegs{{"scatter", m_scatter}} : VocabularyLegs();
}

VocabularyLegs VocabularyCosts::output(PassKind kind, int stage) const
{
    if (m_method.isSharded || stage != m_lastStage)
        return {};
    if (kind == PassKind::F)
        return {{"product", m_product}, {"softmax", m_softmax}};
    // Not split: W would need the gradient of the logits, [b s, V] for each microbatch in flight.
    if (kind == PassKind::B || kind == PassKind::I)
        return {{"products", 2 * m_product}, {"gradient", m_gradient}};
    return {};
}

} // namespace stagelens::simulate
