#include "io/scene/radarsat2_product.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/plane.hpp"
#include "io/scene/xml_file.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

/// A size in pixels; 0 where it is missing or no size.
int size_of(const XmlFile& product, const std::string& name) {
  const double size = product.number("rasterAttributes", name).value_or(0);
  return size >= 1 && size <= std::numeric_limits<int>::max() ? static_cast<int>(size) : 0;
}

std::string attribute(const XmlElement& element, const std::string& name) {
  const auto found = element.attributes.find(name);
  return found == element.attributes.end() ? "" : found->second;
}

std::string beside(const std::string& path, const std::string& name) {
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find_first_of("/\\:") == std::string::npos;
  if (!plain) throw InputError(path, "names the file '" + name + "': it is not a plain name");
  return (fs::path(path).parent_path() / name).string();
}

std::vector<float> gains_of(const std::string& path, int cols) {
  auto gains = XmlFile(path).numbers("gains");
  if (gains.size() < static_cast<std::size_t>(cols)) {
    throw InputError(path, "has " + std::to_string(gains.size()) + " gains for lines of " +
                               std::to_string(cols) + " pixels");
  }
  if (!std::ranges::all_of(gains, [](double gain) { return gain > 0; })) {
    throw InputError(path, "has gains that are not above 0");
  }
  return {gains.begin(), gains.begin() + cols};
}

void check_image(const std::string& path, int rows, int cols) {
  const GdalDataset image = open_raster(path, "GTiff");
  if (image->GetRasterCount() != 2 || image->GetRasterYSize() != rows ||
      image->GetRasterXSize() != cols) {
    throw InputError(
        path, "is no image of two bands of " + size_text(rows, cols) + ", which product.xml says");
  }
}

}  // namespace

Radarsat2Product read_radarsat2_product(const std::string& product_xml) {
  start_gdal();
  const XmlFile product(product_xml);
  const int rows = size_of(product, "numberOfLines");
  const int cols = size_of(product, "numberOfSamplesPerLine");
  const auto type = product.text("rasterAttributes", "dataType").value_or("");
  if (type != "Complex") throw InputError(product_xml, "holds '" + type + "' samples, not Complex");
  const auto attributes = product.children("imageAttributes");
  if (attributes.empty()) throw InputError(product_xml, "has no imageAttributes");
  Radarsat2Product found;
  for (const XmlElement& element : attributes) {
    if (element.name == "fullResolutionImageData") {
      const std::string path = beside(product_xml, element.text);
      check_image(path, rows, cols);
      found.images[attribute(element, "pole")] = path;
    } else if (element.name == "lookupTable") {
      const std::string path = beside(product_xml, element.text);
      const bool sigma = attribute(element, "incidenceAngleCorrection") == "Sigma Nought";
      if (sigma) found.gains = gains_of(path, cols);
    }
  }
  if (found.gains.empty()) throw InputError(product_xml, "names no table of sigma nought");
  return found;
}

}  // namespace oida
