#include "kernels/include/matmul.h"

#include <algorithm>
#include <cblas.h>

namespace stagelens::kernels {
namespace {

/// 50 ms of a slow core, 10 ms of a fast one.
constexpr std::int64_t kCallFlops = 1'000'000'000;
/// Blocks are not cut thinner than this: the library needs some rows and columns to be quick.
constexpr std::int64_t kFewestRows = 64;
constexpr std::int64_t kFewestColumns = 256;

CBLAS_TRANSPOSE form(const Operand &operand)
{
    return operand.form == Form::Plain ? CblasNoTrans : CblasTrans;
}

/// Size of a block of an axis of `length`, so that `flopsOfOne` times it stays within the limit.
std::int64_t blockSize(std::int64_t length, std::int64_t flopsOfOne, std::int64_t fewest)
{
    return std::min(length, std::max(fewest, kCallFlops / std::max<std::int64_t>(1, flopsOfOne)));
}

void multiplyBlock(const Product &p, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns)
{
    const float *a = p.a.data + (p.a.form == Form::Plain ? row * p.a.stride : row);
    const float *b = p.b.data + (p.b.form == Form::Plain ? column : column * p.b.stride);
    cblas_sgemm(CblasRowMajor, form(p.a), form(p.b), static_cast<int>(rows), static_cast<int>(columns),
                static_cast<int>(p.inner), p.alpha, a, static_cast<int>(p.a.stride), b, static_cast<int>(p.b.stride), p.beta,
                p.c + row * p.stride + column, static_cast<int>(p.stride));
}

void clearOrKeep(const Product &p)
{
    for (std::int64_t row = 0; row < p.rows; ++row)
        std::for_each_n(p.c + row * p.stride, p.columns, [&p](float &value) { value = p.beta == 0 ? 0.0F : p.beta * value; });
}

} // namespace

void multiply(const Product &product, const Interrupt &interrupt)
{
    if (product.rows <= 0 || product.columns <= 0)
        return;
    if (product.inner <= 0) // an empty sum; the library refuses operands without columns
        return clearOrKeep(product);
    const std::int64_t rows = blockSize(product.rows, 2 * product.columns * product.inner, kFewestRows);
    const std::int64_t columns = blockSize(product.columns, 2 * rows * product.inner, kFewestColumns);
    for (std::int64_t row = 0; row < product.rows; row += rows) {
        for (std::int64_t column = 0; column < product.columns; column += columns) {
            if (interrupt())
                return;
            multiplyBlock(product, row, std::min(rows, product.rows - row), column,
                          std::min(columns, product.columns - column));
        }
    }
}

void useOneThreadPerCall()
{
    openblas_set_num_threads(1);
}

const char *libraryConfiguration()
{
    return openblas_get_config();
}
const char *libraryCore()
{
    return openblas_get_corename();
}

} // namespace stagelens::kernels
