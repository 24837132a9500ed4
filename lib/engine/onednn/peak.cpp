#include "engine/onednn/peak.hpp"

#include <algorithm>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "engine/onednn/library.hpp"

namespace oida {

double sgemm_gflops(int size, int threads) {
  constexpr int kRuns = 5;
  const onednn::ThreadScope scope(threads);
  const auto elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  const AlignedVector<float> a(elements, 0.5F);
  const AlignedVector<float> b(elements, 0.25F);
  AlignedVector<float> c(elements);
  double fastest_s = 1e300;
  for (int run = 0; run <= kRuns; ++run) {
    const double begin = now_s();
    const dnnl_status_t status = dnnl_sgemm('N', 'N', size, size, size, 1.0F, a.data(), size,
                                            b.data(), size, 0.0F, c.data(), size);
    if (status != dnnl_success) throw Error("onednn", "sgemm: " + std::to_string(status));
    if (run > 0) fastest_s = std::min(fastest_s, now_s() - begin);
  }
  return 2.0 * static_cast<double>(elements) * size / fastest_s * 1e-9;
}

}  // namespace oida
