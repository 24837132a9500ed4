#pragma once
// Reads labels: .mat (one integer matrix), .png (grey, palette or RGB), .tif, ENVI Classification
// (a file with a .hdr beside), polygons (.shp, .gpkg, .geojson).

#include <string>

#include "data/classes.hpp"
#include "data/scene_source.hpp"

namespace oida {

/// InputError (path named) when the file cannot be read, is not of size rows x cols (both sizes are
/// said, and whether it is transposed), is cut off, or holds something else than ids 0 .. 254.
/// A .mat with several matrices: the one of the scene's size. A band's own "no data" value is id 0.
/// RGB files: every colour is an id by first appearance in scan order from 1; the more frequent of
/// pure black and pure white on the image's rim is "no label" (id 0).
LabelRaster read_labels(const std::string& path, int rows, int cols);

/// The same, and polygons, drawn onto the scene's grid by the attribute that names their class: a
/// whole number is the id, words are numbered from 1 in alphabetical order and stay as names. A
/// pixel belongs to the polygon that its centre lies in. InputError also when the scene is not
/// georeferenced, no layer has the attribute, or no polygon lies on the scene.
LabelRaster read_labels(const std::string& path, const SceneInfo& scene,
                        const std::string& attribute = "class");

}  // namespace oida
