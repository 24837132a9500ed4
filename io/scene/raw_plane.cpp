#include "io/scene/raw_plane.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "io/scene/raw_file.hpp"

namespace oida {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are swapped when big-endian");

constexpr std::uint64_t kBufferBytes = 1 << 20;

template <typename T, bool kSwap>
float value_at(const std::byte* at) {
  if constexpr (sizeof(T) == 1) {
    return static_cast<float>(std::to_integer<unsigned>(*at));
  } else if constexpr (sizeof(T) == 2) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return static_cast<float>(std::bit_cast<T>(kSwap ? __builtin_bswap16(bits) : bits));
  } else {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return std::bit_cast<T>(kSwap ? __builtin_bswap32(bits) : bits);
  }
}

template <typename T, bool kSwap>
void decode(const std::byte* from, std::uint64_t step, std::size_t count, float* real,
            float* imaginary) {
  for (std::size_t i = 0; i < count; ++i, from += step) {
    real[i] = value_at<T, kSwap>(from);
    if (imaginary != nullptr) imaginary[i] = value_at<T, kSwap>(from + sizeof(T));
  }
}

using Decoder = void (*)(const std::byte*, std::uint64_t, std::size_t, float*, float*);

template <typename T>
Decoder decoder_of(bool big_endian) {
  return big_endian ? &decode<T, true> : &decode<T, false>;
}

Decoder decoder_of(const RawShape& shape) {
  switch (shape.type) {
    case RawType::float32:
    case RawType::complex_float32:
      return decoder_of<float>(shape.big_endian);
    case RawType::int16:
    case RawType::complex_int16:
      return decoder_of<std::int16_t>(shape.big_endian);
    case RawType::uint8:
      return &decode<std::uint8_t, false>;
  }
  return nullptr;
}

bool is_complex(RawType type) {
  return type == RawType::complex_float32 || type == RawType::complex_int16;
}

/// Lines and pixels follow one another where the shape leaves that open.
RawShape resolved(RawShape shape) {
  if (shape.pixel_bytes == 0) shape.pixel_bytes = sample_bytes(shape.type);
  if (shape.line_bytes == 0) {
    shape.line_bytes = shape.pixel_bytes * static_cast<std::uint64_t>(shape.cols);
  }
  return shape;
}

class RawPlane final : public Plane {
 public:
  RawPlane(const std::string& path, const RawShape& shape, bool exact)
      : file_(path), shape_(resolved(shape)) {
    const std::uint64_t needed = needed_bytes(path, shape);
    if (file_.size_bytes() == needed || (!exact && file_.size_bytes() > needed)) return;
    throw InputError(path, "has " + std::to_string(file_.size_bytes()) + " bytes where " +
                               size_text(shape.rows, shape.cols) + " need " +
                               std::to_string(needed));
  }

  const std::string& path() const override { return file_.path(); }
  int rows() const override { return shape_.rows; }
  int cols() const override { return shape_.cols; }
  bool complex() const override { return is_complex(shape_.type); }
  std::int64_t bytes_read() const override { return file_.bytes_read(); }
  void read(const Window& window, float* real, float* imaginary) override;

 private:
  std::uint64_t position(int row, int col) const {
    return shape_.offset + static_cast<std::uint64_t>(row) * shape_.line_bytes +
           static_cast<std::uint64_t>(col) * shape_.pixel_bytes;
  }
  /// Lines of the window lie in the file as they shall lie in memory.
  bool as_in_memory(const Window& window) const {
    return shape_.type == RawType::float32 && !shape_.big_endian && whole_lines(window) &&
           shape_.pixel_bytes == sizeof(float) &&
           shape_.line_bytes == sizeof(float) * static_cast<std::uint64_t>(shape_.cols);
  }
  bool whole_lines(const Window& window) const { return window.cols == shape_.cols; }
  void read_lines(const Window& window, float* real, float* imaginary);

  RawFile file_;
  RawShape shape_;
  std::vector<std::byte> buffer_;
};

void RawPlane::read(const Window& window, float* real, float* imaginary) {
  if (window.rows == 0 || window.cols == 0) return;
  if (as_in_memory(window)) {
    file_.read(position(window.row, 0), static_cast<std::uint64_t>(window.rows) * shape_.line_bytes,
               real);
  } else {
    read_lines(window, real, imaginary);
  }
  if (whole_lines(window)) {
    file_.expect(position(window.row + window.rows, 0),
                 static_cast<std::uint64_t>(window.rows) * shape_.line_bytes);
  }
}

/// Several whole lines at a time where lines follow closely, else each line's part by itself.
void RawPlane::read_lines(const Window& window, float* real, float* imaginary) {
  const auto cols = static_cast<std::size_t>(window.cols);
  const std::uint64_t part_bytes = (cols - 1) * shape_.pixel_bytes + sample_bytes(shape_.type);
  const bool together = whole_lines(window) && shape_.line_bytes <= kBufferBytes;
  const int at_once =
      together ? static_cast<int>(std::max<std::uint64_t>(1, kBufferBytes / shape_.line_bytes)) : 1;
  const Decoder put = decoder_of(shape_);
  for (int first = 0; first < window.rows; first += at_once) {
    const int lines = std::min(at_once, window.rows - first);
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(lines - 1) * shape_.line_bytes + part_bytes;
    buffer_.resize(bytes);
    file_.read(position(window.row + first, window.col), bytes, buffer_.data());
    for (int line = 0; line < lines; ++line) {
      const std::size_t out = static_cast<std::size_t>(first + line) * cols;
      put(buffer_.data() + static_cast<std::uint64_t>(line) * shape_.line_bytes, shape_.pixel_bytes,
          cols, real + out, imaginary == nullptr ? nullptr : imaginary + out);
    }
  }
}

}  // namespace

std::uint64_t sample_bytes(RawType type) {
  switch (type) {
    case RawType::complex_float32:
      return 8;
    case RawType::float32:
    case RawType::complex_int16:
      return 4;
    case RawType::int16:
      return 2;
    case RawType::uint8:
      return 1;
  }
  return 0;
}

const char* name(RawType type) {
  switch (type) {
    case RawType::complex_float32:
      return "CFloat32";
    case RawType::float32:
      return "Float32";
    case RawType::complex_int16:
      return "CInt16";
    case RawType::int16:
      return "Int16";
    case RawType::uint8:
      return "Byte";
  }
  return "";
}

std::uint64_t needed_bytes(const std::string& path, const RawShape& shape) {
  const RawShape full = resolved(shape);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto refuse = [&] {
    throw InputError(path, "is said to have " + size_text(shape.rows, shape.cols) + " of " +
                               std::to_string(full.line_bytes) + " bytes a line from byte " +
                               std::to_string(shape.offset) + " on: no size of a file");
  };
  if (shape.rows < 1 || shape.cols < 1 || full.offset > kMost / 2) refuse();
  const auto rows = static_cast<std::uint64_t>(shape.rows);
  const auto cols = static_cast<std::uint64_t>(shape.cols);
  if (full.pixel_bytes > kMost / 8 / cols || full.line_bytes > kMost / 4 / rows) refuse();
  return full.offset + (rows - 1) * full.line_bytes + (cols - 1) * full.pixel_bytes +
         sample_bytes(full.type);
}

std::unique_ptr<Plane> open_raw_plane(const std::string& path, const RawShape& shape, bool exact) {
  return std::make_unique<RawPlane>(path, shape, exact);
}

}  // namespace oida
