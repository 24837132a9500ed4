#include "data/classes.hpp"

#include <cmath>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "data/palette.hpp"

namespace oida {
namespace {

LabelRaster raster(const std::string& path, std::vector<std::uint8_t> ids) {
  return {path, 1, static_cast<int>(ids.size()), std::move(ids), {}, {}};
}

std::string refusal(const std::vector<LabelRaster>& rasters, const ClassOptions& options) {
  try {
    make_classes(rasters, options);
  } catch (const InputError& error) {
    return error.message();
  }
  return "accepted";
}

TEST(Classes, NumberTheIdsThatAreShown) {
  const auto [table, images] = make_classes({raster("a", {0, 7, 3, 0, 7, 200})}, {});
  EXPECT_EQ(table.names, (std::vector<std::string>{"class 3", "class 7", "class 200"}));
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images[0].cols, 6);
  EXPECT_EQ(images[0].classes, (std::vector<std::uint8_t>{0, 2, 1, 0, 2, 3}));
}

TEST(Classes, IgnoreLabelMayBeAnyId) {
  const auto [table, images] = make_classes({raster("a", {0, 1, 255})}, {255, {}, {}});
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(images[0].classes, (std::vector<std::uint8_t>{1, 2, 0}));
}

TEST(Classes, OneTableForAllRasters) {
  const auto [table, images] = make_classes({raster("a", {1, 2}), raster("b", {0, 3, 1})}, {});
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(images[1].classes, (std::vector<std::uint8_t>{0, 3, 1}));
}

TEST(Classes, NamesComeFromOptionsElseFromTheFile) {
  LabelRaster file = raster("a", {1, 2, 4});
  file.names = {{1, "Water"}, {4, "Wood"}, {9, "Never shown"}};
  EXPECT_EQ(make_classes({file}, {}).first.names,
            (std::vector<std::string>{"Water", "class 2", "Wood"}));
  EXPECT_EQ(make_classes({file}, {0, {"x", "y", "z"}, {}}).first.names,
            (std::vector<std::string>{"x", "y", "z"}));
}

TEST(Classes, AliasRenamesOrMerges) {
  LabelRaster file = raster("a", {1, 2, 3, 4});
  file.names = {{1, "Wheat"}, {2, "Water"}, {3, "Wheat 2"}, {4, "Wheat 3"}};
  file.colours = {{1, {1, 1, 1}}, {2, {2, 2, 2}}, {3, {3, 3, 3}}};
  const auto [table, images] =
      make_classes({file}, {0, {}, {"Wheat 2=Wheat", "Wheat 3=Wheat", "Wheat=Corn"}});
  EXPECT_EQ(table.names, (std::vector<std::string>{"Corn", "Water"}));
  EXPECT_EQ(table.colours, (std::vector<Colour>{{1, 1, 1}, {2, 2, 2}}));
  EXPECT_EQ(images[0].classes, (std::vector<std::uint8_t>{1, 2, 1, 1}));
}

TEST(Classes, MergingIntoALaterClassKeepsItsColour) {
  LabelRaster file = raster("a", {1, 2, 3});
  file.colours = {{1, {1, 1, 1}}, {3, {3, 3, 3}}};
  const auto [table, images] = make_classes({file}, {0, {}, {"class 1=class 3"}});
  EXPECT_EQ(table.names, (std::vector<std::string>{"class 3", "class 2"}));
  EXPECT_EQ(table.colours[0], (Colour{3, 3, 3}));
  EXPECT_EQ(images[0].classes, (std::vector<std::uint8_t>{1, 2, 1}));
}

TEST(Classes, RefusalsNameTheKeyAndWhatWasFound) {
  const std::vector<LabelRaster> labels = {raster("a.mat", {0, 1, 2, 4})};
  EXPECT_EQ(refusal(labels, {0, {"x", "y"}, {}}),
            "scene.class_names: 2 names for the 3 ids that the labels show");
  EXPECT_EQ(
      refusal(labels, {0, {"x", "y", "Buildings", "z"}, {}}),
      "scene.class_names: class 'Buildings' never occurs: 4 names, but the labels show 3 ids");
  EXPECT_EQ(
      refusal(labels, {0, {"x", "y", "x"}, {}}),
      "scene.class_names: labels 1 and 4 are both named 'x'; scene.class_alias merges classes");
  EXPECT_EQ(
      refusal(labels, {0, {}, {"Sea=Water"}}),
      "scene.class_alias: no class is named 'Sea'; there are 'class 1', 'class 2', 'class 4'");
  for (const char* alias : {"Sea", "=Water", "Sea="}) {
    EXPECT_EQ(refusal(labels, {0, {}, {alias}}),
              "scene.class_alias: '" + std::string(alias) + "' is not of the form OLD=NEW");
  }
}

TEST(Classes, FewerThanTwoAreRefused) {
  const std::string refused = "a.mat: 1 classes besides the ignored label; allowed: 2 to 255";
  EXPECT_EQ(refusal({raster("a.mat", {0, 5})}, {}), refused);
  EXPECT_EQ(refusal({raster("a.mat", {1, 2})}, {0, {}, {"class 1=class 2"}}), refused);
}

TEST(Classes, RastersThatContradictEachOtherAreRefused) {
  LabelRaster a = raster("a.png", {1, 2});
  LabelRaster b = raster("b.png", {1, 2});
  a.names = {{1, "Water"}};
  b.names = {{1, "Wood"}};
  EXPECT_EQ(refusal({a, b}, {}), "b.png: label 1 is 'Wood', but 'Water' in a.png");
  b.names.clear();
  a.colours = {{2, {0, 0, 255}}};
  b.colours = {{2, {255, 0, 0}}};
  EXPECT_EQ(refusal({a, b}, {}), "b.png: label 2 is RGB 255 0 0, but RGB 0 0 255 in a.png");
}

TEST(Palette, KeepsGivenColoursAndFillsTheGaps) {
  const Colour taken = complete_colours({std::nullopt})[0];
  const auto colours = complete_colours({std::nullopt, taken, std::nullopt});
  EXPECT_EQ(colours[1], taken);
  EXPECT_NE(colours[0], taken);
  EXPECT_NE(colours[0], colours[2]);
}

TEST(Palette, ColoursAreFarApartAndNeverRepeat) {
  const std::vector<std::optional<Colour>> none(255);
  const auto colours = complete_colours(none);
  EXPECT_EQ(std::set<Colour>(colours.begin(), colours.end()).size(), 255U);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squares = 0.0;
      for (std::size_t c = 0; c < 3; ++c) squares += std::pow(colours[i][c] - colours[j][c], 2);
      EXPECT_GT(std::sqrt(squares), 25.0) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace oida
