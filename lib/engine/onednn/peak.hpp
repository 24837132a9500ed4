#pragma once
// What this machine reaches in the arithmetic that everything here is measured against.

namespace oida {

/// GFLOP/s of the library's single-precision product of two matrices of size x size on `threads`
/// threads: the fastest of a few runs. Error when the library refuses.
double sgemm_gflops(int size, int threads);

}  // namespace oida
