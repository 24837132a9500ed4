#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "io/scene/covariance_readers.hpp"
#include "io/scene/plane.hpp"
#include "io/scene/raw_file.hpp"
#include "io/scene/raw_plane.hpp"

namespace oida {
namespace {

constexpr std::size_t kPixelBytes = 10;
constexpr std::size_t kHeaderLine = 50;
constexpr std::size_t kHeaderLines = 20;
constexpr std::string_view kFirstKey = "RECORD LENGTH IN BYTES";

/// The whole number behind a key in the header's lines of 50 characters.
std::uint64_t header_number(const std::string& path, const std::string& header,
                            std::string_view key) {
  for (std::size_t at = 0; at + kHeaderLine <= header.size(); at += kHeaderLine) {
    if (header.compare(at, key.size(), key) != 0) continue;
    const std::string line = header.substr(at + key.size(), kHeaderLine - key.size());
    const auto first = std::min(line.find_first_not_of(" ="), line.size());
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(line.data() + first, line.data() + line.size(), value);
    if (error == std::errc{} && value < (1U << 31)) return value;
    throw InputError(path, std::string(key) + " is no number of the header");
  }
  throw InputError(path, std::string(key) + " is missing in the header");
}

/// Lines of 10 bytes a pixel.
RawShape shape_of(RawFile& file) {
  std::string header(std::min<std::uint64_t>(kHeaderLine * kHeaderLines, file.size_bytes()), ' ');
  file.read(0, header.size(), header.data());
  const auto number = [&](std::string_view key) { return header_number(file.path(), header, key); };
  RawShape shape;
  shape.rows = static_cast<int>(number("NUMBER OF LINES IN IMAGE"));
  shape.cols = static_cast<int>(number("NUMBER OF SAMPLES PER RECORD"));
  shape.type = RawType::uint8;
  shape.pixel_bytes = kPixelBytes;
  shape.line_bytes = number(kFirstKey);
  shape.offset = number("BYTE OFFSET OF FIRST DATA RECORD");
  if (shape.line_bytes < kPixelBytes * static_cast<std::uint64_t>(shape.cols)) {
    throw InputError(file.path(), "records of " + std::to_string(shape.line_bytes) +
                                      " bytes do not hold " + std::to_string(shape.cols) +
                                      " pixels of 10 bytes");
  }
  const std::uint64_t needed = needed_bytes(file.path(), shape) + kPixelBytes - 1;
  if (file.size_bytes() < needed) {
    throw InputError(file.path(), "has " + std::to_string(file.size_bytes()) + " bytes where " +
                                      size_text(shape.rows, shape.cols) + " need " +
                                      std::to_string(needed));
  }
  return shape;
}

/// T3 of a pixel, in kT3Elements order.
std::array<double, 9> decoded(const std::int8_t* b) {
  const auto signed_square = [](double v) { return v * std::abs(v) / (127.0 * 127.0); };
  const double p1 = (1.5 + b[1] / 254.0) * std::exp2(b[0]);
  const double p2 = b[2] / 127.0;
  const double p3 = signed_square(b[3]), p4 = signed_square(b[4]);
  const double p5 = signed_square(b[5]), p6 = signed_square(b[6]);
  const double p7 = b[7] / 127.0, p8 = b[8] / 127.0, p9 = b[9] / 127.0, p10 = 1 - p7 - p9;
  return {p1 * (1 + p10 + p7 - p9),
          2 * p1 * p2,
          2 * p1 * p8,
          2 * p1 * p3,
          -2 * p1 * p6,
          p1 * (1 + p9 + p10 - p7),
          2 * p1 * p5,
          -2 * p1 * p4,
          p1 * (1 + p9 - p10 + p7)};
}

class AirsarScene final : public SceneSource {
 public:
  explicit AirsarScene(const std::string& path) : file_(path), shape_(shape_of(file_)) {
    info_.path = path;
    info_.format = "AIRSAR Stokes";
    info_.kind = MatrixKind::t3;
    info_.rows = shape_.rows;
    info_.cols = shape_.cols;
  }

  const SceneInfo& info() const override { return info_; }
  std::int64_t bytes_read() const override { return file_.bytes_read(); }
  double read_s() const override { return read_s_; }
  MatrixWindow read(const Window& window) override;

 private:
  RawFile file_;
  RawShape shape_;
  SceneInfo info_;
  double read_s_ = 0;
};

MatrixWindow AirsarScene::read(const Window& window) {
  const double begin_s = now_s();
  MatrixWindow out = make_window(info_.kind, info_.pair, window.rows, window.cols);
  const auto cols = static_cast<std::size_t>(window.cols);
  std::vector<std::int8_t> line(cols * kPixelBytes);
  for (int row = 0; row < window.rows; ++row) {
    file_.read(shape_.offset + static_cast<std::uint64_t>(window.row + row) * shape_.line_bytes +
                   static_cast<std::uint64_t>(window.col) * kPixelBytes,
               line.size(), line.data());
    for (std::size_t col = 0; col < cols; ++col) {
      const auto t = decoded(line.data() + col * kPixelBytes);
      const std::size_t at = static_cast<std::size_t>(row) * cols + col;
      for (std::size_t e = 0; e < t.size(); ++e) out.plane(e)[at] = static_cast<float>(t[e]);
    }
  }
  read_s_ += now_s() - begin_s;
  audit(out);
  return out;
}

}  // namespace

bool is_airsar(const std::string& path) {
  std::string start(kFirstKey.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file && start == kFirstKey;
}

std::unique_ptr<SceneSource> open_airsar(const std::string& path, const SceneOptions&) {
  return std::make_unique<AirsarScene>(path);
}

}  // namespace oida
