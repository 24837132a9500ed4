#include "io/scene/polsarpro.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "io/scene/envi_plane.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/plane.hpp"
#include "io/scene/polsarpro_config.hpp"
#include "io/scene/polsarpro_size.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMask = "mask_valid_pixels";
/// Where a folder holds several kinds whole, the first of these is read.
constexpr std::array kKinds = {MatrixKind::t4, MatrixKind::c4, MatrixKind::t3,
                               MatrixKind::c3, MatrixKind::s2, MatrixKind::c2};
/// Files of kinds that no reader makes a matrix of.
constexpr std::array<std::array<const char*, 2>, 3> kOthers{
    {{"T66.bin", "T6 matrices"}, {"I11.bin", "intensities"}, {"A11.bin", "amplitudes"}}};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<std::string> missing_files(const std::string& folder, MatrixKind kind) {
  std::vector<std::string> missing;
  for (const auto& part : parts_of(kind)) {
    if (!is_there(fs::path(folder) / (part.name + ".bin"))) {
      missing.push_back(part.name + ".bin");
    }
  }
  return missing;
}

/// Folders just below that hold a whole scene, sorted.
std::vector<std::string> scenes_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_polsarpro(it->path().string())) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

[[noreturn]] void refuse_folder(const std::string& folder) {
  const auto below = scenes_below(folder);
  if (!below.empty()) {
    std::string all = below.front();
    for (std::size_t i = 1; i < below.size(); ++i) all += " or " + below[i];
    throw InputError(folder, "is a folder above the scene: give " + all + " instead");
  }
  for (const auto& [file, what] : kOthers) {
    if (is_there(fs::path(folder) / file)) {
      throw InputError(folder, std::string("holds ") + what + "; read are S2, C2, C3, T3, C4, T4");
    }
  }
  throw InputError(folder,
                   "is not a PolSARpro folder: no element (s11.bin, C11.bin, T11.bin) is "
                   "there");
}

/// The kind that lies whole in the folder; InputError naming what is missing of the nearest one.
MatrixKind find_kind(const std::string& folder) {
  std::vector<std::string> least;
  MatrixKind nearest = MatrixKind::t3;
  for (const MatrixKind kind : kKinds) {
    const auto missing = missing_files(folder, kind);
    if (missing.empty()) return kind;
    if (missing.size() == parts_of(kind).size()) continue;
    if (!least.empty() && missing.size() >= least.size()) continue;
    least = missing;
    nearest = kind;
  }
  if (least.empty()) refuse_folder(folder);
  std::string text = least.front();
  for (std::size_t i = 1; i < least.size(); ++i) text += ", " + least[i];
  throw InputError(folder, text + (least.size() == 1 ? " is" : " are") + " missing for a " +
                               std::string(name(nearest)));
}

class Folder {
 public:
  Folder(const std::string& path, const SceneOptions& options) : path_(path), options_(options) {}

  SceneLayout layout();

 private:
  EnviRaster raster_of(const std::string& element, RawType type) const;
  std::unique_ptr<Plane> open_plane(const std::string& element, RawType type);
  void take_size(const std::string& source, int rows, int cols);
  void take_pair();

  std::string path_;
  SceneOptions options_;
  std::string size_source_;
  SceneInfo info_;
};

/// What the header says; without one, what the folder says.
EnviRaster Folder::raster_of(const std::string& element, RawType type) const {
  const std::string file = (fs::path(path_) / (element + ".bin")).string();
  if (is_there(file + ".hdr") || is_there(fs::path(path_) / (element + ".hdr"))) {
    return read_envi_header(file);
  }
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error) throw InputError(file, "cannot be read: " + error.message());
  const auto size = headerless_size(path_, file, bytes, sample_bytes(type), options_);
  return {{size.rows, size.cols, type}, std::nullopt};
}

std::unique_ptr<Plane> Folder::open_plane(const std::string& element, RawType type) {
  const std::string file = (fs::path(path_) / (element + ".bin")).string();
  const EnviRaster raster = raster_of(element, type);
  if (raster.shape.type != type) {
    throw InputError(
        file, std::string("header says ") + name(raster.shape.type) + "; allowed is " + name(type));
  }
  auto plane = open_raw_plane(file, raster.shape);
  take_size(element + ".bin", plane->rows(), plane->cols());
  if (!info_.georeference.present() && raster.georeference) {
    info_.georeference = *raster.georeference;
  }
  return plane;
}

void Folder::take_size(const std::string& source, int rows, int cols) {
  if (size_source_.empty()) {
    size_source_ = source;
    info_.rows = rows;
    info_.cols = cols;
  }
  if (rows == info_.rows && cols == info_.cols) return;
  throw InputError(path_, source + " says " + size_text(rows, cols) + " where " + size_source_ +
                              " has " + size_text(info_.rows, info_.cols));
}

/// Which two channels a C2 holds: PolarType, unless the deck says it.
void Folder::take_pair() {
  if (options_.pair != ChannelPair::none) {
    info_.pair = options_.pair;
    return;
  }
  const std::string type = polsarpro_polar_type(path_);
  info_.pair =
      type == "pp2" ? ChannelPair::pp2 : (type == "pp3" ? ChannelPair::pp3 : ChannelPair::pp1);
  info_.notes.push_back(
      (type.empty() ? std::string("nothing says which channels this C2 holds, taken as pp1")
                    : "config.txt says that this C2 is " + type + ", and is often wrong in that") +
      " (scene.channels overrides)");
}

SceneLayout Folder::layout() {
  SceneLayout out;
  info_.path = path_;
  info_.kind = find_kind(path_);
  info_.format = "PolSARpro " + std::string(name(info_.kind));
  if (info_.kind == MatrixKind::c2) take_pair();
  for (const NamedPart& part : parts_of(info_.kind)) {
    Channel channel;
    channel.plane =
        open_plane(part.name, part.imaginary < 0 ? RawType::float32 : RawType::complex_float32);
    channel.real = part.real;
    channel.imaginary = part.imaginary;
    out.channels.push_back(std::move(channel));
  }
  if (is_there(fs::path(path_) / (std::string(kMask) + ".bin"))) {
    out.mask = open_plane(kMask, RawType::float32);
  }
  if (const auto size = read_polsarpro_config(path_)) {
    take_size("config.txt", size->rows, size->cols);
  }
  if (options_.rows != 0 || options_.cols != 0) {
    take_size("scene.rows, scene.cols", options_.rows == 0 ? info_.rows : options_.rows,
              options_.cols == 0 ? info_.cols : options_.cols);
  }
  out.info = info_;
  return out;
}

}  // namespace

bool is_polsarpro(const std::string& path) {
  return std::any_of(kKinds.begin(), kKinds.end(),
                     [&](MatrixKind kind) { return missing_files(path, kind).empty(); });
}

std::unique_ptr<SceneSource> open_polsarpro(const std::string& path, const SceneOptions& options) {
  return make_scene(Folder(path, options).layout());
}

}  // namespace oida
