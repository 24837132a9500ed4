#include "oida/snapshot.hpp"

#include <gtest/gtest.h>

#include "nn/network.hpp"
#include "oida/problem.hpp"

namespace oida::test {
namespace {

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() : engine_(make_unit_engine("reference", 0, 1)) {}
  AlignedVector<float> flat(std::uint64_t seed) const {
    AlignedVector<float> values(engine_->flat_size());
    engine_->import_flat(initial_parameters(engine_->network(), seed), values);
    return values;
  }
  std::vector<float> canonical(std::uint64_t seed) const {
    return initial_parameters(engine_->network(), seed);
  }
  std::unique_ptr<Engine> engine_;
  Snapshot snapshot_;
};

TEST_F(SnapshotTest, IsWhatWasThereWhenItWasTaken) {
  auto x = flat(1);
  snapshot_.copy("x", x);
  snapshot_.share("optimum", shared_array(flat(2)));
  snapshot_.numbers()["loss"] = {3};
  snapshot_.texts()["identity"] = "a=1";
  x = flat(9);
  Archive expected;
  expected.parameters = {{"x", canonical(1)}, {"optimum", canonical(2)}};
  expected.numbers["loss"] = {3};
  expected.texts["identity"] = "a=1";
  EXPECT_EQ(snapshot_.take(*engine_), expected);
}

TEST_F(SnapshotTest, ForgetsWhatWasTaken) {
  snapshot_.copy("x", flat(1));
  snapshot_.copy("tail_mean", flat(2));
  const auto optimum = shared_array(flat(3));
  snapshot_.share("optimum", optimum);
  snapshot_.take(*engine_);
  EXPECT_EQ(optimum.use_count(), 1);
  EXPECT_EQ(snapshot_.take(*engine_), Archive{});
  snapshot_.copy("x", flat(4));
  Archive expected;
  expected.parameters = {{"x", canonical(4)}};
  EXPECT_EQ(snapshot_.take(*engine_), expected);
}

}  // namespace
}  // namespace oida::test
