#pragma once
// What the label readers share.

#include <cstdint>
#include <string>

#include "data/classes.hpp"
#include "data/scene_source.hpp"

namespace oida {

LabelRaster read_mat_labels(const std::string& path, int rows, int cols);

LabelRaster read_vector_labels(const std::string& path, const SceneInfo& scene,
                               const std::string& attribute);

/// `driver`: "PNG", "GTiff" or "ENVI".
LabelRaster read_raster_labels(const std::string& path, const char* driver, int rows, int cols);

/// InputError saying both sizes, and whether the file looks transposed.
void check_label_size(const std::string& path, std::size_t found_rows, std::size_t found_cols,
                      int rows, int cols);

/// InputError unless `value` is a whole number from 0 to 254.
std::uint8_t label_id(const std::string& path, double value);

}  // namespace oida
