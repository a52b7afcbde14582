#include "kernels/include/matmul.h"

#include "kernels/cpu/blas.h"
#include "kernels/include/double_product.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace stagelens::kernels {
namespace {

/// 50 ms on a slow core, 10 ms on a fast one.
constexpr double kCallFlops = 1e9;
/// Alignment of blocks, a multiple of the tiles of the library.
constexpr std::int64_t kGrain = 64;

CBLAS_TRANSPOSE transpose(Form form)
{
    return form == Form::Plain ? CblasNoTrans : CblasTrans;
}

/// Divides the longest axis into equal blocks within the limit. The library packs both operands in every call, and two long
/// axes amortise that best.
struct Blocks {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t inner;
    explicit Blocks(const Product &p) : rows(p.rows), columns(p.columns), inner(p.inner)
    {
        const auto flops = [this] { return 2.0 * static_cast<double>(rows) * static_cast<double>(columns * inner); };
        while (flops() > kCallFlops) {
            std::int64_t &longest = std::max({std::ref(rows), std::ref(columns), std::ref(inner)}, std::less<std::int64_t>());
            const std::int64_t half = ((longest + 1) / 2 + kGrain - 1) / kGrain * kGrain;
            if (half >= longest)
                return;
            longest = half;
        }
    }
};

/// Computes the block with that first row, column and inner index.
void multiplyBlock(const Product &p, const Blocks &size, std::int64_t row, std::int64_t column, std::int64_t inner)
{
    const bool aIsPlain = p.a.form == Form::Plain;
    const bool bIsPlain = p.b.form == Form::Plain;
    blas().sgemm(
        CblasRowMajor, transpose(p.a.form), transpose(p.b.form), static_cast<int>(std::min(size.rows, p.rows - row)),
        static_cast<int>(std::min(size.columns, p.columns - column)), static_cast<int>(std::min(size.inner, p.inner - inner)),
        p.alpha, p.a.data + (aIsPlain ? row * p.a.stride + inner : inner * p.a.stride + row), static_cast<int>(p.a.stride),
        p.b.data + (bIsPlain ? inner * p.b.stride + column : column * p.b.stride + inner), static_cast<int>(p.b.stride),
        inner == 0 ? p.beta : 1.0F, p.c + row * p.stride + column, static_cast<int>(p.stride));
}

void clearOrKeep(const Product &p)
{
    for (std::int64_t row = 0; row < p.rows; ++row)
        std::for_each_n(p.c + row * p.stride, p.columns, [&p](float &value) { value = p.beta == 0 ? 0.0F : p.beta * value; });
}

/// Returns whether the system can map that many bytes now.
bool hasAddressSpace(std::int64_t bytes)
{
    void *const begin =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return begin != MAP_FAILED && ::munmap(begin, static_cast<std::size_t>(bytes)) == 0;
}

} // namespace

void multiply(const Product &product, const Interrupt &interrupt)
{
    if (product.rows <= 0 || product.columns <= 0)
        return;
    if (product.inner <= 0) // an empty sum; the library rejects operands without columns
        return clearOrKeep(product);
    const Blocks size(product);
    for (std::int64_t row = 0; row < product.rows; row += size.rows) {
        for (std::int64_t column = 0; column < product.columns; column += size.columns) {
            for (std::int64_t inner = 0; inner < product.inner; inner += size.inner) {
                if (interrupt())
                    return;
                multiplyBlock(product, size, row, column, inner);
            }
        }
    }
}

void multiplyDoubles(double *c, const double *a, Form aForm, const double *b, Form bForm, std::int64_t rows,
                     std::int64_t columns, std::int64_t inner, double beta)
{
    blas().dgemm(CblasRowMajor, transpose(aForm), transpose(bForm), static_cast<int>(rows), static_cast<int>(columns),
                 static_cast<int>(inner), 1.0, a, static_cast<int>(aForm == Form::Plain ? inner : rows), b,
                 static_cast<int>(bForm == Form::Plain ? columns : inner), beta, c, static_cast<int>(columns));
}

void useOneThreadPerCall()
{
    blas().setThreads(1);
}

bool reserveProducts(int threads)
{
    static std::mutex mutex;
    static int reserved = 0;
    const std::scoped_lock lock(mutex);
    if (threads <= reserved || blas().allocate == nullptr || blas().release == nullptr)
        return true;
    if (!hasAddressSpace((threads - reserved) * kProductBuffer))
        return false;
    std::vector<void *> buffers(static_cast<std::size_t>(threads));
    std::ranges::generate(buffers, [] { return blas().allocate(1); });
    std::ranges::for_each(buffers, blas().release);
    reserved = threads;
    return true;
}

const char *libraryConfiguration()
{
    return blas().configuration();
}
const char *libraryCore()
{
    return blas().core();
}

} // namespace stagelens::kernels
