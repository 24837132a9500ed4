#include "io/run/model_file.hpp"

#include <chrono>
#include <filesystem>
#include <thread>

#include <hdf5.h>

#include "core/error.hpp"
#include "io/h5.hpp"
#include "io/small_model.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() : path_(temp_ / "model.h5"), model_(testing::small_model()) {
    write_model(path_, model_);
  }

  testing::TempFolder temp_;
  std::string path_;
  Model model_;
};

TEST_F(ModelFile, comes_back_as_it_was) {
  EXPECT_TRUE(testing::same(read_model(path_), model_));
  EXPECT_EQ(testing::files_in(temp_.path()), std::vector<std::string>{"model.h5"});
}

TEST_F(ModelFile, knows_that_its_network_gives_every_pixel_its_class) {
  model_.network =
      from_lines({"conv 4 3 relu"}, model_.network.input, model_.network.classes, Output::dense);
  model_.parameters = testing::ramp(parameter_count(model_.network), 0.5F);
  write_model(path_, model_);
  const Model read = read_model(path_);
  EXPECT_EQ(read.network.output, Output::dense);
  EXPECT_TRUE(testing::same(read, model_));
}

/// Read with HDF5 alone, as another tool would.
TEST_F(ModelFile, names_its_arrays_in_standard_order) {
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t weight = H5Dopen2(file, "/parameters/conv1/weight", H5P_DEFAULT);
  ASSERT_GE(weight, 0);
  const hid_t space = H5Dget_space(weight);
  hsize_t dims[8] = {};
  ASSERT_EQ(H5Sget_simple_extent_dims(space, dims, nullptr), 4);
  EXPECT_EQ(std::vector<hsize_t>(dims, dims + 4), (std::vector<hsize_t>{2, 9, 3, 3}));
  std::vector<float> values(2 * 9 * 3 * 3);
  ASSERT_GE(H5Dread(weight, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  EXPECT_EQ(values, testing::ramp(values.size(), -3.0F));
  for (const char* name : {"/parameters/conv1/bias", "/parameters/dense1/weight",
                           "/parameters/dense2/bias", "/classes/names", "/normaliser/mean"}) {
    EXPECT_GT(H5Lexists(file, name, H5P_DEFAULT), 0) << name;
  }
  H5Sclose(space);
  H5Dclose(weight);
  H5Fclose(file);
}

TEST_F(ModelFile, has_equal_bytes_for_equal_content) {
  fs::create_directories(temp_ / "elsewhere");
  // Time stamps in HDF5 have seconds.
  const std::string bytes = testing::read_text(path_);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  write_model(temp_ / "elsewhere/other.h5", model_);
  EXPECT_EQ(testing::read_text(temp_ / "elsewhere/other.h5"), bytes);
}

/// Every damage is either noticed or without effect.
TEST_F(ModelFile, never_gives_wrong_content_for_a_flipped_byte) {
  const std::string bytes = testing::read_text(path_);
  int noticed = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 11) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    testing::write_text(path_, damaged);
    try {
      EXPECT_TRUE(testing::same(read_model(path_), model_)) << "byte " << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::refused);
      EXPECT_EQ(error.message().rfind(path_ + ": ", 0), 0U) << error.message();
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 100);
}

TEST_F(ModelFile, is_refused_when_cut) {
  const auto size = fs::file_size(path_);
  for (const auto kept : {size - 1, size / 2, std::uintmax_t{100}, std::uintmax_t{0}}) {
    fs::resize_file(path_, kept);
    testing::expect_refusal([&] { read_model(path_); }, {"model.h5"});
  }
}

TEST_F(ModelFile, is_refused_when_it_is_something_else) {
  testing::expect_refusal([&] { read_model(temp_ / "none.h5"); }, {"none.h5", "No such file"});
  testing::write_text(path_, "this is no HDF5 file");
  testing::expect_refusal([&] { read_model(path_); }, {"model.h5", "HDF5"});
  H5Out other(temp_ / "other.h5");
  other.attribute("/", "format", "something");
  other.close();
  testing::expect_refusal([&] { read_model(temp_ / "other.h5"); }, {"other.h5", "no model"});
}

TEST_F(ModelFile, is_refused_when_it_does_not_fit_itself) {
  Model wrong = model_;
  wrong.classes.names.pop_back();
  write_model(path_, wrong);
  testing::expect_refusal([&] { read_model(path_); }, {"class names"});
  wrong = model_;
  wrong.patch_px = 7;
  write_model(path_, wrong);
  testing::expect_refusal([&] { read_model(path_); }, {"patch_px"});
  wrong = model_;
  wrong.normaliser.mean.push_back(1);
  write_model(path_, wrong);
  testing::expect_refusal([&] { read_model(path_); }, {"mean"});
}

TEST_F(ModelFile, keeps_the_old_one_when_writing_fails) {
  fs::create_directories(path_ + ".part");
  testing::expect_error([&] { write_model(path_, model_); }, {"model.h5"});
  EXPECT_TRUE(testing::same(read_model(path_), model_));
}

TEST_F(ModelFile, leaves_nothing_of_an_unfinished_write) {
  Model wrong = model_;
  wrong.parameters.pop_back();
  testing::expect_error([&] { write_model(temp_ / "new.h5", wrong); }, {"parameters"});
  EXPECT_EQ(testing::files_in(temp_.path()), std::vector<std::string>{"model.h5"});
}

}  // namespace
}  // namespace oida
