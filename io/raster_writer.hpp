#pragma once
// Rasters that the program makes: class maps (GeoTIFF) and pictures (PNG).

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/classes.hpp"
#include "data/scene_source.hpp"
#include "polsar/matrix.hpp"

namespace oida {

/// A tiled, compressed GeoTIFF of class index + 1 (0 = no data) with colour table and class names,
/// georeferenced where the scene is; windows in any order. Names are GDAL's category names (in
/// <path>.aux.xml) and items CLASS_1 .. of the band's metadata in the TIFF itself. Written beside
/// and renamed by close(); Error naming the file.
class ClassMapWriter {
 public:
  ClassMapWriter(const std::string& path, const SceneInfo& scene, const ClassTable& classes);
  ~ClassMapWriter();  // an unclosed map is removed
  void write(const Window& window, std::span<const std::uint8_t> classes);
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A tiled, compressed GeoTIFF of float32 bands that bear the given names, NaN = no data; otherwise
/// like ClassMapWriter.
class FloatMapWriter {
 public:
  FloatMapWriter(const std::string& path, const SceneInfo& scene,
                 const std::vector<std::string>& bands);
  ~FloatMapWriter();  // an unclosed map is removed
  /// [window.rows, window.cols, bands]
  void write(const Window& window, std::span<const float> values);
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Pauli RGB (T22, T33, T11 in dB, each stretched from its 2nd to its 98th percentile) of the whole
/// scene, at most `longest_px` on its longer side (block means); small scenes are enlarged.
void write_pauli_png(const std::string& path, SceneSource& scene, int longest_px = 1024);

/// Picture of class ids (class index + 1, 0 black), at most `longest_px` on its longer side
/// (nearest; small maps are enlarged), with a legend of names below.
void write_class_png(const std::string& path, int rows, int cols, std::span<const std::uint8_t> ids,
                     const ClassTable& classes, int longest_px = 1024);

}  // namespace oida
