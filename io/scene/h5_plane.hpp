#pragma once
// Rasters and small facts in HDF5 files of any maker.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/h5.hpp"
#include "io/scene/plane.hpp"

namespace oida {

/// A file that this room did not write: no checksums are asked for. InputError naming the file.
class H5Product {
 public:
  /// Bytes of the chunks that are kept of each raster.
  static constexpr std::size_t kChunkCacheBytes = std::size_t{8} << 20;

  explicit H5Product(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const;
  /// Texts of a dataset, fixed or variable length, without blanks at the end.
  std::vector<std::string> texts(const std::string& name) const;
  /// A one-dimensional dataset of numbers.
  std::vector<double> numbers(const std::string& name) const;
  std::optional<double> number(const std::string& name) const;
  /// A two-dimensional dataset of real numbers, or of compounds of two of them (float16, too).
  std::unique_ptr<Plane> plane(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  H5Handle dataset(const std::string& name) const;
  /// Dimensions of a dataset whose bytes can be in the file.
  H5Dims dims(const std::string& name, hid_t dataset) const;

  std::string path_;
  std::uint64_t file_bytes_ = 0;
  std::shared_ptr<H5Handle> file_;
};

/// The file begins as HDF5 does.
bool is_h5(const std::string& path);

}  // namespace oida
