#include "io/run/checkpoint.hpp"

#include <filesystem>
#include <limits>

#include "core/error.hpp"
#include "io/small_model.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Rounds = std::vector<std::int64_t>;

Archive archive(float first) {
  Archive out;
  const std::size_t count = parameter_count(testing::small_network());
  out.parameters["parameters"] = testing::ramp(count, first);
  out.parameters["momentum"] = testing::ramp(count, -first);
  out.numbers["step"] = {12.0};
  out.numbers["losses"] = {0.1, std::numeric_limits<double>::infinity(), -0.0, 1e-310};
  out.numbers["nothing"] = {};
  out.texts["plan"] = "1,2\n2,4";
  out.texts["empty"] = "";
  return out;
}

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() : store_(open()) {}

  std::unique_ptr<CheckpointStore> open() const {
    return open_checkpoints(temp_ / "checkpoints", testing::small_network());
  }
  std::string file(const std::string& name) const { return temp_ / ("checkpoints/" + name); }
  void write(std::int64_t round, int units = 2) {
    std::vector<std::uint64_t> checksums;
    for (int unit = 0; unit < units; ++unit) {
      checksums.push_back(
          store_->write_unit(round, unit, archive(1.0F + static_cast<float>(unit))));
    }
    store_->write_common(round, archive(100.0F), checksums);
  }

  testing::TempFolder temp_;
  std::unique_ptr<CheckpointStore> store_;
};

TEST_F(Checkpoint, comes_back_as_it_was) {
  EXPECT_EQ(store_->rounds(), Rounds{});
  write(7);
  const auto again = open();
  EXPECT_EQ(again->rounds(), Rounds{7});
  EXPECT_EQ(again->units(7), 2);
  EXPECT_EQ(again->read_common(7), archive(100.0F));
  EXPECT_EQ(again->read_unit(7, 0), archive(1.0F));
  EXPECT_EQ(again->read_unit(7, 1), archive(2.0F));
}

TEST_F(Checkpoint, has_the_names_of_the_contract) {
  write(7);
  EXPECT_EQ(testing::files_in(temp_ / "checkpoints"),
            (std::vector<std::string>{"round-7.h5", "round-7.unit-0.h5", "round-7.unit-1.h5"}));
}

TEST_F(Checkpoint, lists_rounds_by_number_newest_first) {
  for (const int round : {9, 100, 10}) write(round);
  EXPECT_EQ(store_->rounds(), (Rounds{100, 10, 9}));
}

TEST_F(Checkpoint, without_its_common_file_is_none) {
  write(7);
  store_->write_unit(8, 0, archive(1.0F));
  store_->write_unit(8, 1, archive(2.0F));
  EXPECT_EQ(store_->rounds(), Rounds{7});
}

TEST_F(Checkpoint, of_another_number_of_units_is_read_whole) {
  write(3, 5);
  EXPECT_EQ(store_->units(3), 5);
  for (int unit = 0; unit < 5; ++unit) {
    EXPECT_EQ(store_->read_unit(3, unit), archive(1.0F + static_cast<float>(unit)));
  }
  testing::expect_error([&] { store_->read_unit(3, 5); }, {"round-3.unit-5.h5", "5 units"});
}

TEST_F(Checkpoint, with_a_unit_of_another_time_is_noticed) {
  write(7);
  store_->write_unit(7, 1, archive(2.5F));
  EXPECT_NO_THROW(store_->read_unit(7, 0));
  testing::expect_error([&] { store_->read_unit(7, 1); },
                        {"round-7.unit-1.h5", "checksum", "manifest"});
}

TEST_F(Checkpoint, with_a_flipped_byte_is_noticed_or_unharmed) {
  write(7, 1);
  const std::string name = file("round-7.unit-0.h5");
  const std::string bytes = testing::read_text(name);
  int noticed = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 23) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x01);
    testing::write_text(name, damaged);
    try {
      EXPECT_EQ(store_->read_unit(7, 0), archive(1.0F)) << "byte " << at;
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("round-7.unit-0.h5"), std::string::npos) << error.message();
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 100);
}

TEST_F(Checkpoint, that_is_cut_missing_or_foreign_is_noticed) {
  write(7);
  fs::resize_file(file("round-7.unit-1.h5"), 3000);
  testing::expect_error([&] { store_->read_unit(7, 1); }, {"round-7.unit-1.h5", "cut off"});
  fs::remove(file("round-7.unit-0.h5"));
  testing::expect_error([&] { store_->read_unit(7, 0); }, {"round-7.unit-0.h5", "No such file"});
  testing::write_text(file("round-7.h5"), "foreign");
  testing::expect_error([&] { store_->read_common(7); }, {"round-7.h5", "HDF5"});
  write_model(file("round-7.h5"), testing::small_model());
  testing::expect_error([&] { store_->read_common(7); }, {"round-7.h5", "no checkpoint"});
}

TEST_F(Checkpoint, that_was_renamed_is_noticed) {
  write(7);
  fs::rename(file("round-7.h5"), file("round-9.h5"));
  testing::expect_error([&] { store_->read_common(9); }, {"round-9.h5", "another checkpoint"});
}

TEST_F(Checkpoint, of_another_network_is_noticed) {
  write(7);
  const Network other = from_lines({"conv 3 3"}, {9, 5, 5}, 3);
  const auto store = open_checkpoints(temp_ / "checkpoints", other);
  testing::expect_error([&] { store->read_common(7); }, {"round-7.h5", "another network"});
}

TEST_F(Checkpoint, has_equal_bytes_for_equal_content) {
  write(7);
  const std::string bytes = testing::read_text(file("round-7.unit-0.h5"));
  store_->write_unit(7, 0, archive(1.0F));
  EXPECT_EQ(testing::read_text(file("round-7.unit-0.h5")), bytes);
}

TEST_F(Checkpoint, pruning_keeps_the_newest_complete_ones) {
  for (const int round : {1, 2, 3, 4, 5}) write(round);
  fs::remove(file("round-4.unit-1.h5"));
  store_->write_unit(6, 0, archive(1.0F));
  store_->prune(2);
  EXPECT_EQ(store_->rounds(), (Rounds{5, 3}));
  EXPECT_TRUE(fs::exists(file("round-6.unit-0.h5"))) << "may still be written";
  EXPECT_FALSE(fs::exists(file("round-4.unit-0.h5")));
}

TEST_F(Checkpoint, pruning_without_a_complete_one_removes_nothing) {
  write(1);
  fs::remove(file("round-1.unit-0.h5"));
  store_->prune(1);
  EXPECT_EQ(testing::files_in(temp_ / "checkpoints").size(), 2U);
}

TEST_F(Checkpoint, that_broke_off_while_written_is_ignored_and_pruned) {
  write(7);
  testing::write_text(file("round-6.unit-0.h5.part"), "half");
  testing::write_text(file("round-7.h5.part"), "half");
  testing::write_text(file("notes.txt"), "not ours");
  EXPECT_EQ(store_->rounds(), Rounds{7});
  store_->prune(3);
  EXPECT_EQ(testing::files_in(temp_ / "checkpoints"),
            (std::vector<std::string>{"notes.txt", "round-7.h5", "round-7.unit-0.h5",
                                      "round-7.unit-1.h5"}));
}

TEST_F(Checkpoint, refuses_names_that_are_paths_or_its_own) {
  Archive wrong = archive(1.0F);
  wrong.numbers["a/b"] = {1.0};
  testing::expect_error([&] { store_->write_unit(1, 0, wrong); }, {"'a/b'"});
  wrong = archive(1.0F);
  wrong.parameters["manifest"] = wrong.parameters["parameters"];
  testing::expect_error([&] { store_->write_unit(1, 0, wrong); }, {"'manifest'"});
  EXPECT_TRUE(testing::files_in(temp_ / "checkpoints").empty());
}

}  // namespace
}  // namespace oida
