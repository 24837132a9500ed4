#include <array>
#include <filesystem>
#include <map>

#include <matio.h>

#include "io/scene/labels.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

/// Names and ids of Flevoland_gt.mat with its published counts (README of the samples).
constexpr std::array<int, 16> kFlevolandCounts{0,     29249, 15855, 11200, 10201, 21855,
                                               14707, 21344, 10396, 8471,  6317,  17639,
                                               10629, 22022, 7369,  578};

/// Colour (rgb) -> id of F15_GroundTruth.png, from the same README.
const std::map<std::uint32_t, int> kFlevolandColours{
    {0x0000FF, 1},  {0x008000, 2},  {0x00FFFF, 3},  {0x00FF00, 4},  {0xFF8000, 5},
    {0x800080, 6},  {0xFFFF00, 7},  {0x8000FF, 8},  {0xFF0000, 9},  {0x808000, 10},
    {0xFF80FF, 11}, {0x8080FF, 12}, {0x80FF80, 13}, {0x800000, 14}, {0xFFC880, 15}};

template <typename T>
void add(mat_t* file, const char* name, matio_classes kind, matio_types type, std::size_t rows,
         std::size_t cols, std::vector<T> column_major) {
  std::array<std::size_t, 2> dims{rows, cols};
  matvar_t* variable = Mat_VarCreate(name, kind, type, 2, dims.data(), column_major.data(), 0);
  ASSERT_EQ(Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB), 0);
  Mat_VarFree(variable);
}

class MatLabels : public ::testing::Test {
 protected:
  MatLabels() : path_(temp_ / "labels.mat") {
    file_ = Mat_CreateVer(path_.c_str(), nullptr, MAT_FT_MAT5);
  }
  LabelRaster read(int rows, int cols) {
    close();
    return read_labels(path_, rows, cols);
  }
  void close() {
    if (file_ != nullptr) Mat_Close(file_);
    file_ = nullptr;
  }
  ~MatLabels() override { close(); }

  testing::TempFolder temp_;
  std::string path_;
  mat_t* file_ = nullptr;
};

TEST_F(MatLabels, are_column_major) {
  add<std::uint8_t>(file_, "gt", MAT_C_UINT8, MAT_T_UINT8, 2, 3, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(read(2, 3).ids, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
}

/// MATLAB's -v7.3 is HDF5, in which a matrix stands transposed.
TEST_F(MatLabels, of_version_7_3_are_column_major_too) {
  close();
  file_ = Mat_CreateVer(path_.c_str(), nullptr, MAT_FT_MAT73);
  ASSERT_NE(file_, nullptr);
  add<std::uint8_t>(file_, "gt", MAT_C_UINT8, MAT_T_UINT8, 2, 3, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(read(2, 3).ids, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(MatLabels, may_be_doubles) {
  add<double>(file_, "gt", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 2, {0, 254, 7, 1});
  EXPECT_EQ(read(2, 2).ids, (std::vector<std::uint8_t>{0, 7, 254, 1}));
}

TEST_F(MatLabels, that_are_no_ids_are_refused) {
  add<double>(file_, "gt", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 3, {0, 0.5, 7});
  testing::expect_refusal([&] { read(1, 3); }, {"labels.mat", "0.5", "254"});
}

TEST_F(MatLabels, that_are_transposed_are_called_so) {
  add<std::int16_t>(file_, "gt", MAT_C_INT16, MAT_T_INT16, 2, 3, {1, 4, 2, 5, 3, 6});
  testing::expect_refusal([&] { read(3, 2); }, {"2 rows x 3 cols", "transposed"});
}

TEST_F(MatLabels, are_found_among_other_variables_by_their_size) {
  add<double>(file_, "info", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 5, {1, 2, 3, 4, 5});
  add<std::uint8_t>(file_, "gt", MAT_C_UINT8, MAT_T_UINT8, 1, 2, {8, 9});
  EXPECT_EQ(read(1, 2).ids, (std::vector<std::uint8_t>{8, 9}));
}

TEST_F(MatLabels, that_are_not_unique_are_refused) {
  add<std::uint8_t>(file_, "train", MAT_C_UINT8, MAT_T_UINT8, 1, 2, {8, 9});
  add<std::uint8_t>(file_, "test", MAT_C_UINT8, MAT_T_UINT8, 1, 2, {8, 9});
  testing::expect_refusal([&] { read(1, 2); }, {"train, test"});
}

TEST_F(MatLabels, that_are_not_there_are_refused) {
  testing::expect_refusal([&] { read(1, 2); }, {"no matrix"});
  testing::write_text(path_, "this is no MATLAB file at all");
  testing::expect_refusal([&] { read(1, 2); }, {"labels.mat"});
}

TEST(MatLabelsReal, flevoland_has_its_published_class_counts) {
  OIDA_SAMPLE_OR_SKIP(path, "flevoland_airsar_15cls/Flevoland_gt.mat");
  std::array<int, 256> counts{};
  for (const std::uint8_t id : read_labels(path, 750, 1024).ids) ++counts[id];
  for (std::size_t id = 1; id < kFlevolandCounts.size(); ++id) {
    EXPECT_EQ(counts[id], kFlevolandCounts[id]) << id;
  }
  EXPECT_EQ(counts[0], 750 * 1024 - 207832);
}

TEST(MatLabelsReal, a_truncated_file_is_refused) {
  OIDA_SAMPLE_OR_SKIP(path, "flevoland_airsar_15cls/Flevoland_gt.mat");
  testing::TempFolder temp;
  const std::string bytes = testing::read_text(path);
  testing::write_text(temp / "cut.mat", bytes.substr(0, bytes.size() / 2));
  testing::expect_refusal([&] { read_labels(temp / "cut.mat", 750, 1024); }, {"cut.mat"});
}

/// The picture and the MATLAB file come from different hands: where both label, they must agree,
/// row 0 of the picture being row 9 of the file. A transposed or flipped reading agrees nowhere.
TEST(MatLabelsReal, the_colour_picture_of_flevoland_says_the_same) {
  OIDA_SAMPLE_OR_SKIP(mat_path, "flevoland_airsar_15cls/Flevoland_gt.mat");
  OIDA_SAMPLE_OR_SKIP(png_path, "flevoland_headerless_haalpha/F15_GroundTruth_full736x1024.png");
  const LabelRaster mat = read_labels(mat_path, 750, 1024);
  const LabelRaster png = read_labels(png_path, 736, 1024);
  EXPECT_EQ(png.colours.at(0), (Colour{255, 255, 255}));
  std::map<int, int> id_of;
  for (const auto& [id, c] : png.colours) {
    const auto rgb = static_cast<std::uint32_t>((c[0] << 16) | (c[1] << 8) | c[2]);
    if (id != 0) id_of[id] = kFlevolandColours.at(rgb);
  }
  std::size_t both = 0, same = 0;
  for (std::size_t i = 0; i < png.ids.size(); ++i) {
    const int from_mat = mat.ids[i + std::size_t{9} * 1024];
    if (png.ids[i] == 0 || from_mat == 0) continue;
    ++both;
    same += id_of.at(png.ids[i]) == from_mat;
  }
  EXPECT_EQ(id_of.size(), 15U);
  EXPECT_GT(both, 100000U);
  EXPECT_GT(static_cast<double>(same), 0.995 * static_cast<double>(both));
}

}  // namespace
}  // namespace oida
