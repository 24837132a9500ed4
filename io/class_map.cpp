// The class map as a GeoTIFF.

#include <algorithm>

#include "io/geotiff_out.hpp"
#include "io/raster_writer.hpp"

namespace oida {

class ClassMapWriter::Impl {
 public:
  Impl(const std::string& path, const SceneInfo& scene, const ClassTable& classes);

  void write(const Window& window, std::span<const std::uint8_t> classes);
  void close() { file_.close(); }

 private:
  void dress(const ClassTable& classes);

  int largest_id_;
  GeoTiffOut file_;
};

ClassMapWriter::Impl::Impl(const std::string& path, const SceneInfo& scene,
                           const ClassTable& classes)
    : largest_id_(classes.size()), file_(path, scene, 1, GDT_Byte) {
  dress(classes);
}

/// Names stand twice: as GDAL's category names (in a file beside) and in the TIFF itself, for maps
/// that are moved without that file.
void ClassMapWriter::Impl::dress(const ClassTable& classes) {
  GDALRasterBand& band = file_.band(1);
  GDALColorTable colours = colour_table(classes);
  CPLStringList names;
  names.AddString("no data");
  for (int i = 0; i < classes.size(); ++i) {
    const std::string& name = classes.names[static_cast<std::size_t>(i)];
    names.AddString(name.c_str());
    band.SetMetadataItem(class_name_item(i + 1).c_str(), name.c_str());
  }
  file_.check(band.SetColorTable(&colours) == CE_None && band.SetNoDataValue(0) == CE_None &&
                  band.SetCategoryNames(names.List()) == CE_None,
              "cannot be given its colours and names");
}

void ClassMapWriter::Impl::write(const Window& window, std::span<const std::uint8_t> classes) {
  const bool fits = classes.size() ==
                    static_cast<std::size_t>(window.rows) * static_cast<std::size_t>(window.cols);
  const bool known = std::all_of(classes.begin(), classes.end(),
                                 [this](std::uint8_t id) { return id <= largest_id_; });
  file_.check(fits && known, "a window or class does not fit the map");
  file_.write(window, classes.data());
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
