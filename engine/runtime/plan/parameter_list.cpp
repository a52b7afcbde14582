#include "engine/runtime/plan/parameter_list.h"

#include "engine/base/random.h"
#include "engine/operators/architecture.h"
#include "kernels/include/rounding.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <thread>

namespace stagelens::runtime {
namespace {

/// Least work per thread: half a millisecond of random numbers. The numbers do not depend on the number of threads.
constexpr std::size_t kPerThread = std::size_t{1} << 14;

/// FNV-1a hash of the name: a random stream for each parameter.
std::uint64_t streamOf(std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

/// Initial values as GPT-2's, where projections into the residual stream are divided by sqrt(2 L).
ParameterInfo layerParameter(std::string name, const operators::BlockParameter &parameter, int layers)
{
    using operators::Initial;
    switch (parameter.initial) {
    case Initial::Ones: return {std::move(name), parameter.rows, parameter.columns, false, Fill::Ones, 0};
    case Initial::Zeros:
    case Initial::RouterBias: {
        ParameterInfo info{std::move(name), parameter.rows, parameter.columns, false, Fill::Zeros, 0};
        info.isRouterBias = parameter.initial == Initial::RouterBias;
        return info;
    }
    case Initial::Normal:
    case Initial::NormalResidual: break;
    }
    const double divisor = parameter.initial == Initial::NormalResidual ? std::sqrt(2.0 * std::max(1, layers)) : 1.0;
    ParameterInfo info = normalMatrix(std::move(name), parameter.rows, parameter.columns, kInitialDeviation / divisor);
    info.matrixRows = parameter.isOfExperts ? parameter.rows / parameter.experts : 0;
    return info;
}

} // namespace

ParameterInfo normalMatrix(std::string name, std::int64_t rows, std::int64_t columns, double deviation)
{
    return {std::move(name), rows, columns, true, Fill::Normal, deviation};
}

std::vector<ParameterInfo> parameterList(const model::ModelConfig &model)
{
    const operators::Architecture &architecture = operators::architectureOf(model.family);
    const operators::Block block = architecture.block(model);
    const operators::Block dense = operators::blockOf(model, false);
    const std::int64_t h = model.hidden;
    const std::int64_t width = model.tableWidth();
    const auto table = [](std::string_view name, std::int64_t rows, std::int64_t columns) {
        ParameterInfo info = normalMatrix(std::string(name), rows, columns);
        info.isTable = true;
        return info;
    };
    std::vector<ParameterInfo> list{table(architecture.tokenTable, model.inputRows(), width)};
    if (model.isHashed()) // the sum of several rows has the deviation of one
        list.front().deviation /= std::sqrt(static_cast<double>(model.inputHashes));
    if (architecture.hasPositionTable())
        list.push_back(table(architecture.positionTable, model.sequence, h));
    for (int layer = 0; layer < model.layers; ++layer)
        for (const operators::BlockParameter &each : (model.hasExpertsAt(layer) ? block : dense).parameters)
            list.push_back(layerParameter(fmt::format("{}{}.{}", architecture.layers, layer, each.name), each, model.layers));
    list.push_back({fmt::format("{}.weight", architecture.finalNorm), 1, h, false, Fill::Ones, 0});
    if (architecture.normsHaveBias)
        list.push_back({fmt::format("{}.bias", architecture.finalNorm), 1, h, false, Fill::Zeros, 0});
    // The product of a row of the table and a map has the deviation of a row of a full table.
    const double deviation = 1 / std::sqrt(static_cast<double>(width));
    if (model.isFactorised())
        list.push_back(normalMatrix("vocabulary_map.input.weight", width, h, deviation));
    if (model.mapsOutput()) // of each head, one after another
        list.push_back(normalMatrix("vocabulary_map.output.weight", model.outputWidth(), h, deviation));
    const std::vector<model::VocabularyTail> tails = model.tails();
    for (std::size_t i = 0; i < tails.size(); ++i) { // a row of the map keeps the deviation of its input
        list.push_back(normalMatrix(fmt::format("adaptive_softmax.{}.map.weight", i), tails[i].width, h,
                                    1 / std::sqrt(static_cast<double>(h))));
        list.push_back(table(fmt::format("adaptive_softmax.{}.weight", i), tails[i].words(), tails[i].width));
    }
    if (!model.tied)
        list.push_back(table(architecture.output, model.outputRows(), width));
    return list;
}

int firstOfLayer(const model::ModelConfig &model, int layer)
{
    const operators::Architecture &architecture = operators::architectureOf(model.family);
    const int before = (architecture.hasPositionTable() ? kPositionTable : kTokenTable) + 1;
    const int mixed = model.expertLayers(layer);
    const auto countOf = [&](bool hasExperts) {
        return static_cast<int>(operators::blockOf(model, hasExperts).parameters.size());
    };
    return before + (mixed > 0 ? mixed * countOf(true) : 0) + (layer > mixed ? (layer - mixed) * countOf(false) : 0);
}

int firstVocabularyMap(const model::ModelConfig &model)
{
    const bool hasBias = operators::architectureOf(model.family).normsHaveBias;
    return firstOfLayer(model, model.layers) + (hasBias ? 2 : 1);
}

int firstTail(const model::ModelConfig &model)
{
    return firstVocabularyMap(model) + (model.isFactorised() ? 1 : 0) + (model.mapsOutput() ? 1 : 0);
}

void initialise(std::span<float> values, const ParameterInfo &info, std::uint64_t seed, std::int64_t firstElement)
{
    if (info.fill != Fill::Normal) {
        std::fill(values.begin(), values.end(), info.fill == Fill::Ones ? 1.0F : 0.0F);
        return;
    }
    const base::Random random(seed, streamOf(info.name));
    const auto fill = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            values[i] = static_cast<float>(info.deviation * random.normal(static_cast<std::uint64_t>(firstElement) + i));
    };
    const std::size_t parts =
        std::clamp<std::size_t>(values.size() / kPerThread, 1, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::jthread> others;
    std::size_t part = 1;
    try {
        for (; part < parts; ++part)
            others.emplace_back(fill, values.size() * part / parts, values.size() * (part + 1) / parts);
    } catch (const std::system_error &) { // no more threads: the calling thread does the rest
        fill(values.size() * part / parts, values.size());
    }
    fill(0, values.size() / parts);
}

std::vector<float> asRead(std::vector<float> values, base::Precision precision)
{
    const auto round = [&values]<class T>(T) {
        for (float &value : values)
            value = kernels::toFloat(kernels::rounded<T>(value));
    };
    if (precision == base::Precision::Bf16)
        round(kernels::Bf16{});
    else if (precision == base::Precision::Fp16)
        round(kernels::Fp16{});
    return values;
}

} // namespace stagelens::runtime
