#pragma once
// Matrices for tests: real ones from OIDA_DATA_DIR as raw float32, and made-up ones.

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/rng.hpp"
#include "polsar/matrix.hpp"

namespace oida::test {

using Complex = std::complex<double>;

/// The folder of the real scenes; empty where OIDA_DATA_DIR is not set.
inline std::filesystem::path data_dir() {
  const char* value = std::getenv("OIDA_DATA_DIR");
  return value == nullptr ? "" : value;
}

#define OIDA_NEEDS_DATA() \
  if (oida::test::data_dir().empty()) GTEST_SKIP() << "OIDA_DATA_DIR is not set"

inline std::vector<float> read_raw(const std::filesystem::path& path, std::size_t count) {
  std::vector<float> values(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(float));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  EXPECT_EQ(file.gcount(), bytes) << path;
  return values;
}

inline MatrixWindow read_t3(const std::filesystem::path& folder, int rows, int cols) {
  MatrixWindow window;
  window.rows = rows;
  window.cols = cols;
  for (const auto element : kT3Elements) {
    const auto plane = read_raw(folder / (std::string(element) + ".bin"), window.pixels());
    window.planes.insert(window.planes.end(), plane.begin(), plane.end());
  }
  return window;
}

inline MatrixWindow flevoland() {
  return read_t3(data_dir() / "flevoland_airsar_15cls" / "T3", 750, 1024);
}

inline std::array<double, 9> matrix_at(const MatrixWindow& window, std::size_t pixel) {
  std::array<double, 9> t{};
  for (std::size_t e = 0; e < 9; ++e) t[e] = static_cast<double>(window.plane(e)[pixel]);
  return t;
}

inline void set_matrix(MatrixWindow& window, std::size_t pixel, const std::array<double, 9>& t) {
  for (std::size_t e = 0; e < 9; ++e) window.plane(e)[pixel] = static_cast<float>(t[e]);
}

/// k k* of a Pauli vector, in kT3Elements order.
inline std::array<double, 9> outer(const std::array<Complex, 3>& k) {
  const Complex t12 = k[0] * std::conj(k[1]), t13 = k[0] * std::conj(k[2]),
                t23 = k[1] * std::conj(k[2]);
  return {std::norm(k[0]), t12.real(), t12.imag(), t13.real(),     t13.imag(),
          std::norm(k[1]), t23.real(), t23.imag(), std::norm(k[2])};
}

/// A window of random semidefinite matrices of two looks each.
inline MatrixWindow random_window(int rows, int cols, std::uint64_t seed) {
  MatrixWindow window;
  window.rows = rows;
  window.cols = cols;
  window.planes.resize(9 * window.pixels());
  for (std::size_t pixel = 0; pixel < window.pixels(); ++pixel) {
    Random random(seed, Purpose::test, pixel);
    std::array<double, 9> sum{};
    for (int look = 0; look < 2; ++look) {
      std::array<Complex, 3> k;
      for (auto& component : k) {
        const double real = random.normal();
        component = {real, random.normal()};
      }
      const auto one = outer(k);
      for (std::size_t e = 0; e < 9; ++e) sum[e] += one[e];
    }
    set_matrix(window, pixel, sum);
  }
  return window;
}

}  // namespace oida::test
