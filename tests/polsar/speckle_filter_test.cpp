#include "polsar/speckle_filter.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "polsar/boxcar.hpp"
#include "polsar/refined_lee.hpp"
#include "windows.hpp"

namespace oida {
namespace {

TEST(SpeckleFilter, ReadsItsTextAndWritesIt) {
  using Kind = SpeckleFilter::Kind;
  EXPECT_EQ(speckle_filter("none"), (SpeckleFilter{Kind::none, 1, 1.0}));
  EXPECT_EQ(speckle_filter("boxcar:3"), (SpeckleFilter{Kind::boxcar, 3, 1.0}));
  EXPECT_EQ(speckle_filter("refined_lee:7"), (SpeckleFilter{Kind::refined_lee, 7, 1.0}));
  EXPECT_EQ(speckle_filter("refined_lee:9:3.7"), (SpeckleFilter{Kind::refined_lee, 9, 3.7}));
  for (const char* text :
       {"none", "boxcar:1", "boxcar:11", "refined_lee:5:1", "refined_lee:7:0.3"}) {
    EXPECT_EQ(to_text(speckle_filter(text)), text);
  }
  EXPECT_EQ(speckle_filter("none").halo_px(), 0);
  EXPECT_EQ(speckle_filter("refined_lee:9").halo_px(), 4);
}

TEST(SpeckleFilter, RefusesWhatItIsNot) {
  for (const char* text :
       {"", "lee", "boxcar", "boxcar:", "boxcar:4", "boxcar:0", "boxcar:-3", "boxcar:3x",
        "boxcar:257", "boxcar:99999999999", "refined_lee:3", "refined_lee:6",
        "refined_lee:7:", "refined_lee:7:0", "refined_lee:7:nan", "refined_lee:7:4:1", "none:3"}) {
    EXPECT_THROW(speckle_filter(text), InputError) << text;
  }
}

TEST(SpeckleFilter, RunsTheFilterItNames) {
  const MatrixWindow window = test::holed_window(12, 13);
  EXPECT_EQ(filtered(window, speckle_filter("boxcar:5")).planes, boxcar(window, 5).planes);
  EXPECT_EQ(filtered(window, speckle_filter("refined_lee:7:2")).planes,
            refined_lee(window, 7, 2.0).planes);
}

}  // namespace
}  // namespace oida
