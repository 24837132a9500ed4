#pragma once
// Reads label rasters: .mat (v5, one integer matrix), .png (grey, palette or RGB), .tif.

#include <string>

#include "data/classes.hpp"

namespace oida {

/// InputError (path named) when the file cannot be read, is not of size rows x cols (both sizes are
/// said, and whether it is transposed), is cut off, or holds something else than ids 0 .. 254.
/// A .mat with several matrices: the one of the scene's size. A band's own "no data" value is id 0.
/// RGB files: every colour is an id by first appearance in scan order from 1; the more frequent of
/// pure black and pure white on the image's rim is "no label" (id 0).
LabelRaster read_labels(const std::string& path, int rows, int cols);

}  // namespace oida
