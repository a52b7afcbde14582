// Code for several instruction sets in one binary, chosen when the program starts.
#pragma once

// Sanitizers run before the dynamic linker's choice (ifunc) may: they get the plain version.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define STAGELENS_MULTIVERSIONED
#else
#define STAGELENS_MULTIVERSIONED __attribute__((target_clones("avx2", "default")))
#endif
#define STAGELENS_INLINE inline __attribute__((always_inline))
