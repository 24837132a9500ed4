#pragma once
// Scenes put together from rasters: what every reader of a format describes, and one class reads.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/scene_source.hpp"

namespace oida {

/// Windows of one raster, real or complex. One plane a thread. Reading throws Error naming the
/// file.
class Plane {
 public:
  virtual ~Plane() = default;
  virtual const std::string& path() const = 0;
  virtual int rows() const = 0;
  virtual int cols() const = 0;
  virtual bool complex() const = 0;
  /// Writes [rows, cols] of `window`, which lies inside; `imaginary` is null for a real plane.
  virtual void read(const Window& window, float* real, float* imaginary) = 0;
  /// Bytes asked of the file so far.
  virtual std::int64_t bytes_read() const = 0;
};

/// A raster and its place among the real planes of a matrix: value = raster * factor / gain.
struct Channel {
  std::unique_ptr<Plane> plane;
  int real = 0;        // the plane that takes real values or real parts
  int imaginary = -1;  // that of imaginary parts; -1 for a real raster
  float factor = 1;
  float imaginary_factor = 1;           // -1 conjugates, in addition to `factor`
  std::vector<float> column_gain = {};  // [cols], or empty for 1
  std::optional<float> no_data = {};    // a pixel of this value (real part) is not valid
};

struct SceneLayout {
  SceneInfo info;
  std::vector<Channel> channels;
  /// Valid where its value is above 0 and not `mask_outside`.
  std::unique_ptr<Plane> mask;
  float mask_outside = -1;
  /// The channels are two complex amplitudes; the scene is their C2 (single look).
  bool amplitude_pair = false;
};

/// Takes `info.rows`, `info.cols` from the channels where they are 0. InputError naming the file
/// when a channel or the mask is of another size than the first or real instead of complex.
std::unique_ptr<SceneSource> make_scene(SceneLayout layout);

std::string size_text(int rows, int cols);

}  // namespace oida
