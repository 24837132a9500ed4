#pragma once
// The product.xml of a RADARSAT-2 SLC product. Read here and not by GDAL's driver, which opens
// whatever file of whatever format is named and overruns tables and images of other sizes.

#include <map>
#include <string>
#include <vector>

namespace oida {

struct Radarsat2Product {
  std::map<std::string, std::string> images;  // GeoTIFF of real and imaginary part by polarisation
  /// Of each column; an amplitude is a digital number over it, its power sigma nought (RADARSAT-2
  /// Product Format Definition, "Output scaling look-up tables", of complex products).
  std::vector<float> gains;
};

/// InputError naming the file where samples are not complex; where an image or a table is named by
/// more than a plain name, so that it could lie outside the folder; where an image is no GeoTIFF of
/// two bands of the product's size; or where the table is missing, shorter than a line or not
/// above 0.
Radarsat2Product read_radarsat2_product(const std::string& product_xml);

}  // namespace oida
