#include "io/run/model_file.hpp"

#include <sstream>

#include "io/h5.hpp"
#include "io/run/h5_parameters.hpp"

namespace oida {
namespace {

constexpr const char* kFormat = "oida model";
constexpr std::int64_t kVersion = 3;
constexpr std::int64_t kLongestSide = 1 << 16;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void write_network(H5Out& file, const Network& network) {
  file.make_group("network");
  file.attribute("network", "name", network.name);
  file.attribute("network", "output",
                 std::string(network.output == Output::dense ? "dense" : "class"));
  file.attribute("network", "layers", joined(to_lines(network)));
  file.attribute("network", "input_channels", network.input.c);
  file.attribute("network", "input_rows", network.input.h);
  file.attribute("network", "input_cols", network.input.w);
  file.attribute("network", "classes", network.classes);
}

void write_classes(H5Out& file, const ClassTable& classes) {
  std::vector<std::uint8_t> colours;
  for (const Colour& c : classes.colours) colours.insert(colours.end(), c.begin(), c.end());
  file.write_texts("classes/names", classes.names);
  file.write<std::uint8_t>("classes/colours", colours, {classes.colours.size(), 3});
}

void write_features(H5Out& file, const FeatureRecipe& recipe, const Normaliser& normaliser) {
  file.write_texts("features/channels", channel_names(recipe));
  file.attribute("features", "features", features_text(recipe));
  file.attribute("features", "speckle_filter", to_text(recipe.filter));
  file.attribute("features", "channel_pair", std::string(name(recipe.pair)));
  file.write<float>("normaliser/mean", normaliser.mean, {normaliser.mean.size()});
  file.write<float>("normaliser/inverse_deviation", normaliser.inverse_deviation,
                    {normaliser.inverse_deviation.size()});
}

int small_number(const H5In& file, const std::string& object, const std::string& name) {
  const std::int64_t value = file.number_attribute(object, name);
  if (value < 1 || value > kLongestSide) {
    file.refuse("attribute " + name + " is " + std::to_string(value) + ", out of 1 .. " +
                std::to_string(kLongestSide));
  }
  return static_cast<int>(value);
}

Network read_network(const H5In& file) {
  const Shape input{small_number(file, "network", "input_channels"),
                    small_number(file, "network", "input_rows"),
                    small_number(file, "network", "input_cols")};
  Network network = from_lines(split_lines(file.text_attribute("network", "layers")), input,
                               small_number(file, "network", "classes"),
                               output_kind(file.text_attribute("network", "output")));
  network.name = file.text_attribute("network", "name");
  return network;
}

ClassTable read_classes(const H5In& file) {
  ClassTable classes;
  classes.names = file.read_texts("classes/names");
  const auto bytes = file.read<std::uint8_t>("classes/colours");
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
    classes.colours.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
  }
  return classes;
}

void check_fit(const H5In& file, const Model& model) {
  const auto fit = [&](bool good, const std::string& what) {
    if (!good) file.refuse(what + " does not fit the network");
  };
  const auto count = static_cast<std::size_t>(model.network.classes);
  const auto width = static_cast<std::size_t>(model.network.input.c);
  fit(model.classes.names.size() == count, "the number of class names");
  fit(model.classes.colours.size() == count, "the number of class colours");
  fit(channels(model.recipe) == model.network.input.c, "the feature recipe");
  fit(model.normaliser.mean.size() == width, "the normaliser's mean");
  fit(model.normaliser.inverse_deviation.size() == width, "the normaliser's deviation");
  fit(model.patch_px == model.network.input.h && model.patch_px == model.network.input.w,
      "patch_px");
}

Model read_parts(const H5In& file) {
  Model model;
  model.network = read_network(file);
  model.classes = read_classes(file);
  model.recipe = make_recipe(file.text_attribute("features", "features"),
                             file.text_attribute("features", "speckle_filter"),
                             channel_pair(file.text_attribute("features", "channel_pair")));
  model.normaliser.mean = file.read<float>("normaliser/mean");
  model.normaliser.inverse_deviation = file.read<float>("normaliser/inverse_deviation");
  model.patch_px = small_number(file, "/", "patch_px");
  check_fit(file, model);
  model.parameters = read_parameters(file, "parameters", model.network);
  return model;
}

}  // namespace

void write_model(const std::string& path, const Model& model) {
  H5Out file(path);
  file.attribute("/", "format", kFormat);
  file.attribute("/", "format_version", kVersion);
  file.attribute("/", "patch_px", model.patch_px);
  write_network(file, model.network);
  write_classes(file, model.classes);
  write_features(file, model.recipe, model.normaliser);
  write_parameters(file, "parameters", model.network, model.parameters);
  file.close();
}

Model read_model(const std::string& path) {
  const H5In file(path, Exit::refused);
  if (file.text_attribute("/", "format") != kFormat) file.refuse("is no model of oida");
  if (file.number_attribute("/", "format_version") != kVersion) {
    file.refuse("is a model of version " +
                std::to_string(file.number_attribute("/", "format_version")) +
                "; this program reads version " + std::to_string(kVersion));
  }
  try {
    return read_parts(file);
  } catch (const Error& error) {
    if (error.message().rfind(path, 0) == 0) throw;
    throw InputError(path, error.message());
  }
}

}  // namespace oida
