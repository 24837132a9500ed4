#include "io/scene/radarsat2_product.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <cpl_minixml.h>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/plane.hpp"
#include "io/scene/xml_file.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

struct XmlFree {
  void operator()(CPLXMLNode* root) const { CPLDestroyXMLNode(root); }
};
using Xml = std::unique_ptr<CPLXMLNode, XmlFree>;

Xml parse(const std::string& path) {
  const GdalErrors errors;
  Xml root(CPLParseXMLFile(path.c_str()));
  if (!root) throw InputError(path, "cannot be read as XML: " + errors.text());
  return root;
}

std::string text(const Xml& root, const char* name) {
  return CPLGetXMLValue(root.get(), name, "");
}

int number(const Xml& root, const char* name) {
  return std::atoi(text(root, name).c_str());
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
  const Xml product = parse(product_xml);
  const std::string raster = "=product.imageAttributes.rasterAttributes.";
  const int rows = number(product, (raster + "numberOfLines").c_str());
  const int cols = number(product, (raster + "numberOfSamplesPerLine").c_str());
  const std::string type = text(product, (raster + "dataType").c_str());
  if (type != "Complex") throw InputError(product_xml, "holds '" + type + "' samples, not Complex");
  const CPLXMLNode* attributes = CPLGetXMLNode(product.get(), "=product.imageAttributes");
  if (attributes == nullptr) throw InputError(product_xml, "has no imageAttributes");
  Radarsat2Product found;
  for (const CPLXMLNode* node = attributes->psChild; node != nullptr; node = node->psNext) {
    const bool table = EQUAL(node->pszValue, "lookupTable");
    const bool image = EQUAL(node->pszValue, "fullResolutionImageData");
    if (node->eType != CXT_Element || (!table && !image)) continue;
    const std::string path = beside(product_xml, CPLGetXMLValue(node, "", ""));
    if (image) {
      check_image(path, rows, cols);
      found.images[CPLGetXMLValue(node, "pole", "")] = path;
    } else if (EQUAL(CPLGetXMLValue(node, "incidenceAngleCorrection", ""), "Sigma Nought")) {
      found.gains = gains_of(path, cols);
    }
  }
  if (found.gains.empty()) throw InputError(product_xml, "names no table of sigma nought");
  return found;
}

}  // namespace oida
