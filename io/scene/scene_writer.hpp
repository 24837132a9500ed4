#pragma once
// Writes synthetic scenes as PolSARpro T3 folders with labels.

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "data/classes.hpp"

namespace oida {

/// `planes`: [9, rows, cols] in kT3Elements order. Writes <folder>/T11.bin, T11.bin.hdr, ...,
/// config.txt; each file beside, then renamed, config.txt first taken away and written last: a
/// folder with a config.txt is whole.
void write_t3_folder(const std::string& folder, int rows, int cols, std::span<const float> planes);

/// Grey-with-palette PNG of class ids [rows, cols]; colour 0 is black (no label).
void write_label_png(const std::string& path, int rows, int cols, std::span<const std::uint8_t> ids,
                     const ClassTable& classes);

}  // namespace oida
