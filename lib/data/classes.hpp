#pragma once
// Labels and what their numbers mean.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace oida {

using Colour = std::array<std::uint8_t, 3>;

/// Labels as a file gives them: `ids` [rows, cols]; files with colours only (RGB) are numbered by
/// first appearance and keep their colours.
struct LabelRaster {
  std::string path;
  int rows = 0;
  int cols = 0;
  std::vector<std::uint8_t> ids;
  std::map<int, Colour> colours;     // id -> colour where the file has one
  std::map<int, std::string> names;  // id -> name where the file has one
};

/// The classes of a model, index 0 .. size-1.
struct ClassTable {
  std::vector<std::string> names;
  std::vector<Colour> colours;

  int size() const { return static_cast<int>(names.size()); }
};

/// Labels of one scene as class index + 1; 0 = no label. [rows, cols]
struct LabelImage {
  int rows = 0;
  int cols = 0;
  std::vector<std::uint8_t> classes;

  std::uint8_t& at(int row, int col) {
    return classes[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                   static_cast<std::size_t>(col)];
  }
  std::uint8_t at(int row, int col) const { return const_cast<LabelImage*>(this)->at(row, col); }
};

struct ClassOptions {
  int ignore_label = 0;
  /// Names of the ids in ascending order (ignore_label left out); empty: from the file, else
  /// "class 1" and so on.
  std::vector<std::string> names;
  /// "OLD=NEW" renames class OLD, or merges it into class NEW where that exists.
  std::vector<std::string> aliases;
};

/// One table and one image a raster. InputError (deck key or file named) when there are more ids
/// than names, a named class never occurs in any raster, an alias names no class, fewer than two
/// classes are left, or two rasters contradict each other.
std::pair<ClassTable, std::vector<LabelImage>> make_classes(const std::vector<LabelRaster>& rasters,
                                                            const ClassOptions& options);

}  // namespace oida
