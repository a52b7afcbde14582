// Loops compiled for several instruction sets in one binary; which one runs is chosen when the program starts.
#pragma once

#include "kernels/include/instruction_set.h"

#define STAGELENS_INLINE inline __attribute__((always_inline))

namespace stagelens::kernels {

/// `Body` compiled for each instruction set. It must be STAGELENS_INLINE, and so must what it calls in its loops. The versions
/// give equal bits: the compiler may not contract a product and a sum to one rounding (-ffp-contract=off), and sums have
/// lanes of their own (see lanes.h).
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

/// Runs the version of the instruction set in use.
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
