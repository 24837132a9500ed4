#include "io/scene/matrix_names.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"

namespace oida {
namespace {

using Names = std::vector<std::string>;

struct PairNames {
  ChannelPair pair;
  std::array<const char*, 2> polarisations;
};
constexpr std::array kPairs = {
    PairNames{ChannelPair::pp1, {"HH", "HV"}}, PairNames{ChannelPair::pp1, {"HH", "VH"}},
    PairNames{ChannelPair::pp2, {"VV", "VH"}}, PairNames{ChannelPair::pp2, {"VV", "HV"}},
    PairNames{ChannelPair::pp3, {"HH", "VV"}}};
constexpr std::array kSquareKinds = {MatrixKind::t4, MatrixKind::c4, MatrixKind::t3,
                                     MatrixKind::c3};
constexpr std::array<const char*, 4> kPolarisations = {"HH", "HV", "VH", "VV"};

bool all_in(const Names& names, const std::vector<NamedPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const NamedPart& part) {
    return std::find(names.begin(), names.end(), part.name) != names.end();
  });
}

/// Amplitudes as complex rasters, or as SNAP's pairs of real ones.
std::vector<NamedPart> complex_parts(std::span<const char* const> polarisations) {
  std::vector<NamedPart> parts;
  for (std::size_t i = 0; i < polarisations.size(); ++i) {
    parts.push_back({polarisations[i], static_cast<int>(2 * i), static_cast<int>(2 * i + 1)});
  }
  return parts;
}

std::vector<NamedPart> split_parts(std::span<const char* const> polarisations) {
  std::vector<NamedPart> parts;
  for (std::size_t i = 0; i < polarisations.size(); ++i) {
    const std::string name = polarisations[i];
    parts.push_back({"i_" + name, static_cast<int>(2 * i), -1});
    parts.push_back({"q_" + name, static_cast<int>(2 * i + 1), -1});
  }
  return parts;
}

std::optional<NamedMatrix> match_amplitudes(const Names& names) {
  for (const auto& parts :
       {parts_of(MatrixKind::s2), complex_parts(kPolarisations), split_parts(kPolarisations)}) {
    if (all_in(names, parts)) return NamedMatrix{MatrixKind::s2, ChannelPair::none, false, parts};
  }
  return std::nullopt;
}

std::optional<NamedMatrix> match_pair(const Names& names) {
  for (const auto& [pair, polarisations] : kPairs) {
    for (const auto& parts : {complex_parts(polarisations), split_parts(polarisations)}) {
      if (all_in(names, parts)) return NamedMatrix{MatrixKind::c2, pair, true, parts};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<NamedPart> parts_of(MatrixKind kind) {
  if (kind == MatrixKind::s2) {
    constexpr std::array<const char*, 4> kFiles = {"s11", "s12", "s21", "s22"};
    return complex_parts(kFiles);
  }
  std::vector<NamedPart> parts;
  for (const auto element : elements(kind)) {
    parts.push_back({std::string(element), static_cast<int>(parts.size()), -1});
  }
  return parts;
}

std::vector<std::string> known_names() {
  Names names;
  const auto add = [&](const std::vector<NamedPart>& parts) {
    for (const auto& part : parts) names.push_back(part.name);
  };
  for (const MatrixKind kind : {MatrixKind::t4, MatrixKind::c4, MatrixKind::s2}) {
    add(parts_of(kind));
  }
  add(complex_parts(kPolarisations));
  add(split_parts(kPolarisations));
  return names;
}

std::optional<NamedMatrix> match_names(const Names& names) {
  for (const MatrixKind kind : kSquareKinds) {
    const auto parts = parts_of(kind);
    if (all_in(names, parts)) return NamedMatrix{kind, ChannelPair::none, false, parts};
  }
  if (const auto scattering = match_amplitudes(names)) return scattering;
  const auto c2 = parts_of(MatrixKind::c2);
  if (all_in(names, c2)) return NamedMatrix{MatrixKind::c2, ChannelPair::pp1, false, c2};
  return match_pair(names);
}

NamedMatrix match_polarisations(const std::string& path, const Names& names) {
  if (const auto scattering = match_amplitudes(names)) return *scattering;
  if (const auto pair = match_pair(names)) return *pair;
  std::string found;
  for (const auto& name : names) found += (found.empty() ? "" : ", ") + name;
  throw InputError(path, "holds the polarisations " + (found.empty() ? "none" : found) +
                             "; read are all four, or HH or VV with one more");
}

SceneLayout layout_of(const NamedMatrix& matrix, SceneInfo info, const OpenPart& open) {
  SceneLayout layout;
  info.kind = matrix.kind;
  info.pair = matrix.pair;
  layout.info = std::move(info);
  layout.amplitude_pair = matrix.amplitude_pair;
  for (const NamedPart& part : matrix.parts) {
    Channel channel = open(part.name);
    channel.real = part.real;
    channel.imaginary = part.imaginary;
    layout.channels.push_back(std::move(channel));
  }
  return layout;
}

}  // namespace oida
