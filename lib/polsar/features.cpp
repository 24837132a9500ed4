#include "polsar/features.hpp"

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "polsar/conversion.hpp"

namespace oida {
namespace {

using Groups = std::vector<const FeatureGroup*>;

const FeatureGroup& group_of(const std::string& name, ChannelPair pair) {
  for (const FeatureGroup& group : feature_groups(pair)) {
    if (group.name == name) return group;
  }
  throw InputError("data.features", "'" + name + "' is unknown for a " +
                                        (pair == ChannelPair::none ? "quad" : "dual") +
                                        "-pol scene; allowed: " + allowed_features(pair));
}

Groups groups_of(const FeatureRecipe& recipe) {
  Groups groups;
  for (const auto& name : recipe.features) {
    groups.push_back(&group_of(name, recipe.pair));
    if (std::count(recipe.features.begin(), recipe.features.end(), name) > 1) {
      throw InputError("data.features", "'" + name + "' is named twice");
    }
  }
  return groups;
}

template <typename Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// Between commas, without blanks around.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text + ",");
  for (std::string name; std::getline(stream, name, ',');) {
    const auto first = name.find_first_not_of(" \t");
    const auto last = name.find_last_not_of(" \t");
    names.push_back(first == std::string::npos ? "" : name.substr(first, last - first + 1));
  }
  return names;
}

void check(const MatrixWindow& window, const Halo& halo) {
  const bool cut_fits = std::min({halo.top, halo.left, halo.bottom, halo.right}) >= 0 &&
                        halo.top + halo.bottom <= window.rows &&
                        halo.left + halo.right <= window.cols;
  if (!cut_fits || window.valid.size() != window.pixels()) {
    throw Error("make_features", "a window of " + std::to_string(window.rows) + " x " +
                                     std::to_string(window.cols) +
                                     " px is not audited or smaller than its halo");
  }
}

/// What all groups say of their channels, one behind the other.
template <typename Value, typename Part>
std::vector<Value> gathered(const FeatureRecipe& recipe, Part part) {
  std::vector<Value> all;
  for (const auto* group : groups_of(recipe)) {
    const auto& values = group->*part;
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

void put_pixel(const MatrixWindow& window, std::size_t i, const Groups& groups, float* out) {
  std::array<double, kT3Elements.size()> matrix{};
  const std::size_t width = elements(window.kind).size();
  for (std::size_t e = 0; e < width; ++e) matrix[e] = static_cast<double>(window.plane(e)[i]);
  for (const auto* group : groups) {
    group->put(std::span(matrix).first(width), out);
    out += group->channels.size();
  }
}

FeatureWindow inner_features(const MatrixWindow& window, const Groups& groups, const Halo& halo) {
  std::size_t channels = 0;
  for (const auto* group : groups) channels += group->channels.size();
  FeatureWindow features;
  features.rows = window.rows - halo.top - halo.bottom;
  features.cols = window.cols - halo.left - halo.right;
  features.channels = static_cast<int>(channels);
  const auto pixels =
      static_cast<std::size_t>(features.rows) * static_cast<std::size_t>(features.cols);
  features.values.assign(pixels * channels, 0.0F);
  features.valid.assign(pixels, 0);

  std::size_t out = 0;
  for (int row = halo.top; row < window.rows - halo.bottom; ++row) {
    for (int col = halo.left; col < window.cols - halo.right; ++col, ++out) {
      const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(window.cols) +
                     static_cast<std::size_t>(col);
      features.valid[out] = window.valid[i];
      if (window.valid[i] == 0) continue;
      put_pixel(window, i, groups, features.values.data() + out * channels);
    }
  }
  return features;
}

}  // namespace

FeatureRecipe make_recipe(const std::string& features, const std::string& filter,
                          ChannelPair pair) {
  FeatureRecipe recipe;
  recipe.pair = pair;
  recipe.filter = speckle_filter(filter);
  recipe.features = features == "auto" ? std::vector{std::string(feature_groups(pair).front().name)}
                                       : split_names(features);
  groups_of(recipe);
  return recipe;
}

std::string features_text(const FeatureRecipe& recipe) {
  return joined(recipe.features);
}

std::string allowed_features(ChannelPair pair) {
  std::vector<std::string_view> names;
  for (const FeatureGroup& group : feature_groups(pair)) names.push_back(group.name);
  return joined(names);
}

void require_fit(const FeatureRecipe& recipe, MatrixKind kind, ChannelPair pair,
                 const std::string& scene) {
  if (kind != MatrixKind::c2 || pair == recipe.pair) return;
  const auto text = [](ChannelPair of) {
    return of == ChannelPair::none ? std::string("quad-pol matrices")
                                   : "C2 " + std::string(name(of));
  };
  throw InputError(scene, "holds " + text(pair) + "; the features " + features_text(recipe) +
                              " are made of " + text(recipe.pair));
}

int channels(const FeatureRecipe& recipe) {
  return static_cast<int>(channel_names(recipe).size());
}

std::vector<std::string> channel_names(const FeatureRecipe& recipe) {
  return gathered<std::string>(recipe, &FeatureGroup::channels);
}

std::vector<float> mirror_signs(const FeatureRecipe& recipe) {
  return gathered<float>(recipe, &FeatureGroup::mirror_signs);
}

FeatureWindow make_features(const MatrixWindow& window, const FeatureRecipe& recipe, Halo halo) {
  const Groups groups = groups_of(recipe);
  check(window, halo);
  require_fit(recipe, window.kind, window.pair, "make_features");
  const auto kind = recipe.pair == ChannelPair::none ? MatrixKind::t3 : MatrixKind::c2;
  if (window.kind == kind && recipe.filter.kind == SpeckleFilter::Kind::none) {
    return inner_features(window, groups, halo);
  }
  return inner_features(filtered(convert(window, kind, recipe.pair), recipe.filter), groups, halo);
}

}  // namespace oida
