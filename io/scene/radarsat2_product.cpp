#include "io/scene/radarsat2_product.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <cpl_minixml.h>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/scene/plane.hpp"

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

void check_table(const std::string& path, int cols) {
  const Xml table = parse(path);
  char** gains = CSLTokenizeString2(text(table, "=lut.gains").c_str(), " ", CSLT_HONOURSTRINGS);
  const int count = CSLCount(gains);
  CSLDestroy(gains);
  if (count < cols) {
    throw InputError(path, "has " + std::to_string(count) + " gains for lines of " +
                               std::to_string(cols) + " pixels");
  }
}

void check_image(const std::string& path, int rows, int cols) {
  const GdalDataset image = open_raster(path, "GTiff");
  int block_cols = 0, block_rows = 0;
  if (image->GetRasterCount() == 2) {
    image->GetRasterBand(1)->GetBlockSize(&block_cols, &block_rows);
  }
  if (image->GetRasterYSize() != rows || image->GetRasterXSize() != cols || block_cols != cols) {
    throw InputError(path, "is no image of two bands in whole lines of " + size_text(rows, cols) +
                               ", which product.xml says");
  }
}

}  // namespace

void check_radarsat2_product(const std::string& product_xml) {
  start_gdal();
  const Xml product = parse(product_xml);
  const std::string raster = "=product.imageAttributes.rasterAttributes.";
  const int rows = number(product, (raster + "numberOfLines").c_str());
  const int cols = number(product, (raster + "numberOfSamplesPerLine").c_str());
  // GDAL 3.6 names what it does not support from memory that it has freed.
  const std::string type = CPLGetXMLValue(product.get(), (raster + "dataType").c_str(), "");
  const int bits = number(product, (raster + "bitsPerSample").c_str());
  if (type != "Complex" || (bits != 16 && bits != 32)) {
    throw InputError(product_xml, "holds samples of type '" + type + "' and " +
                                      std::to_string(bits) + " bits, not Complex of 16 or 32");
  }
  const CPLXMLNode* attributes = CPLGetXMLNode(product.get(), "=product.imageAttributes");
  if (attributes == nullptr) throw InputError(product_xml, "has no imageAttributes");
  for (const CPLXMLNode* node = attributes->psChild; node != nullptr; node = node->psNext) {
    const bool table = EQUAL(node->pszValue, "lookupTable");
    const bool image = EQUAL(node->pszValue, "fullResolutionImageData");
    if (node->eType != CXT_Element || (!table && !image)) continue;
    const std::string path = beside(product_xml, CPLGetXMLValue(node, "", ""));
    if (table) check_table(path, cols);
    if (image) check_image(path, rows, cols);
  }
}

}  // namespace oida
