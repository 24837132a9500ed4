#include "io/scene/scene_cache.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "io/files.hpp"
#include "io/h5_types.hpp"
#include "io/scene/h5_plane.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr hsize_t kChunkPx = 128;
constexpr int kStripRows = 128;
constexpr const char* kMark = "/oida_scene";
constexpr const char* kNotes = "/notes";
constexpr const char* kTransform = "/transform";
constexpr const char* kValid = "/valid";
constexpr std::array kKinds = {MatrixKind::s2, MatrixKind::c2, MatrixKind::c3,
                               MatrixKind::t3, MatrixKind::c4, MatrixKind::t4};
constexpr std::array kPairs = {ChannelPair::none, ChannelPair::pp1, ChannelPair::pp2,
                               ChannelPair::pp3, ChannelPair::rh_rv};

std::string traces_of(const fs::path& path) {
  std::error_code error;
  std::ostringstream text;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  text << path.string() << ' ' << size << ' ' << time << '\n';
  return text.str();
}

/// Rasters written strip by strip into a file that has no name yet.
class CacheOut {
 public:
  CacheOut(const std::string& part, const SceneInfo& info) : part_(part), info_(info) {
    start_h5();
    const H5Handle access = h5_access();
    file_ = H5Handle(H5Fcreate(part.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
    check(file_.valid(), "cannot be made");
    for (const auto element : elements(info.kind)) {
      planes_.push_back(add_raster(std::string(element), H5T_IEEE_F32LE));
    }
    valid_ = add_raster(kValid, H5T_STD_U8LE);
  }

  void write(const Window& window, const MatrixWindow& strip) {
    for (std::size_t e = 0; e < planes_.size(); ++e) {
      write_strip(planes_[e], window, H5T_NATIVE_FLOAT, strip.plane(e));
    }
    write_strip(valid_, window, H5T_NATIVE_UINT8, strip.valid.data());
  }

  void write_texts(const char* name, const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const auto& text : texts) length = std::max(length, text.size());
    std::string bytes;
    for (const auto& text : texts) bytes += text + std::string(length - text.size(), '\0');
    const H5Handle type = h5_text_type(length);
    const hsize_t count = texts.size();
    write_all(name, type.get(), count, bytes.data());
  }

  void write_all(const char* name, hid_t type, hsize_t count, const void* values) {
    const H5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const H5Handle dataset(
        H5Dcreate2(file_.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    check(dataset.valid() &&
              H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
          "cannot be written");
  }

  void close() {
    planes_.clear();
    check(valid_.close() && file_.close(), "cannot be finished");
  }

 private:
  void check(bool good, const char* what) const {
    if (!good) throw Error(part_, what);
  }

  H5Handle add_raster(const std::string& name, hid_t type) {
    const std::array<hsize_t, 2> size{static_cast<hsize_t>(info_.rows),
                                      static_cast<hsize_t>(info_.cols)};
    const std::array<hsize_t, 2> chunk{std::min(size[0], kChunkPx), std::min(size[1], kChunkPx)};
    const H5Handle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose);
    const H5Handle made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_chunk(made.get(), 2, chunk.data()) >= 0 && H5Pset_fletcher32(made.get()) >= 0,
          "takes no chunks");
    H5Handle raster(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                               made.get(), H5P_DEFAULT),
                    H5Dclose);
    check(raster.valid(), "takes no raster");
    return raster;
  }

  void write_strip(const H5Handle& raster, const Window& w, hid_t type, const void* values) {
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(w.row), static_cast<hsize_t>(w.col)};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(w.rows), static_cast<hsize_t>(w.cols)};
    const H5Handle space(H5Dget_space(raster.get()), H5Sclose);
    const H5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr) >= 0 &&
              H5Dwrite(raster.get(), type, memory.get(), space.get(), H5P_DEFAULT, values) >= 0,
          "cannot be written");
  }

  std::string part_;
  const SceneInfo& info_;
  H5Handle file_;
  std::vector<H5Handle> planes_;
  H5Handle valid_;
};

void fill_cache(const std::string& part, SceneSource& scene) {
  const SceneInfo& info = scene.info();
  const H5Quiet quiet;
  CacheOut out(part, info);
  for (int row = 0; row < info.rows; row += kStripRows) {
    const Window window{row, 0, std::min(kStripRows, info.rows - row), info.cols};
    out.write(window, scene.read(window));
  }
  out.write_texts(kMark, {std::string(name(info.kind)), std::string(name(info.pair)), info.format,
                          info.path, info.georeference.wkt});
  if (!info.notes.empty()) out.write_texts(kNotes, info.notes);
  out.write_all(kTransform, H5T_NATIVE_DOUBLE, info.georeference.transform.size(),
                info.georeference.transform.data());
  out.close();
}

/// The one of `all` with this name.
template <typename Kinds>
auto named(const H5Product& file, const Kinds& all, const std::string& text) {
  for (const auto one : all) {
    if (name(one) == text) return one;
  }
  file.refuse("names the unknown matrix '" + text + "'");
}

SceneInfo read_facts(const H5Product& file) {
  const auto facts = file.texts(kMark);
  if (facts.size() != 5) file.refuse("has " + std::to_string(facts.size()) + " facts, not 5");
  SceneInfo info;
  info.kind = named(file, kKinds, facts[0]);
  info.pair = named(file, kPairs, facts[1]);
  info.format = facts[2];
  info.path = facts[3];
  info.georeference.wkt = facts[4];
  if (file.has(kNotes)) info.notes = file.texts(kNotes);
  const auto transform = file.numbers(kTransform);
  if (transform.size() != info.georeference.transform.size()) file.refuse("has no transform");
  std::copy(transform.begin(), transform.end(), info.georeference.transform.begin());
  return info;
}

}  // namespace

std::string scene_cache_file(const std::string& folder, const SceneInfo& scene) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(scene.path, error);
  std::vector<std::string> traces{traces_of(path)};
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    traces.push_back(traces_of(it->path()));
  }
  std::sort(traces.begin(), traces.end());
  Checksum sum;
  for (const auto& trace : traces) sum.add(std::as_bytes(std::span(trace)));
  const std::string what = scene.format + std::string(name(scene.pair)) +
                           std::to_string(scene.rows) + 'x' + std::to_string(scene.cols);
  sum.add(std::as_bytes(std::span(what)));
  return folder + "/scene-" + hex(sum.value()) + ".h5";
}

void make_scene_cache(const std::string& file, SceneSource& scene) {
  std::error_code error;
  if (fs::exists(file, error)) return;
  make_folder(fs::path(file).parent_path().string());
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string part = file + '.' + host.data() + '.' + std::to_string(::getpid()) + ".part";
  try {
    fill_cache(part, scene);
    fs::rename(part, file);
  } catch (const std::exception& failure) {
    fs::remove(part, error);
    throw Error(file, std::string("the scene's cache was not made: ") + failure.what());
  }
}

bool is_scene_cache(const std::string& path) {
  if (!is_h5(path)) return false;
  try {
    return H5Product(path).has(kMark);
  } catch (const InputError&) {
    return false;  // said by the reader that is asked to open it
  }
}

std::unique_ptr<SceneSource> open_scene_cache(const std::string& path, const SceneOptions&) {
  const H5Product file(path);
  SceneLayout layout;
  layout.info = read_facts(file);
  for (const auto element : elements(layout.info.kind)) {
    Channel channel;
    channel.plane = file.plane("/" + std::string(element));
    channel.real = static_cast<int>(layout.channels.size());
    layout.channels.push_back(std::move(channel));
  }
  layout.mask = file.plane(kValid);
  return make_scene(std::move(layout));
}

}  // namespace oida
