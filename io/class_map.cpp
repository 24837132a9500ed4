// The class map as a GeoTIFF.

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/gdal.hpp"
#include "io/raster_writer.hpp"

namespace oida {
namespace {

constexpr const char* kPam = ".aux.xml";

CPLStringList creation_options() {
  CPLStringList options;
  options.SetNameValue("TILED", "YES");
  options.SetNameValue("BLOCKXSIZE", "256");
  options.SetNameValue("BLOCKYSIZE", "256");
  options.SetNameValue("COMPRESS", "DEFLATE");
  options.SetNameValue("BIGTIFF", "IF_SAFER");
  return options;
}

}  // namespace

class ClassMapWriter::Impl {
 public:
  Impl(const std::string& path, const SceneInfo& scene, const ClassTable& classes);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void write(const Window& window, std::span<const std::uint8_t> classes);
  void close();

 private:
  void check(bool good, const std::string& what) const;
  void dress(const SceneInfo& scene, const ClassTable& classes);

  std::string path_;
  int largest_id_;
  GdalErrors errors_;
  GdalDataset map_;
};

ClassMapWriter::Impl::Impl(const std::string& path, const SceneInfo& scene,
                           const ClassTable& classes)
    : path_(path), largest_id_(classes.size()) {
  start_gdal();
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
  check(driver != nullptr, "this GDAL has no GTiff driver");
  map_.reset(driver->Create(part_name(path).c_str(), scene.cols, scene.rows, 1, GDT_Byte,
                            creation_options().List()));
  check(map_ != nullptr, "cannot be made");
  dress(scene, classes);
}

void ClassMapWriter::Impl::check(bool good, const std::string& what) const {
  if (good && errors_.text().empty()) return;
  throw Error(path_, what + (errors_.text().empty() ? "" : ": " + errors_.text()));
}

/// Names stand twice: as GDAL's category names (in a file beside) and in the TIFF itself, for maps
/// that are moved without that file.
void ClassMapWriter::Impl::dress(const SceneInfo& scene, const ClassTable& classes) {
  GDALRasterBand& band = *map_->GetRasterBand(1);
  GDALColorTable colours = colour_table(classes);
  CPLStringList names;
  names.AddString("no data");
  for (int i = 0; i < classes.size(); ++i) {
    const std::string& name = classes.names[static_cast<std::size_t>(i)];
    names.AddString(name.c_str());
    band.SetMetadataItem(class_name_item(i + 1).c_str(), name.c_str());
  }
  bool good = band.SetColorTable(&colours) == CE_None && band.SetNoDataValue(0) == CE_None &&
              band.SetCategoryNames(names.List()) == CE_None;
  if (scene.georeference.present()) {
    std::array<double, 6> transform = scene.georeference.transform;
    good = good && map_->SetGeoTransform(transform.data()) == CE_None &&
           map_->SetProjection(scene.georeference.wkt.c_str()) == CE_None;
  }
  check(good, "cannot be given its colours, names and place");
}

ClassMapWriter::Impl::~Impl() {
  if (!map_) return;
  map_.reset();
  ::unlink(part_name(path_).c_str());
  ::unlink((part_name(path_) + kPam).c_str());
}

void ClassMapWriter::Impl::write(const Window& window, std::span<const std::uint8_t> classes) {
  const bool fits = window.row >= 0 && window.col >= 0 && window.rows >= 0 && window.cols >= 0 &&
                    window.row + window.rows <= map_->GetRasterYSize() &&
                    window.col + window.cols <= map_->GetRasterXSize() &&
                    classes.size() == static_cast<std::size_t>(window.rows) *
                                          static_cast<std::size_t>(window.cols);
  const bool known = std::all_of(classes.begin(), classes.end(),
                                 [this](std::uint8_t id) { return id <= largest_id_; });
  check(fits && known, "a window or class does not fit the map");
  if (classes.empty()) return;
  void* pixels = const_cast<std::uint8_t*>(classes.data());
  const CPLErr result =
      map_->GetRasterBand(1)->RasterIO(GF_Write, window.col, window.row, window.cols, window.rows,
                                       pixels, window.cols, window.rows, GDT_Byte, 0, 0, nullptr);
  check(result == CE_None, "cannot be written");
}

void ClassMapWriter::Impl::close() {
  map_->FlushCache(false);
  check(true, "cannot be written");
  map_.reset();
  try {
    check(true, "cannot be closed");
    const std::string pam = path_ + kPam;
    std::filesystem::rename(part_name(path_) + kPam, part_name(pam));
    publish(pam);
    publish(path_);
  } catch (const std::filesystem::filesystem_error& error) {
    ::unlink(part_name(path_).c_str());
    throw Error(path_, "cannot be renamed into place: " + error.code().message());
  }
}

ClassMapWriter::ClassMapWriter(const std::string& path, const SceneInfo& scene,
                               const ClassTable& classes)
    : impl_(std::make_unique<Impl>(path, scene, classes)) {}

ClassMapWriter::~ClassMapWriter() = default;

void ClassMapWriter::write(const Window& window, std::span<const std::uint8_t> classes) {
  impl_->write(window, classes);
}

void ClassMapWriter::close() {
  impl_->close();
}

}  // namespace oida
