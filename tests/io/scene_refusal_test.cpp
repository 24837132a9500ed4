// Every way in which a scene folder can be wrong: one line that names the file and both sides.

#include <filesystem>

#include "io/scene/scene_reader.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

class SceneRefusal : public ::testing::Test {
 protected:
  SceneRefusal() { testing::write_small_scene(scene()); }

  std::string scene() const { return temp_ / "T3"; }
  std::string file(const std::string& name) const { return scene() + "/" + name; }
  void expect(const std::vector<std::string>& words, const SceneOptions& options = {}) const {
    testing::expect_refusal([&] { open_scene(scene(), options); }, words);
  }
  void edit_header(const std::string& name, const std::string& from, const std::string& to) {
    std::string header = testing::read_text(file(name));
    header.replace(header.find(from), from.size(), to);
    testing::write_text(file(name), header);
  }

  testing::TempFolder temp_;
};

TEST_F(SceneRefusal, of_a_path_that_is_not_there) {
  fs::remove_all(scene());
  expect({"T3: does not exist"});
}

TEST_F(SceneRefusal, of_a_file) {
  testing::expect_refusal([&] { open_scene(file("T11.bin")); },
                          {"T11.bin", "no file of a known format", "polsarpro"});
}

TEST_F(SceneRefusal, of_the_folder_above_naming_the_right_one) {
  testing::expect_refusal([&] { open_scene(temp_.path()); }, {"above", scene()});
}

TEST_F(SceneRefusal, of_kinds_that_are_no_matrix_here) {
  for (const auto& entry : fs::directory_iterator(scene())) fs::remove(entry.path());
  testing::write_text(file("I11.bin"), "x");
  expect({"T3", "intensities", "S2, C2, C3, T3, C4, T4"});
}

TEST_F(SceneRefusal, says_what_is_missing_of_the_nearest_kind) {
  for (const auto& entry : fs::directory_iterator(scene())) fs::remove(entry.path());
  for (const char* element :
       {"C11", "C12_real", "C12_imag", "C13_real", "C13_imag", "C23_real", "C23_imag", "C33"}) {
    testing::write_text(file(std::string(element) + ".bin"), "x");
  }
  expect({"C22.bin is missing for a C3"});
}

TEST_F(SceneRefusal, of_an_empty_folder) {
  for (const auto& entry : fs::directory_iterator(scene())) fs::remove(entry.path());
  expect({"no element", "T11.bin"});
}

TEST_F(SceneRefusal, of_each_missing_element) {
  for (const auto element : kT3Elements) {
    const std::string name = std::string(element) + ".bin";
    fs::rename(file(name), file("away"));
    expect({scene(), name + " is missing"});
    fs::rename(file("away"), file(name));
  }
}

TEST_F(SceneRefusal, of_a_missing_header) {
  fs::remove(file("T23_real.bin.hdr"));
  EXPECT_NO_THROW(open_scene(scene())) << "config.txt says the size";
  fs::remove(file("config.txt"));
  expect({"T23_real.bin", ".bin.hdr or .hdr", "scene.rows"});
}

TEST_F(SceneRefusal, of_a_file_shorter_or_longer_than_its_header) {
  fs::resize_file(file("T12_imag.bin"), 44);
  expect({"T12_imag.bin", "44 bytes", "4 rows x 3 cols", "48"});
  fs::resize_file(file("T12_imag.bin"), 52);
  expect({"T12_imag.bin", "52 bytes", "48"});
}

TEST_F(SceneRefusal, of_a_header_of_another_size) {
  edit_header("T11.bin.hdr", "lines   = 4", "lines   = 5");
  expect({"T11.bin", "5 rows x 3 cols", "48 bytes"});
}

TEST_F(SceneRefusal, of_elements_of_different_sizes) {
  edit_header("T33.bin.hdr", "lines   = 4", "lines   = 6");
  edit_header("T33.bin.hdr", "samples = 3", "samples = 2");
  expect({"T33.bin says 6 rows x 2 cols", "T11.bin has 4 rows x 3 cols"});
}

TEST_F(SceneRefusal, of_a_config_of_another_size) {
  testing::write_text(file("config.txt"), "Nrow\n3\n---------\nNcol\n4\n");
  expect({"config.txt says 3 rows x 4 cols", "4 rows x 3 cols"});
}

TEST_F(SceneRefusal, of_a_config_without_a_size) {
  testing::write_text(file("config.txt"), "Nrow\nmany\n---------\nNcol\n4\n");
  expect({"config.txt: Nrow is 'many'"});
  testing::write_text(file("config.txt"), "Nrow\n4\n---------\n");
  expect({"config.txt: Ncol is missing"});
}

TEST_F(SceneRefusal, of_a_size_in_the_deck_that_the_files_contradict) {
  expect({"scene.rows", "5 rows x 3 cols"}, {"auto", 5, 0});
  EXPECT_NO_THROW(open_scene(scene(), {"polsarpro", 4, 3}));
}

TEST_F(SceneRefusal, of_elements_that_are_no_float32) {
  edit_header("T11.bin.hdr", "data type = 4", "data type = 2");
  expect({"T11.bin", "Int16", "Float32"});
  edit_header("T11.bin.hdr", "data type = 2", "data type = 99");
  expect({"T11.bin"});
}

TEST_F(SceneRefusal, of_a_header_that_is_none) {
  testing::write_text(file("T22.bin.hdr"), "nonsense");
  expect({"T22.bin", "ENVI"});
}

TEST_F(SceneRefusal, of_a_mask_of_another_size) {
  testing::write_floats(file("mask_valid_pixels.bin"), std::vector<float>(10, 1.0F));
  testing::write_text(file("mask_valid_pixels.bin.hdr"), testing::small_header());
  expect({"mask_valid_pixels.bin", "40 bytes"});
}

TEST_F(SceneRefusal, of_an_unknown_format) {
  expect({"scene.format", "'jpeg'", "polsarpro"}, {"jpeg", 0, 0});
}

TEST(SceneRefusalReal, of_headerless_files_that_are_not_of_the_size_given) {
  OIDA_SAMPLE_OR_SKIP(folder, "flevoland_headerless_haalpha");
  testing::expect_refusal(
      [&] {
        open_scene(folder, {"auto", 128, 255});
      },
      {"T11.bin", "131072 bytes", "128 rows x 255 cols", "130560"});
}

TEST(SceneRefusalReal, of_two_lone_elements) {
  OIDA_SAMPLE_OR_SKIP(folder, "quadpol_paired_matrices/T3_alt_headers");
  testing::expect_refusal([&] { open_scene(folder); }, {"T12_imag.bin", "T33.bin are missing"});
}

TEST(SceneRefusalReal, of_the_folder_above) {
  OIDA_SAMPLE_OR_SKIP(folder, "quadpol_paired_matrices");
  testing::expect_refusal([&] { open_scene(folder); },
                          {folder + "/C3 or ", folder + "/T3 instead"});
}

}  // namespace
}  // namespace oida
