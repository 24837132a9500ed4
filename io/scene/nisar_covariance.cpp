#include <algorithm>
#include <array>
#include <numbers>

#include "io/scene/nisar_detail.hpp"

namespace oida {
namespace {

using Names = std::vector<std::string>;

/// The channels k of a kind, and the factor of each against NISAR's own terms: HV stands for
/// (HV + VH) / sqrt 2 = sqrt 2 HV in a C3.
struct Target {
  MatrixKind kind;
  ChannelPair pair;
  Names channels;
  std::vector<double> factors;
};

std::vector<Target> targets() {
  constexpr double kRoot2 = std::numbers::sqrt2;
  return {{MatrixKind::c4, ChannelPair::none, {"HH", "HV", "VH", "VV"}, {1, 1, 1, 1}},
          {MatrixKind::c3, ChannelPair::none, {"HH", "HV", "VV"}, {1, kRoot2, 1}},
          {MatrixKind::c2, ChannelPair::pp1, {"HH", "HV"}, {1, 1}},
          {MatrixKind::c2, ChannelPair::pp2, {"VV", "VH"}, {1, 1}},
          {MatrixKind::c2, ChannelPair::pp2, {"VV", "HV"}, {1, 1}},
          {MatrixKind::c2, ChannelPair::pp3, {"HH", "VV"}, {1, 1}}};
}

bool has_powers(const Names& terms, const Target& target) {
  return std::all_of(target.channels.begin(), target.channels.end(), [&](const std::string& c) {
    return std::find(terms.begin(), terms.end(), c + c) != terms.end();
  });
}

Target find_target(const H5Product& file, const Names& terms) {
  for (const Target& target : targets()) {
    if (has_powers(terms, target)) return target;
  }
  std::string found;
  for (const auto& term : terms) found += (found.empty() ? "" : ", ") + term;
  file.refuse("holds the covariance terms " + (found.empty() ? "none" : found) +
              "; read are four polarisations, three, or HH or VV with one more");
}

/// Adds the element of channels i < j, or its conjugate; false when the file has neither.
bool add_off_diagonal(const H5Product& file, const std::string& group, const Names& terms,
                      const std::string& first, const std::string& second, Channel channel,
                      SceneLayout& layout) {
  const auto has = [&](const std::string& term) {
    return std::find(terms.begin(), terms.end(), term) != terms.end();
  };
  if (!has(first + second) && !has(second + first)) return false;
  const bool as_is = has(first + second);
  channel.plane = file.plane(group + '/' + (as_is ? first + second : second + first));
  if (!as_is) channel.imaginary_factor = -1;
  layout.channels.push_back(std::move(channel));
  return true;
}

}  // namespace

SceneLayout nisar_covariance(const H5Product& file, const NisarGroup& group, SceneInfo info) {
  const Names terms = file.texts(group.path + "/listOfCovarianceTerms");
  const Target target = find_target(file, terms);
  SceneLayout layout;
  int plane = 0, absent = 0;
  for (std::size_t i = 0; i < target.channels.size(); ++i) {
    const std::string& name = target.channels[i];
    Channel power;
    power.plane = file.plane(group.path + '/' + name + name);
    power.real = plane++;
    power.factor = static_cast<float>(target.factors[i] * target.factors[i]);
    layout.channels.push_back(std::move(power));
    for (std::size_t j = i + 1; j < target.channels.size(); ++j, plane += 2) {
      Channel product;
      product.real = plane;
      product.imaginary = plane + 1;
      product.factor = static_cast<float>(target.factors[i] * target.factors[j]);
      absent += !add_off_diagonal(file, group.path, terms, name, target.channels[j],
                                  std::move(product), layout);
    }
  }
  if (absent > 0) {
    info.notes.push_back(std::to_string(absent) +
                         " off-diagonal elements are not in the file (isFullCovariance): zero");
  }
  info.kind = target.kind;
  info.pair = target.pair;
  layout.info = std::move(info);
  return layout;
}

}  // namespace oida
