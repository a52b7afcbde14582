// Loops compiled for several instruction sets; the program selects one at start.
#pragma once

#include "kernels/include/instruction_set.h"

#define STAGELENS_INLINE inline __attribute__((always_inline))

namespace stagelens::kernels {

/// `Body` compiled for each instruction set. It and what its loops call must be STAGELENS_INLINE. All versions give equal bits:
/// -ffp-contract=off forbids fused multiply-add, and sums have separate lanes (lanes.h).
template <auto Body, class Result, class... Arguments>
struct Versions {
    static Result baseline(Arguments... arguments) { return Body(arguments...); }
#ifdef __x86_64__
    __attribute__((target("avx2,fma"))) static Result avx2(Arguments... arguments)
    {
        return Body(arguments...);
    }
    __attribute__((target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw"))) static Result avx512(Arguments... arguments)
    {
        return Body(arguments...);
    }
#endif
};

/// Runs the version for the instruction set in use.
template <auto Body, class... Arguments>
auto runBest(Arguments... arguments)
{
    using Result = decltype(Body(arguments...));
    using Of = Versions<Body, Result, Arguments...>;
#ifdef __x86_64__
    switch (instructionSet()) {
    case InstructionSet::Avx512: return Of::avx512(arguments...);
    case InstructionSet::Avx2: return Of::avx2(arguments...);
    case InstructionSet::Baseline: break;
    }
#endif
    return Of::baseline(arguments...);
}

} // namespace stagelens::kernels
