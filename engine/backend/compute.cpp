#include "engine/backend/compute.h"

namespace stagelens::backend {

void Compute::copyRows(Values to, std::int64_t toStride, ConstValues from, std::int64_t fromStride, std::int64_t rows,
                       std::int64_t width)
{
    for (std::int64_t row = 0; row < rows; ++row)
        copy(to + row * toStride, from + row * fromStride, width);
}

} // namespace stagelens::backend
