#include "io/scene/scene_writer.hpp"

#include <filesystem>

#include "io/scene/labels.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"
#include "polsar/matrix.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

constexpr int kRows = 5;
constexpr int kCols = 7;

std::vector<float> planes() {
  std::vector<float> values(static_cast<std::size_t>(9 * kRows * kCols));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25F * static_cast<float>(i + 1);
  return values;
}

TEST(SceneWriter, writes_raw_planes_in_the_order_of_the_elements) {
  testing::TempFolder temp;
  const auto written = planes();
  write_t3_folder(temp / "a/T3", kRows, kCols, written);
  for (std::size_t e = 0; e < kT3Elements.size(); ++e) {
    const auto begin = written.begin() + static_cast<std::ptrdiff_t>(e * kRows * kCols);
    EXPECT_EQ(testing::read_floats(temp / ("a/T3/" + std::string(kT3Elements[e]) + ".bin")),
              std::vector<float>(begin, begin + kRows * kCols));
  }
  EXPECT_EQ(testing::files_in(temp / "a/T3").size(), 9U + 9U + 1U);
  EXPECT_EQ(testing::read_text(temp / "a/T3/config.txt").rfind("Nrow\n5\n---------\nNcol\n7\n", 0),
            0U);
}

TEST(SceneWriter, writes_what_the_reader_reads) {
  testing::TempFolder temp;
  const auto written = planes();
  write_t3_folder(temp.path(), kRows, kCols, written);
  const auto scene = open_scene(temp.path());
  EXPECT_FALSE(scene->info().georeference.present());
  EXPECT_EQ(scene->read({0, 0, kRows, kCols}).planes, written);
}

TEST(SceneWriter, leaves_no_config_when_it_fails) {
  testing::TempFolder temp;
  testing::write_small_scene(temp.path());
  fs::create_directories(temp / "T22.bin.part");  // in the way of the sixth element
  testing::expect_error([&] { write_t3_folder(temp.path(), kRows, kCols, planes()); },
                        {"T22.bin.part"});
  EXPECT_FALSE(fs::exists(temp / "config.txt"));
}

TEST(SceneWriter, refuses_planes_that_do_not_fit) {
  testing::TempFolder temp;
  testing::expect_error([&] { write_t3_folder(temp / "x", kRows, kCols + 1, planes()); },
                        {"315 values", "5 x 8"});
  EXPECT_FALSE(fs::exists(temp / "x"));
}

TEST(SceneWriter, writes_labels_with_their_colours) {
  testing::TempFolder temp;
  const std::vector<std::uint8_t> ids{0, 1, 2, 3, 3, 2};
  const ClassTable classes = testing::three_classes();
  write_label_png(temp / "labels.png", 2, 3, ids, classes);
  const LabelRaster read = read_labels(temp / "labels.png", 2, 3);
  EXPECT_EQ(read.ids, ids);
  EXPECT_EQ(read.colours.at(0), (Colour{0, 0, 0}));
  for (int i = 0; i < classes.size(); ++i) {
    EXPECT_EQ(read.colours.at(i + 1), classes.colours[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(testing::files_in(temp.path()), std::vector<std::string>{"labels.png"});
}

TEST(SceneWriter, names_the_picture_that_cannot_be_written) {
  testing::TempFolder temp;
  testing::expect_error(
      [&] {
        write_label_png(temp / "none/labels.png", 1, 1, std::vector<std::uint8_t>{0},
                        testing::three_classes());
      },
      {"none/labels.png", "cannot be written"});
}

}  // namespace
}  // namespace oida
