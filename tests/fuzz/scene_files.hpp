#pragma once
// Scenes and labels as fuzz targets.

#include <string>
#include <vector>

namespace oida::fuzz {

/// Byte 0 chooses the small scene, byte 1 the file in it that the rest stands for; the others are
/// whole.
std::vector<std::string> scene_seeds();
void read_scene_file(const std::string& bytes);

/// Byte 0 chooses .mat, .png or .tif.
std::vector<std::string> label_seeds();
void read_label_file(const std::string& bytes);

}  // namespace oida::fuzz
