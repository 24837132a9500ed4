// No path that a file names is followed out of its folder, and no size is believed that it cannot
// have.

#include <array>
#include <filesystem>

#include "core/error.hpp"
#include "io/gdal.hpp"
#include "io/h5_types.hpp"
#include "io/scene/h5_plane.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/small_scenes.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
constexpr hsize_t kTwo = 2;

/// An HDF5 file made with all that HDF5 can do, links into other files included.
class ForeignFile {
 public:
  explicit ForeignFile(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}
  hid_t get() const { return file_.get(); }

  /// Two floats; stored as `made` says.
  void dataset(const char* name, const H5Handle& made) const {
    const H5Handle space(H5Screate_simple(1, &kTwo, nullptr), H5Sclose);
    const H5Handle set(
        H5Dcreate2(get(), name, H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT),
        H5Dclose);
    ASSERT_TRUE(set.valid());
  }

 private:
  H5Handle file_;
};

class OutsideFiles : public ::testing::Test {
 protected:
  OutsideFiles() { H5close(); }  // it starts anew, with what start_h5() took from it
};

H5Handle creation() {
  return {H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
}

void expect_refused_by_both(const std::string& path, const std::string& what) {
  testing::expect_error([&] { H5In(path, Exit::refused).read<float>("/x"); }, {path, what});
  testing::expect_refusal([&] { H5Product(path).numbers("/x"); }, {path, what});
}

TEST_F(OutsideFiles, links_into_other_files_lead_nowhere) {
  testing::TempFolder temp;
  ForeignFile(temp / "other.h5").dataset("/x", creation());
  {
    const ForeignFile file(temp / "a.h5");
    ASSERT_GE(H5Lcreate_external((temp / "other.h5").c_str(), "/x", file.get(), "/x", H5P_DEFAULT,
                                 H5P_DEFAULT),
              0);
    const H5Handle followed(H5Dopen2(file.get(), "/x", H5P_DEFAULT), H5Dclose);
    ASSERT_TRUE(followed.valid()) << "HDF5 itself follows it";
  }
  expect_refused_by_both(temp / "a.h5", "missing or damaged");
}

TEST_F(OutsideFiles, values_in_other_files_are_not_read) {
  testing::TempFolder temp;
  testing::write_floats(temp / "values", {1, 2});
  {
    const H5Handle made = creation();
    ASSERT_GE(H5Pset_external(made.get(), (temp / "values").c_str(), 0, 8), 0);
    ForeignFile(temp / "a.h5").dataset("/x", made);
  }
  expect_refused_by_both(temp / "a.h5", "lies in other files");
}

TEST_F(OutsideFiles, virtual_datasets_are_not_read) {
  testing::TempFolder temp;
  ForeignFile(temp / "other.h5").dataset("/x", creation());
  {
    const ForeignFile file(temp / "a.h5");
    const H5Handle made = creation();
    const H5Handle space(H5Screate_simple(1, &kTwo, nullptr), H5Sclose);
    ASSERT_GE(
        H5Pset_virtual(made.get(), space.get(), (temp / "other.h5").c_str(), "/x", space.get()), 0);
    file.dataset("/x", made);
  }
  expect_refused_by_both(temp / "a.h5", "lies in other files");
}

/// A terabyte of floats of which none was written.
TEST_F(OutsideFiles, datasets_larger_than_their_file_are_not_read) {
  testing::TempFolder temp;
  {
    const ForeignFile file(temp / "a.h5");
    const H5Handle made = creation();
    const hsize_t floats = hsize_t{1} << 38, chunk = 1024;
    ASSERT_GE(H5Pset_chunk(made.get(), 1, &chunk), 0);
    const H5Handle space(H5Screate_simple(1, &floats, nullptr), H5Sclose);
    const H5Handle set(H5Dcreate2(file.get(), "/x", H5T_IEEE_F32LE, space.get(), H5P_DEFAULT,
                                  made.get(), H5P_DEFAULT),
                       H5Dclose);
    ASSERT_TRUE(set.valid());
  }
  expect_refused_by_both(temp / "a.h5", "larger than its file");
}

/// The small scene of a format with one word of one file replaced.
void expect_scene_refused(const std::string& format, const std::string& file,
                          const std::string& from, const std::string& to,
                          const std::vector<std::string>& words) {
  testing::TempFolder temp;
  for (const auto& scene : testing::small_scenes()) {
    if (scene.name == format) scene.make(temp / "scene");
  }
  open_scene(temp / "scene");
  // What the file shall not lead to is there.
  fs::copy(temp / "scene", temp.path(), fs::copy_options::recursive);
  std::string text = testing::read_text(temp / ("scene/" + file));
  text.replace(text.find(from), from.size(), to);
  testing::write_text(temp / ("scene/" + file), text);
  if (!words.empty()) testing::expect_refusal([&] { open_scene(temp / "scene"); }, words);
}

TEST_F(OutsideFiles, radarsat2_names_files_of_its_folder_only) {
  for (const char* name : {"../HH.tif", "/vsizip/a.zip", "..", "a\\HH.tif", "VRT:HH.tif"}) {
    expect_scene_refused("radarsat2", "product.xml", "HH.tif", name,
                         {"product.xml", name, "not a plain name"});
  }
  expect_scene_refused("radarsat2", "product.xml", "lut.xml", "../lut.xml", {"'../lut.xml'"});
}

TEST_F(OutsideFiles, radarsat2_tables_and_images_fit_the_product) {
  expect_scene_refused("radarsat2", "lut.xml", "4.0 ", "", {"lut.xml", "2 gains", "3 pixels"});
  expect_scene_refused("radarsat2", "product.xml", ">3<", ">4<", {"gains for lines of 4"});
  expect_scene_refused("radarsat2", "product.xml", "Complex", "Komplex", {"'Komplex'"});
  expect_scene_refused("radarsat2", "product.xml", "Sigma Nought", "Beta Nought",
                       {"no table of sigma nought"});
  expect_scene_refused("radarsat2", "lut.xml", "4.0", "0.0", {"lut.xml", "above 0"});
  expect_scene_refused("radarsat2", "product.xml", ">2<", ">3<", {"HH.tif", "3 rows x 3 cols"});
  expect_scene_refused("radarsat2", "product.xml", "<imageAttributes>", "<imageAttributez>",
                       {"product.xml"});
}

TEST_F(OutsideFiles, uavsar_names_files_of_its_folder_only) {
  testing::TempFolder temp;
  for (const auto& scene : testing::small_scenes()) {
    if (scene.name == std::string("uavsar")) scene.make(temp / "scene");
  }
  fs::rename(temp / "scene/a_HHHH.mlc", temp / "a_HHHH.mlc");
  std::string text = testing::read_text(temp / "scene/a.ann");
  text.replace(text.find("a_HHHH.mlc"), 10, "../a_HHHH.mlc");
  testing::write_text(temp / "scene/a.ann", text);
  testing::expect_refusal([&] { open_scene(temp / "scene"); }, {"a.ann", "beside it"});
}

}  // namespace
}  // namespace oida
