#include "engine/runtime/parameters.h"

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/runtime/shape.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace stagelens::runtime {
namespace {

constexpr double kDeviation = 0.02;
/// Elements between two questions to the interrupt, some 20 ms.
constexpr std::size_t kBlock = 500'000;

ParameterInfo table(std::string name, std::int64_t rows, std::int64_t columns)
{
    return {std::move(name), rows, columns, true, Fill::Normal, kDeviation};
}

void addNorm(std::vector<ParameterInfo> &list, const std::string &name, std::int64_t width)
{
    list.push_back({name + ".weight", 1, width, false, Fill::Ones, 0});
    list.push_back({name + ".bias", 1, width, false, Fill::Zeros, 0});
}

void addLinear(std::vector<ParameterInfo> &list, const std::string &name, std::int64_t in, std::int64_t out, double deviation)
{
    list.push_back({name + ".weight", in, out, true, Fill::Normal, deviation});
    list.push_back({name + ".bias", 1, out, false, Fill::Zeros, 0});
}

/// FNV-1a: a stream of random numbers for each name.
std::uint64_t streamOf(std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

} // namespace

std::vector<ParameterInfo> parameterList(const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const double residual = kDeviation / std::sqrt(2.0 * std::max(1, model.layers));
    std::vector<ParameterInfo> list;
    list.push_back(table("transformer.wte.weight", model.vocabularySize, h));
    list.push_back(table("transformer.wpe.weight", model.sequence, h));
    for (int layer = 0; layer < model.layers; ++layer) {
        const std::string name = base::concat("transformer.h.", layer, ".");
        addNorm(list, name + "ln_1", h);
        addLinear(list, name + "attn.c_attn", h, 3 * h, kDeviation);
        addLinear(list, name + "attn.c_proj", h, h, residual);
        addNorm(list, name + "ln_2", h);
        addLinear(list, name + "mlp.c_fc", h, model.ffn, kDeviation);
        addLinear(list, name + "mlp.c_proj", model.ffn, h, residual);
    }
    addNorm(list, "transformer.ln_f", h);
    if (!model.tied)
        list.push_back(table("lm_head.weight", model.vocabularySize, h));
    return list;
}

void initialise(std::span<float> values, const ParameterInfo &info, std::uint64_t seed, std::int64_t firstRow,
                const kernels::Interrupt &interrupt)
{
    if (info.fill != Fill::Normal) {
        std::fill(values.begin(), values.end(), info.fill == Fill::Ones ? 1.0F : 0.0F);
        return;
    }
    const base::Random random(seed, streamOf(info.name));
    auto element = static_cast<std::uint64_t>(firstRow * info.columns);
    while (!values.empty() && !interrupt()) {
        for (float &value : values.first(std::min(values.size(), kBlock)))
            value = static_cast<float>(info.deviation * random.normal(element++));
        values = values.subspan(std::min(values.size(), kBlock));
    }
}

Parameter makeParameter(backend::Pool &pool, const std::vector<ParameterInfo> &list, int index, std::uint64_t seed,
                        std::int64_t firstRow, std::int64_t rows, const kernels::Interrupt &interrupt)
{
    using simulate::MemoryCategory;
    const ParameterInfo &info = list[static_cast<std::size_t>(index)];
    Parameter parameter;
    parameter.index = index;
    parameter.firstRow = firstRow;
    parameter.rows = rows;
    parameter.columns = info.columns;
    const std::size_t count = size(parameter.count());
    parameter.value = pool.take(count, category(MemoryCategory::Parameters));
    parameter.gradient = pool.takeZeroed(count, category(MemoryCategory::Gradients));
    parameter.firstMoment = pool.takeZeroed(count, category(MemoryCategory::Optimizer));
    parameter.secondMoment = pool.takeZeroed(count, category(MemoryCategory::Optimizer));
    initialise(parameter.value.values(), info, seed, firstRow, interrupt);
    return parameter;
}

} // namespace stagelens::runtime
