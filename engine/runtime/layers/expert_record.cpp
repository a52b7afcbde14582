#include "engine/runtime/layers/expert_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

/// Returns the entropy of sigmoids divided by their sum.
double entropyOfSigmoids(const float *logits, std::int64_t count)
{
    double sum = 0;
    double weighted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double each = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
        sum += each;
        weighted += each > 0 ? each * std::log(each) : 0;
    }
    return sum > 0 ? std::log(sum) - weighted / sum : std::log(static_cast<double>(count));
}

double entropyOf(const float *logits, std::int64_t count)
{
    const double top = *std::max_element(logits, logits + count);
    double sum = 0;
    double weighted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double each = std::exp(static_cast<double>(logits[i]) - top);
        sum += each;
        weighted += each * (static_cast<double>(logits[i]) - top);
    }
    return std::log(sum) - weighted / sum;
}

} // namespace

void ExpertRecord::add(int stage, int layer, const std::int32_t *routes, const float *logits,
                       const kernels::RoutingShape &shape, bool isSigmoid)
{
    RouterCounts &counts = m_layers[{stage, layer}];
    counts.rows.resize(static_cast<std::size_t>(shape.experts));
    for (std::int64_t i = 0; i < shape.rows(); ++i) {
        ++counts.rows[static_cast<std::size_t>(routes[i])];
        counts.dropped += routes[shape.rows() + i] < 0 ? 1 : 0;
    }
    for (std::int64_t token = 0; token < shape.tokens; ++token)
        counts.entropy += (isSigmoid ? entropyOfSigmoids : entropyOf)(logits + token * shape.experts, shape.experts);
    counts.tokens += shape.tokens;
}

void ExpertLog::add(const std::vector<RouterCounts> &layers)
{
    m_layers.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        Layer &layer = m_layers[i];
        if (layer.all.tokens == 0)
            layer.first = timeline::maxViolation(layers[i].rows);
        layer.all.add(layers[i]);
        layer.last = layers[i];
    }
}

std::vector<std::string> ExpertLog::texts(bool hasCapacity) const
{
    std::vector<std::string> texts;
    for (const Layer &layer : m_layers) {
        std::string &text = texts.emplace_back();
        if (layer.last.tokens == 0)
            continue;
        text = fmt::format("MaxVio {:.3f} (first step {:.3f}), router entropy {:.3f} of {:.3f}",
                           timeline::maxViolation(layer.last.rows), layer.first,
                           layer.last.entropy / static_cast<double>(layer.last.tokens),
                           std::log(static_cast<double>(layer.last.rows.size())));
        if (hasCapacity)
            text += fmt::format(", dropped {}", layer.all.dropped);
        text += ", rows";
        for (const std::int64_t rows : layer.all.rows)
            text += fmt::format(" {}", rows);
    }
    return texts;
}

} // namespace stagelens::runtime
