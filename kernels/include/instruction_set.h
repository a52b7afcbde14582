// Selects the vector instructions of the CPU kernels.
#pragma once

#include <string_view>

namespace stagelens::kernels {

/// In increasing order: baseline x86-64, AVX2 with FMA, AVX-512 (F, VL, DQ, BW).
enum class InstructionSet : unsigned char { Baseline, Avx2, Avx512 };
inline constexpr InstructionSet kInstructionSets[] = {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512};

[[nodiscard]] std::string_view name(InstructionSet set);
/// Returns whether this processor supports it.
[[nodiscard]] bool isAvailable(InstructionSet set);
/// Returns the one in use: the best available, or that of the environment variable STAGELENS_ISA (baseline, avx2, avx512) if
/// available.
[[nodiscard]] InstructionSet instructionSet();
/// Selects a set, which must be available, for tests. No kernel may run meanwhile.
void useInstructionSet(InstructionSet set);

} // namespace stagelens::kernels
