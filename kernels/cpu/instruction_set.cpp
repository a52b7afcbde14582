#include "kernels/include/instruction_set.h"

#include <atomic>
#include <cstdlib>

namespace stagelens::kernels {
namespace {

InstructionSet atStart()
{
    const char *wanted = std::getenv("STAGELENS_ISA");
    InstructionSet best = InstructionSet::Baseline;
    for (const InstructionSet set : kInstructionSets) {
        if (!isAvailable(set))
            continue;
        best = set;
        if (wanted != nullptr && name(set) == wanted)
            break;
    }
    return best;
}

std::atomic<InstructionSet> &inUse()
{
    static std::atomic<InstructionSet> set = atStart();
    return set;
}

} // namespace

std::string_view name(InstructionSet set)
{
    constexpr std::string_view kNames[] = {"baseline", "avx2", "avx512"};
    return kNames[static_cast<std::size_t>(set)];
}

bool isAvailable(InstructionSet set)
{
#ifdef __x86_64__
    switch (set) {
    case InstructionSet::Baseline: return true;
    case InstructionSet::Avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::Avx512:
        return isAvailable(InstructionSet::Avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    }
    return false;
#else
    return set == InstructionSet::Baseline;
#endif
}

InstructionSet instructionSet()
{
    return inUse().load(std::memory_order_relaxed);
}

void useInstructionSet(InstructionSet set)
{
    inUse().store(set, std::memory_order_relaxed);
}

} // namespace stagelens::kernels
