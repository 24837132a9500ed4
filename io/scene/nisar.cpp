#include "io/scene/nisar.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "io/georeference.hpp"
#include "io/scene/matrix_names.hpp"
#include "io/scene/nisar_detail.hpp"

namespace oida {
namespace {

constexpr float kOutsideMask = 255;

std::optional<NisarGroup> find_group(const H5Product& file) {
  for (const char* radar : {"LSAR", "SSAR"}) {
    for (const char* product : {"RSLC", "SLC", "GSLC", "GCOV"}) {
      for (const char* kind : {"swaths", "grids"}) {
        for (const char* frequency : {"frequencyA", "frequencyB"}) {
          const std::string path =
              std::string("/science/") + radar + '/' + product + '/' + kind + '/' + frequency;
          if (file.has(path)) return NisarGroup{product, path};
        }
      }
    }
  }
  return std::nullopt;
}

SceneLayout amplitudes(const H5Product& file, const NisarGroup& group, SceneInfo info) {
  const auto polarisations = file.texts(group.path + "/listOfPolarizations");
  const auto matrix = match_polarisations(file.path(), polarisations);
  return layout_of(matrix, std::move(info), [&](const std::string& name) {
    Channel channel;
    channel.plane = file.plane(group.path + '/' + name);
    return channel;
  });
}

/// From the coordinates of pixel centres and an EPSG code; GDAL before 3.12 gives none.
Georeference grid(const H5Product& file, const NisarGroup& group) {
  Georeference out;
  const std::string x_name = group.path + "/xCoordinates", y_name = group.path + "/yCoordinates";
  const auto code = file.number(group.path + "/projection");
  if (!file.has(x_name) || !file.has(y_name) || !code) return out;
  const auto x = file.numbers(x_name), y = file.numbers(y_name);
  if (x.size() < 2 || y.size() < 2 || !(*code > 0 && *code < 1e6)) return out;
  const double dx = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  const double dy = (y.back() - y.front()) / static_cast<double>(y.size() - 1);
  if (!std::isfinite(dx) || !std::isfinite(dy) || dx == 0 || dy == 0) return out;
  out.transform = {x.front() - dx / 2, dx, 0, y.front() - dy / 2, 0, dy};
  out.wkt = wkt_of_epsg(static_cast<int>(*code));
  return out;
}

}  // namespace

bool is_nisar(const std::string& path) {
  if (!is_h5(path)) return false;
  try {
    return find_group(H5Product(path)).has_value();
  } catch (const InputError&) {
    return false;  // said by whichever reader is asked to open it
  }
}

std::unique_ptr<SceneSource> open_nisar(const std::string& path, const SceneOptions&) {
  const H5Product file(path);
  const auto group = find_group(file);
  if (!group) {
    file.refuse(
        "is no NISAR product: /science/LSAR (or SSAR) /RSLC, /SLC, /GSLC or /GCOV with "
        "frequencyA or B is missing");
  }
  SceneInfo info;
  info.path = path;
  info.format = "NISAR " + group->product;
  info.georeference = grid(file, *group);
  SceneLayout layout = group->product == "GCOV" ? nisar_covariance(file, *group, std::move(info))
                                                : amplitudes(file, *group, std::move(info));
  if (file.has(group->path + "/mask")) {
    layout.mask = file.plane(group->path + "/mask");
    layout.mask_outside = kOutsideMask;
  }
  return make_scene(std::move(layout));
}

}  // namespace oida
