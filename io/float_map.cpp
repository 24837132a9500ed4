// Maps of numbers as GeoTIFFs.

#include <limits>

#include "io/geotiff_out.hpp"
#include "io/raster_writer.hpp"

namespace oida {

class FloatMapWriter::Impl {
 public:
  Impl(const std::string& path, const SceneInfo& scene, const std::vector<std::string>& bands)
      : bands_(bands.size()), file_(path, scene, static_cast<int>(bands.size()), GDT_Float32) {
    for (std::size_t i = 0; i < bands_; ++i) {
      GDALRasterBand& band = file_.band(static_cast<int>(i) + 1);
      band.SetDescription(bands[i].c_str());
      file_.check(band.SetNoDataValue(std::numeric_limits<double>::quiet_NaN()) == CE_None,
                  "cannot be given its value for no data");
    }
  }

  void write(const Window& window, std::span<const float> values) {
    file_.check(values.size() == static_cast<std::size_t>(window.rows) *
                                     static_cast<std::size_t>(window.cols) * bands_,
                "a window does not fit its values");
    file_.write(window, values.data());
  }
  void close() { file_.close(); }

 private:
  std::size_t bands_;
  GeoTiffOut file_;
};

FloatMapWriter::FloatMapWriter(const std::string& path, const SceneInfo& scene,
                               const std::vector<std::string>& bands)
    : impl_(std::make_unique<Impl>(path, scene, bands)) {}

FloatMapWriter::~FloatMapWriter() = default;

void FloatMapWriter::write(const Window& window, std::span<const float> values) {
  impl_->write(window, values);
}

void FloatMapWriter::close() {
  impl_->close();
}

}  // namespace oida
