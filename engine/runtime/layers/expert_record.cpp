#include "engine/runtime/layers/expert_record.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace stagelens::runtime {
namespace {

constexpr std::size_t kFloatsOfDouble = sizeof(double) / sizeof(float);

} // namespace

void ExpertRecord::clear()
{
    for (auto &[place, totals] : m_layers) {
        const std::span<float> numbers = totals.numbers.values();
        m_compute.zero({numbers.data(), base::Precision::Fp32}, std::ssize(numbers));
        totals.tokens = 0;
    }
}

void ExpertRecord::add(int stage, int layer, const std::int32_t *routes, backend::ConstValues logits,
                       const kernels::RoutingShape &shape, bool isSigmoid)
{
    auto found = m_layers.find({stage, layer});
    if (found == m_layers.end()) {
        backend::Slab numbers(kFloatsOfDouble * static_cast<std::size_t>(shape.experts + 2), m_compute.memory());
        m_compute.zero({numbers.values().data(), base::Precision::Fp32}, std::ssize(numbers.values()));
        found = m_layers.emplace(std::pair(stage, layer), Totals{std::move(numbers)}).first;
    }
    auto *const totals = reinterpret_cast<double *>(found->second.numbers.values().data());
    m_compute.addRouterTotals(totals, routes, logits, shape, isSigmoid);
    found->second.tokens += shape.tokens;
}

ExpertRecord::Layers ExpertRecord::layers() const
{
    Layers layers;
    for (auto &[place, totals] : m_layers) {
        if (totals.tokens == 0)
            continue;
        const std::span<float> numbers = totals.numbers.values();
        std::vector<float> copied(numbers.size());
        m_compute.read(copied, backend::ConstValues(numbers.data(), base::Precision::Fp32));
        std::vector<double> values(copied.size() / kFloatsOfDouble);
        std::memcpy(values.data(), copied.data(), copied.size() * sizeof(float));
        RouterCounts &counts = layers[place];
        counts.entropy = values.back();
        counts.dropped = std::llround(values[values.size() - 2]);
        counts.tokens = totals.tokens;
        for (auto rows = values.begin(); rows + 2 != values.end(); ++rows)
            counts.rows.push_back(std::llround(*rows));
    }
    return layers;
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
