#include "io/scene_reader.hpp"

#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/polsarpro.hpp"

namespace oida {

std::unique_ptr<SceneSource> open_scene(const std::string& path, const SceneOptions& options) {
  if (options.format != "auto" && options.format != "polsarpro") {
    throw InputError("scene.format", "'" + options.format + "' is not one of auto, polsarpro");
  }
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, "does not exist");
  if (!std::filesystem::is_directory(status)) {
    throw InputError(path, "is a file, not a PolSARpro T3 folder (the one format read so far)");
  }
  return open_polsarpro(path, options.rows, options.cols);
}

}  // namespace oida
