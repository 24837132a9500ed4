#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/amplitude_readers.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/raw_file.hpp"
#include "io/scene/raw_plane.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDescriptorBytes = 720;
constexpr std::uint64_t kLinePrefixBytes = 544;
constexpr std::uint64_t kLinesAt = 236, kPixelsAt = 248;  // ASCII numbers of 8 characters
constexpr double kCalibrationDb = -83 - 32;

/// Files by polarisation: "IMG-HH-ALOS2...".
std::map<std::string, std::string> images_in(const std::string& folder) {
  std::map<std::string, std::string> images;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("IMG-") && name.size() > 6) images[name.substr(4, 2)] = it->path();
  }
  return images;
}

int ascii_number(RawFile& file, std::uint64_t at, const char* what) {
  std::string text(8, ' ');
  file.read(at, text.size(), text.data());
  text.erase(text.find_last_not_of(' ') + 1);
  const auto first = std::min(text.find_first_not_of(' '), text.size());
  const char* end = text.data() + text.size();
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data() + first, end, value);
  if (error != std::errc{} || stop != end || value < 1) {
    throw InputError(file.path(), std::string("descriptor has no number of ") + what +
                                      " in its bytes " + std::to_string(at) + " to " +
                                      std::to_string(at + 7));
  }
  return value;
}

RawShape shape_of(const std::string& path) {
  RawFile file(path);
  if (file.size_bytes() < kDescriptorBytes) {
    throw InputError(
        path, "has " + std::to_string(file.size_bytes()) + " bytes; a CEOS image begins with 720");
  }
  RawShape shape;
  shape.rows = ascii_number(file, kLinesAt, "lines");
  shape.cols = ascii_number(file, kPixelsAt, "pixels");
  shape.type = RawType::complex_float32;
  shape.big_endian = true;
  shape.offset = kDescriptorBytes + kLinePrefixBytes;
  shape.line_bytes = kLinePrefixBytes + 8 * static_cast<std::uint64_t>(shape.cols);
  return shape;
}

}  // namespace

bool is_alos2(const std::string& path) {
  return !images_in(path).empty();
}

std::unique_ptr<SceneSource> open_alos2(const std::string& path, const SceneOptions&) {
  const auto images = images_in(path);
  std::vector<std::string> polarisations;
  for (const auto& [polarisation, file] : images) polarisations.push_back(polarisation);
  SceneInfo info;
  info.path = path;
  info.format = "ALOS-2 CEOS L1.1";
  const auto matrix = match_polarisations(path, polarisations);
  return make_scene(layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = open_raw_plane(images.at(name), shape_of(images.at(name)));
    channel.factor = static_cast<float>(std::pow(10.0, kCalibrationDb / 20));
    return channel;
  }));
}

}  // namespace oida
