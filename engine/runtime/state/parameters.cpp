#include "engine/runtime/state/parameters.h"

#include "engine/runtime/plan/shape.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

void zeroPadding(backend::Buffer &version, const Parameter &parameter, backend::Compute &compute)
{
    if (parameter.paddingRows > 0)
        compute.zero(backend::Values(version.data(), parameter.precision) + parameter.count(),
                     parameter.paddedCount() - parameter.count());
}

/// Allocates the optimizer's state for the elements that are updated here.
void allocateState(backend::Pool &pool, Parameter &parameter, const model::TrainingPlan &training, backend::Compute &compute)
{
    for (const operators::StateTensor &tensor : optimizerOf(training.optimizer).state) {
        const std::int64_t floats =
            tensor.floats(parameter.kind, parameter.updated().size(), parameter.columns, parameter.matrixRows);
        backend::Buffer &state = parameter.state.emplace_back();
        if (floats == 0)
            continue;
        state = pool.allocate(size(floats), category(simulate::MemoryCategory::Optimizer));
        compute.zero(state.data(), floats);
    }
}

} // namespace

void refreshRead(Parameter &parameter, backend::Compute &compute)
{
    const backend::Values copy = parameter.numbers(&Parameter::rounded);
    if (!copy)
        return;
    if (parameter.precision == base::Precision::Fp32)
        return compute.copy(copy, parameter.value.data(), parameter.count());
    if (!parameter.isOnHostOfGpu)
        return compute.round(copy, parameter.value.data(), parameter.count());
    compute.finish(); // copies to the value
    compute.write(copy, parameter.count(), [&parameter](std::span<float> block, std::int64_t first) {
        std::ranges::copy(parameter.value.values().subspan(size(first), block.size()), block.begin());
    });
}

Parameter makeParameter(const ParameterPools &pools, const std::vector<ParameterInfo> &list, int index,
                        const model::Experiment &experiment, layout::MatrixPart part, std::int64_t multiple,
                        backend::Compute &compute)
{
    const model::TrainingPlan &training = experiment.training;
    using simulate::MemoryCategory;
    const ParameterInfo &info = list[static_cast<std::size_t>(index)];
    Parameter parameter;
    parameter.index = index;
    parameter.kind = info.kind();
    if (info.isRouterBias)
        parameter.biasRate = static_cast<float>(experiment.model.routerBiasRate);
    parameter.rows = part.rows.size();
    parameter.columns = part.width();
    parameter.held = std::move(part);
    parameter.allRows = info.rows;
    parameter.matrixRows = parameter.columns == info.columns ? info.matrixRows : 0;
    parameter.paddingRows = operators::paddedRows(parameter.rows, multiple) - parameter.rows;
    parameter.precision = compute.precision();
    parameter.isFetched = pools.isFetched;
    parameter.isOnHostOfGpu = pools.kernels != nullptr;
    backend::Compute &updater = parameter.isOnHostOfGpu ? *pools.kernels : compute;
    const bool isRounded = parameter.precision != base::Precision::Fp32;
    const bool hasCopy = isRounded || (pools.host != nullptr && !pools.isFetched);
    parameter.value = pools.updated().allocate(size(hasCopy ? parameter.count() : parameter.paddedCount()),
                                               category(MemoryCategory::Parameters));
    parameter.gradient = pools.device.allocate(size(parameter.paddedCount()), category(MemoryCategory::Gradients));
    compute.zero(parameter.gradient.data(), parameter.paddedCount());
    parameter.share = {0, parameter.count()};
    parameter.isStateSharded = experiment.parallel.zero > 0;
    if (!parameter.isStateSharded)
        allocateState(pools.updated(), parameter, training, updater);
    updater.write(parameter.value.data(), parameter.count(), [&](std::span<float> block, std::int64_t first) {
        const layout::Interval piece{first, first + std::ssize(block)};
        parameter.held.eachRun(piece, [&](std::int64_t own, std::int64_t whole, std::int64_t length) {
            initialise(block.subspan(size(own - first), size(length)), info, training.seed, whole);
        });
    });
    if (hasCopy) {
        parameter.rounded = pools.read().allocate(size(base::floatsOf(parameter.paddedCount(), parameter.precision)),
                                                  category(MemoryCategory::Parameters));
        refreshRead(parameter, compute);
    }
    zeroPadding(parameter.read(), parameter, parameter.isFetched ? updater : compute);
    return parameter;
}

void shareState(backend::Pool &pool, Parameter &parameter, const layout::Interval &share, const model::TrainingPlan &training,
                backend::Compute &compute)
{
    parameter.share = share;
    if (parameter.isStateSharded)
        allocateState(pool, parameter, training, compute);
}

backend::Buffer allocateVersion(backend::Pool &pool, Parameter &parameter, backend::Compute &compute)
{
    backend::Buffer version = pool.allocate(parameter.read().size(), category(simulate::MemoryCategory::Parameters));
    zeroPadding(version, parameter, compute);
    return version;
}

void addOutputGradients(const std::vector<std::unique_ptr<Parameter>> &parameters, backend::Compute &compute)
{
    for (const auto &parameter : parameters) {
        if (parameter->outputGradient.size() == 0)
            continue;
        compute.add(parameter->gradient.data(), parameter->outputGradient.data(), parameter->count());
        compute.zero(parameter->outputGradient.data(), parameter->count());
    }
    compute.finish();
}

} // namespace stagelens::runtime
