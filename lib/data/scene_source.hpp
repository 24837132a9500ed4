#pragma once
// The scene as lib sees it: windows of polarimetric matrices. Implemented by io.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "polsar/matrix.hpp"

namespace oida {

/// A rectangle of pixels of one scene, in pixels; row 0 is the first line of the file.
struct Window {
  int row = 0;
  int col = 0;
  int rows = 0;
  int cols = 0;

  bool operator==(const Window&) const = default;
};

/// Where the scene lies on the ground; `wkt` is empty when the file does not say so credibly.
struct Georeference {
  std::string wkt;
  /// GDAL order: x0, dx/dcol, dx/drow, y0, dy/dcol, dy/drow; of pixel corners.
  std::array<double, 6> transform{0, 1, 0, 0, 0, 1};

  bool present() const { return !wkt.empty(); }
};

struct SceneInfo {
  std::string path;
  std::string format;  // for example "PolSARpro T3"
  MatrixKind kind = MatrixKind::t3;
  ChannelPair pair = ChannelPair::none;  // of c2 only
  int rows = 0;
  int cols = 0;
  Georeference georeference;
  /// What a user should know of the way the files were read; one line each.
  std::vector<std::string> notes;
};

/// Not thread-safe: one source a thread. Reading throws Error naming the file.
class SceneSource {
 public:
  virtual ~SceneSource() = default;
  virtual const SceneInfo& info() const = 0;
  /// `window` lies inside the scene. The result is audited: `valid` and `defects` are set.
  virtual MatrixWindow read(const Window& window) = 0;
  /// Bytes asked of the file system so far.
  virtual std::int64_t bytes_read() const = 0;
  /// Seconds spent in reading and decoding so far.
  virtual double read_s() const { return 0; }
};

}  // namespace oida
