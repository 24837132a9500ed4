#pragma once
// A RADARSAT-2 product.xml, looked at before GDAL's driver is given it: the driver opens whatever
// file of whatever format is named, and takes look-up tables to be as long as a line.

#include <string>

namespace oida {

/// InputError naming the file where an image or a table is named by more than a plain name, so that
/// it could lie outside the folder; where an image is no GeoTIFF of two bands in whole lines of the
/// product's size; or where a table is shorter than a line.
void check_radarsat2_product(const std::string& product_xml);

}  // namespace oida
