#pragma once
// Functions for the widest vectors that the CPU has, chosen when the program is loaded.

/// OIDA_WIDEST("arch=x86-64-v4") before a function: also compiled for that architecture and for
/// AVX2. In files without fused multiply-adds (-ffp-contract=off) all give the same bits. TSan's
/// runtime is not there yet when the choice is made: under it there is none.
#ifdef __SANITIZE_THREAD__
#define OIDA_WIDEST(arch)
#else
#define OIDA_WIDEST(arch) __attribute__((target_clones(arch, "avx2", "default")))
#endif
