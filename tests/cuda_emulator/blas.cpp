// Products as plain loops, for tests on the host; sums accumulate in double in ascending order. Epilogues are kernels.
#include "kernels/cuda/plans.h"
#include "tests/cuda_emulator/activity.h"
#include "tests/cuda_emulator/fibres.h"
#include "tests/cuda_emulator/streams.h"

#include <set>
#include <string>
#include <vector>

namespace stagelens::kernels::gpu {
namespace {

/// Element of a row-major array of T.
double elementAt(const void *data, std::int64_t place, Number number)
{
    switch (number) {
    case Number::Bf16: return static_cast<double>(toFloat(static_cast<const Bf16 *>(data)[place]));
    case Number::Fp16: return static_cast<double>(toFloat(static_cast<const Fp16 *>(data)[place]));
    case Number::Float: break;
    }
    return static_cast<double>(static_cast<const float *>(data)[place]);
}

void putElement(void *data, std::int64_t place, Number number, double value)
{
    const auto single = static_cast<float>(value);
    switch (number) {
    case Number::Float: static_cast<float *>(data)[place] = single; return;
    case Number::Bf16: static_cast<Bf16 *>(data)[place] = toBf16(single); return;
    case Number::Fp16: static_cast<Fp16 *>(data)[place] = toFp16(single); return;
    }
}

void multiplyPlainly(const Call &call)
{
    const std::int64_t begin = host::now();
    const PlanKey &key = call.key;
    std::vector<double> sums(static_cast<std::size_t>(key.columns));
    for (std::int64_t row = 0; row < key.rows; ++row) {
        sums.assign(sums.size(), 0);
        for (std::int64_t k = 0; k < key.inner; ++k) {
            const bool isPlain = key.aForm == Form::Plain;
            const double a = elementAt(call.a, isPlain ? row * key.aStride + k : k * key.aStride + row, key.operands);
            for (std::int64_t column = 0; column < key.columns; ++column) {
                const std::int64_t place = key.bForm == Form::Plain ? k * key.bStride + column : column * key.bStride + k;
                sums[static_cast<std::size_t>(column)] += a * elementAt(call.b, place, key.operands);
            }
        }
        for (std::int64_t column = 0; column < key.columns; ++column) {
            const std::int64_t place = row * key.stride + column;
            double value = static_cast<double>(call.alpha) * sums[static_cast<std::size_t>(column)];
            if (call.beta != 0.0F)
                value += static_cast<double>(call.beta) * elementAt(call.addend, place, key.out);
            putElement(call.c, place, key.out, value);
        }
    }
    host::note("product", begin);
}

} // namespace

struct Products::State::Library {
    std::set<PlanKey> keys{};
};

Products::State::State(void *, std::int64_t) : m_library(std::make_unique<Library>()) {}

Products::State::~State() = default;

int Products::State::plans() const
{
    return static_cast<int>(m_library->keys.size());
}

bool Products::State::isFused(const Call &call)
{
    return call.key.epilogue == Epilogue::None;
}

Status Products::State::run(Stream stream, const Call &call)
{
    m_library->keys.insert(call.key);
    return host::submit(stream, [call]() -> Status {
        multiplyPlainly(call);
        return {};
    });
}

std::string explain(Status status)
{
    if (!status.failed())
        return "no error";
    return host::lastFault().empty() ? "error " + std::to_string(status.code) : host::lastFault();
}

} // namespace stagelens::kernels::gpu
