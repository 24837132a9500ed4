#pragma once
// A raster that lies as raw samples in a file.

#include <cstdint>
#include <memory>
#include <string>

#include "io/scene/plane.hpp"

namespace oida {

enum class RawType { float32, complex_float32, int16, complex_int16, uint8 };

std::uint64_t sample_bytes(RawType type);
/// GDAL's name: "Float32", "CFloat32", "Int16", "CInt16", "Byte".
const char* name(RawType type);

struct RawShape {
  int rows = 0;
  int cols = 0;
  RawType type = RawType::float32;
  bool big_endian = false;
  std::uint64_t offset = 0;       // of the first sample, in bytes
  std::uint64_t line_bytes = 0;   // from line to line; 0: lines follow one another
  std::uint64_t pixel_bytes = 0;  // from pixel to pixel; 0: pixels follow one another
};

/// Bytes from the file's start to the end of its last sample; InputError naming `path` when a size
/// is below 1 or the sum does not fit 63 bits.
std::uint64_t needed_bytes(const std::string& path, const RawShape& shape);

/// InputError naming the file when it is shorter than needed_bytes(), or longer and `exact`.
std::unique_ptr<Plane> open_raw_plane(const std::string& path, const RawShape& shape,
                                      bool exact = true);

}  // namespace oida
