#include "io/scene/scene_reader.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "io/scene/amplitude_readers.hpp"
#include "io/scene/covariance_readers.hpp"
#include "io/scene/named_readers.hpp"
#include "io/scene/nisar.hpp"
#include "io/scene/polsarpro.hpp"
#include "io/scene/product_readers.hpp"
#include "io/scene/scene_cache.hpp"

namespace oida {
namespace {

struct Format {
  const char* name;
  bool (*is_own)(const std::string& path);
  std::unique_ptr<SceneSource> (*open)(const std::string& path, const SceneOptions& options);
};

constexpr std::array kFormats = {
    Format{"polsarpro", is_polsarpro, open_polsarpro},
    Format{"cache", is_scene_cache, open_scene_cache},
    Format{"nisar", is_nisar, open_nisar},
    Format{"netcdf_beam", is_netcdf_beam, open_netcdf_beam},
    Format{"dimap", is_dimap, open_dimap},
    Format{"airsar", is_airsar, open_airsar},
    Format{"uavsar", is_uavsar, open_uavsar},
    Format{"radarsat2", is_radarsat2, open_radarsat2},
    Format{"alos2", is_alos2, open_alos2},
    Format{"rcm", is_rcm, open_rcm},
    Format{"gaofen3", is_gaofen3, open_gaofen3},
    Format{"saocom", is_saocom, open_saocom},
    Format{"biomass", is_biomass, open_biomass},
    Format{"sentinel1", is_sentinel1, open_sentinel1},
    Format{"geotiff", is_geotiff, open_geotiff},
};

std::string names_of_formats() {
  std::string names;
  for (const auto& name : scene_formats()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

std::vector<std::string> scene_formats() {
  std::vector<std::string> names{"auto"};
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> scene_channels() {
  return {"auto", "pp1", "pp2", "pp3", "rh_rv"};
}

ChannelPair channel_pair(const std::string& name) {
  constexpr std::array kPairs = {ChannelPair::none, ChannelPair::pp1, ChannelPair::pp2,
                                 ChannelPair::pp3, ChannelPair::rh_rv};
  const auto names = scene_channels();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return kPairs[i];
  }
  throw InputError("scene.channels", "'" + name + "' is not one of auto, pp1, pp2, pp3, rh_rv");
}

std::unique_ptr<SceneSource> open_scene(const std::string& path, const SceneOptions& options) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, "does not exist");
  for (const Format& format : kFormats) {
    const bool wanted =
        options.format == "auto" ? format.is_own(path) : options.format == format.name;
    if (wanted) return format.open(path, options);
  }
  if (options.format != "auto") {
    throw InputError("scene.format",
                     "'" + options.format + "' is not one of " + names_of_formats());
  }
  if (std::filesystem::is_directory(status)) return open_polsarpro(path, options);
  throw InputError(path, "is no file of a known format (" + names_of_formats() + ")");
}

}  // namespace oida
