#include "engine/operators/optimizers/optimizer.h"

#include "engine/base/text.h"
#include "kernels/include/codebook.h"

#include <algorithm>
#include <vector>

namespace stagelens::operators {

std::int64_t StateTensor::numbers(std::int64_t elements, std::int64_t columns, std::int64_t matrixRows) const
{
    switch (extent) {
    case Extent::Element: break;
    case Extent::Row: return elements / columns;
    case Extent::Column: return matrixRows > 0 ? elements / matrixRows : elements > 0 ? columns : 0;
    case Extent::Block: return elements / columns * kernels::blocksOfRow(columns);
    }
    return elements;
}

std::int64_t StateTensor::placeOf(std::int64_t element, std::int64_t columns, std::int64_t matrixRows) const
{
    return extent == Extent::Column && matrixRows == 0 ? 0 : numbers(element, columns, matrixRows);
}

bool Optimizer::isElementwise() const
{
    return std::ranges::all_of(granularity, [](Granularity each) { return each == Granularity::Element; });
}

std::int64_t Optimizer::indivisible(const PartShape &part) const
{
    switch (granularityOf(part.kind)) {
    case Granularity::Element: break;
    case Granularity::Row: return part.columns;
    case Granularity::Matrix: return part.matrix().count();
    }
    return 1;
}

std::int64_t Optimizer::stateBytes(ParameterKind kind, std::int64_t elements, std::int64_t columns,
                                   std::int64_t matrixRows) const
{
    std::int64_t floats = 0;
    for (const StateTensor &tensor : state)
        floats += tensor.floats(kind, elements, columns, matrixRows);
    return floats * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t Optimizer::scratchFloats(const PartShape &part) const
{
    constexpr std::int64_t kFloats = sizeof(double) / sizeof(float);
    return (sums != nullptr ? kFloats * sums(part.kind, part.columns) : 0) + (scratch != nullptr ? scratch(part.matrix()) : 0);
}

bool Optimizer::reads(std::string_view option) const
{
    return std::ranges::find(options, option) != options.end();
}

std::string optimizerNames(std::string_view separator)
{
    std::vector<std::string> names;
    for (const Optimizer *optimizer : optimizers())
        names.emplace_back(optimizer->name);
    return base::join(names, separator);
}

const Optimizer *findOptimizer(std::string_view name)
{
    const auto found = std::ranges::find(optimizers(), name, &Optimizer::name);
    return found == optimizers().end() ? nullptr : *found;
}

const Optimizer &optimizerOf(const OptimizerChoice &choice)
{
    const Optimizer *const found = findOptimizer(choice.name);
    return found != nullptr ? *found : *findOptimizer(OptimizerChoice().name);
}

} // namespace stagelens::operators
