#include "io/scene/gdal_plane.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"

namespace oida {
namespace {

/// No compression of a scene reaches this.
constexpr double kMostCompression = 1e4;

/// A raster in strips gives whole lines only: those of a row of windows stay in the cache, so that
/// windows side by side do not decode them again.
void keep_lines(GDALRasterBand& band) {
  constexpr int kLines = 320;  // of a window with its margins
  int width = 0, height = 0;
  band.GetBlockSize(&width, &height);
  if (width < band.GetXSize() || height < 1 || band.GetXSize() <= kLines) return;
  const int strips = (std::min(kLines, band.GetYSize()) + height - 1) / height + 1;
  widen_gdal_cache(std::int64_t{strips} * height * width *
                   GDALGetDataTypeSizeBytes(band.GetRasterDataType()));
}

class GdalPlane final : public Plane {
 public:
  /// `imaginary_band` 0: the real band is complex, or the raster real.
  GdalPlane(SharedRaster raster, const std::string& path, int real_band, int imaginary_band)
      : raster_(std::move(raster)), path_(path) {
    real_ = band(real_band);
    keep_lines(*real_);
    if (imaginary_band > 0) imaginary_ = band(imaginary_band);
    if (imaginary_ == nullptr) return;
    for (GDALRasterBand* part : {real_, imaginary_}) {
      if (GDALDataTypeIsComplex(part->GetRasterDataType()) != 0) {
        throw InputError(path_, "has complex bands where real and imaginary parts belong");
      }
    }
  }

  const std::string& path() const override { return path_; }
  int rows() const override { return raster_->GetRasterYSize(); }
  int cols() const override { return raster_->GetRasterXSize(); }
  bool complex() const override { return imaginary_ != nullptr || whole_complex(); }
  std::int64_t bytes_read() const override { return bytes_read_; }

  void read(const Window& window, float* real, float* imaginary) override {
    if (imaginary_ != nullptr || !complex()) {
      read_band(*real_, window, GDT_Float32, real);
      if (imaginary_ != nullptr) read_band(*imaginary_, window, GDT_Float32, imaginary);
      return;
    }
    const auto count =
        static_cast<std::size_t>(window.rows) * static_cast<std::size_t>(window.cols);
    buffer_.resize(2 * count);
    read_band(*real_, window, GDT_CFloat32, buffer_.data());
    for (std::size_t i = 0; i < count; ++i) {
      real[i] = buffer_[2 * i];
      imaginary[i] = buffer_[2 * i + 1];
    }
  }

 private:
  bool whole_complex() const { return GDALDataTypeIsComplex(real_->GetRasterDataType()) != 0; }

  GDALRasterBand* band(int number) const {
    if (number >= 1 && number <= raster_->GetRasterCount()) return raster_->GetRasterBand(number);
    throw InputError(path_, "has " + std::to_string(raster_->GetRasterCount()) + " bands; band " +
                                std::to_string(number) + " is wanted");
  }

  void read_band(GDALRasterBand& band, const Window& window, GDALDataType type, float* out) {
    GdalErrors errors;
    if (band.RasterIO(GF_Read, window.col, window.row, window.cols, window.rows, out, window.cols,
                      window.rows, type, 0, 0, nullptr) != CE_None) {
      throw Error(path_, "cannot be read: " + errors.text());
    }
    bytes_read_ += std::int64_t{GDALGetDataTypeSizeBytes(band.GetRasterDataType())} * window.rows *
                   window.cols;
  }

  SharedRaster raster_;
  std::string path_;
  GDALRasterBand* real_ = nullptr;
  GDALRasterBand* imaginary_ = nullptr;
  std::vector<float> buffer_;
  std::int64_t bytes_read_ = 0;
};

}  // namespace

SharedRaster open_shared_raster(const std::string& path, const char* driver) {
  SharedRaster raster = open_raster(path, driver);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  const double pixels =
      static_cast<double>(raster->GetRasterXSize()) * static_cast<double>(raster->GetRasterYSize());
  if (!error && pixels > kMostCompression * static_cast<double>(bytes)) {
    throw InputError(path, "has " + std::to_string(bytes) + " bytes and claims " +
                               size_text(raster->GetRasterYSize(), raster->GetRasterXSize()));
  }
  return raster;
}

std::unique_ptr<Plane> gdal_plane(const SharedRaster& raster, const std::string& path, int band) {
  return std::make_unique<GdalPlane>(raster, path, band, 0);
}

std::unique_ptr<Plane> gdal_plane(const SharedRaster& raster, const std::string& path,
                                  int real_band, int imaginary_band) {
  return std::make_unique<GdalPlane>(raster, path, real_band, imaginary_band);
}

std::unique_ptr<Plane> gdal_amplitude(const std::string& path, const char* driver) {
  const SharedRaster raster = open_shared_raster(path, driver);
  if (raster->GetRasterCount() == 1) return gdal_plane(raster, path, 1);
  if (raster->GetRasterCount() == 2) return gdal_plane(raster, path, 1, 2);
  throw InputError(path, "has " + std::to_string(raster->GetRasterCount()) +
                             " bands; an amplitude is one complex band, or two real ones");
}

}  // namespace oida
