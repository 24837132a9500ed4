// Exchange rules of units whose engines keep the parameters on a card.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "host_card.hpp"
#include "oida/rule_kit.hpp"

namespace oida {

namespace test {
namespace {
bool mpi_answer = false;
}  // namespace
}  // namespace test

/// In place of the MPI library's answer: memory of cards that compute on the host can be summed.
bool mpi_takes_device_memory() {
  return test::mpi_answer;
}

}  // namespace oida

namespace oida::test {
namespace {

/// What lies between the cards that compute on the host, with or without a fault of the last unit.
class UnitsByMpi final : public Units {
 public:
  enum class Fault { none, join, sum };
  explicit UnitsByMpi(Fault fault, bool everywhere = true) : fault_(fault) {
    if (everywhere || !is_last()) HostCard::units = this;
  }
  UnitsByMpi(const UnitsByMpi&) = delete;
  UnitsByMpi& operator=(const UnitsByMpi&) = delete;
  ~UnitsByMpi() override { HostCard::units = nullptr; }

  void join(const std::string& invitation, int rank, int size) override {
    EXPECT_EQ(invitation, "come");
    EXPECT_EQ(rank, world().rank());
    EXPECT_EQ(size, world().size());
    if (fault_ == Fault::join && is_last()) throw Error("fake", "no peer access");
  }
  void sum(std::span<float> values) override {
    std::vector<double> sums(values.begin(), values.end());
    world().sum(sums);
    std::ranges::transform(sums, values.begin(), [](double v) { return static_cast<float>(v); });
    if (fault_ == Fault::sum && is_last()) values.back() += 1.0F;
    ++sums_;
  }
  int sums() const { return sums_; }

 private:
  static bool is_last() { return world().rank() == world().size() - 1; }

  Fault fault_;
  int sums_ = 0;
};

class CardsTest : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Interleaves, CardsTest, ::testing::Values(1, 2, 4));

/// Parameters that stay with the engine are sent from there and merged there.
TEST_P(CardsTest, OnCardsEqualsTheSerialSimulation) {
  const Problem problem;
  const auto expected = own(simulate_delayed_mean(problem, simulation(GetParam())));
  for (const char* engine : {"card", "mixed"}) {
    RuleKit kit(problem, rule_options(), engine);
    kit.train(50, GetParam(), 7);
    expect_close(kit.canonical(kit.x()), expected);
  }
}

TEST_P(CardsTest, OnCardsAgreesOnItsFinalMean) {
  const Problem problem;
  RuleKit plain(problem, rule_options());
  plain.train(9, GetParam());
  plain.rule().final_mean({});
  for (const char* engine : {"card", "mixed"}) {
    RuleKit kit(problem, rule_options(), engine);
    kit.train(9, GetParam());
    ControlWords words;
    words.train_loss = 1.0F;
    EXPECT_EQ(kit.rule().final_mean(words).train_loss, static_cast<float>(world().size()));
    expect_close(kit.canonical(kit.x()), plain.canonical(plain.x()));
    EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), kit.x()));
    EXPECT_TRUE(kit.rule().agreed_is_finite());
  }
}

TEST_P(CardsTest, CardsThatSumAmongThemselvesEqualTheSerialSimulation) {
  const Problem problem;
  UnitsByMpi units(UnitsByMpi::Fault::none);
  RuleKit kit(problem, rule_options(), "card");
  kit.train(50, GetParam(), 7);
  expect_close(kit.canonical(kit.x()), own(simulate_delayed_mean(problem, simulation(GetParam()))));
  if (world().size() == 1) return;
  EXPECT_EQ(kit.rule().way(), "host");
  EXPECT_EQ(units.sums(), 51);  // a test, and every round
  EXPECT_GE(kit.rule().flights().front().end_s, kit.rule().flights().front().start_s);
  ControlWords words;
  words.train_loss = 1.0F;
  EXPECT_EQ(kit.rule().final_mean(words).train_loss, static_cast<float>(world().size()));
  EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), kit.x()));
}

/// MPI says that it takes device memory, on all units or on all but the last.
class MpiAnswer {
 public:
  explicit MpiAnswer(bool everywhere = true) {
    mpi_answer = everywhere || world().rank() + 1 < world().size();
  }
  MpiAnswer(const MpiAnswer&) = delete;
  MpiAnswer& operator=(const MpiAnswer&) = delete;
  ~MpiAnswer() { mpi_answer = false; }
};

TEST_P(CardsTest, SumsByMessagesEqualTheSerialSimulation) {
  if (world().size() == 1) GTEST_SKIP() << "one unit exchanges nothing";
  const Problem problem;
  const MpiAnswer yes;
  RuleKit kit(problem, rule_options(), "card");
  EXPECT_EQ(kit.rule().way(), "cuda-aware mpi");
  kit.train(50, GetParam(), 7);
  expect_close(kit.canonical(kit.x()), own(simulate_delayed_mean(problem, simulation(GetParam()))));
  ControlWords words;
  words.train_loss = 1.0F;
  EXPECT_EQ(kit.rule().final_mean(words).train_loss, static_cast<float>(world().size()));
  EXPECT_TRUE(std::ranges::equal(kit.rule().agreed(), kit.x()));
}

TEST(ExchangeWayTest, IsByMessagesWhereTheCardsOwnWayFails) {
  if (world().size() == 1) GTEST_SKIP() << "one unit exchanges nothing";
  const Problem problem;
  const UnitsByMpi units(UnitsByMpi::Fault::sum);
  for (const bool everywhere : {true, false}) {
    const MpiAnswer answer(everywhere);
    RuleKit kit(problem, rule_options(), "card");
    EXPECT_EQ(kit.rule().way(), everywhere ? "cuda-aware mpi" : "host memory");
    kit.train(10, 1);
    RuleKit plain(problem, rule_options());
    plain.train(10, 1);
    expect_close(kit.canonical(kit.x()), plain.canonical(plain.x()));
  }
}

TEST(ExchangeWayTest, IsThroughTheHostsWhereCardsCannotSum) {
  using Fault = UnitsByMpi::Fault;
  if (world().size() == 1) GTEST_SKIP() << "one unit exchanges nothing";
  const Problem problem;
  const auto expected = own(simulate_delayed_mean(problem, simulation(1)));
  struct Case {
    Fault fault;
    bool everywhere;
    std::string said;
  };
  for (const Case& of : {Case{Fault::join, true, "no peer access"},
                         Case{Fault::sum, true, "a sum of"}, Case{Fault::none, false, ""}}) {
    UnitsByMpi units(of.fault, of.everywhere);
    std::vector<std::string> said;
    RuleOptions options = rule_options();
    options.say = [&](const std::string& line) { said.push_back(line); };
    RuleKit kit(problem, options, "card");
    kit.train(50, 1);
    expect_close(kit.canonical(kit.x()), expected);
    EXPECT_EQ(kit.rule().way(), "host memory");
    ASSERT_EQ(said.size(), of.said.empty() ? 0U : 1U);
    if (said.empty()) continue;
    EXPECT_NE(said.front().find(of.said), std::string::npos) << said.front();
    EXPECT_NE(said.front().find("; units exchange another way"), std::string::npos);
  }
}

}  // namespace
}  // namespace oida::test
