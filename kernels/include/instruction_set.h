// Which vector instructions the kernels use.
#pragma once

#include <string_view>

namespace stagelens::kernels {

/// In rising order of what a processor must know: x86-64 as it began, AVX2 with FMA, AVX-512 (F, VL, DQ, BW).
enum class InstructionSet : unsigned char { Baseline, Avx2, Avx512 };
inline constexpr InstructionSet kInstructionSets[] = {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512};

[[nodiscard]] std::string_view name(InstructionSet set);
/// Whether this processor has it.
[[nodiscard]] bool isAvailable(InstructionSet set);
/// The one in use: the best that is available, or what the environment variable STAGELENS_ISA (baseline, avx2, avx512) names
/// if that is available.
[[nodiscard]] InstructionSet instructionSet();
/// For tests, while no kernel runs. The set must be available.
void useInstructionSet(InstructionSet set);

} // namespace stagelens::kernels
