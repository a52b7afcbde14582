// The types of numbers that the kernels are compiled for.
#pragma once

#include "kernels/include/bf16.h"
#include "kernels/include/fp16.h"

/// Expands OF(T) for those of 16 bits, which differ only in how they are packed and multiplied.
#define STAGELENS_TYPES_OF_16_BITS(OF) OF(Bf16) OF(Fp16)
/// Expands OF(T) for every type.
#define STAGELENS_EVERY_TYPE(OF) OF(float) STAGELENS_TYPES_OF_16_BITS(OF)
