#include "scaling/model.hpp"

#include <gtest/gtest.h>

namespace oida::perf {
namespace {

constexpr double kStep_s = 0.1;

Work step_of(int polls) {
  Work work;
  work.step_s = kStep_s;
  work.polls = polls;
  return work;
}

/// Links of a megabyte a second; arrays so small that nothing is asked for first.
Cluster slow(int nodes) {
  return {.nodes = nodes, .links = {.bytes_per_s = 1e6}};
}

Loop oida(std::size_t floats, int interleave) {
  Loop loop;
  loop.interleave = interleave;
  loop.arrays = {{floats, 0}};
  return loop;
}

Loop allreduce(std::vector<Array> arrays) {
  Loop loop;
  loop.waits_each_step = true;
  loop.arrays = std::move(arrays);
  return loop;
}

TEST(ScalingModel, one_unit_takes_its_steps_and_merges) {
  Work work = step_of(4);
  work.merge_s = 0.02;
  const auto found = predict(slow(1), work, oida(1024, 2), 5);
  EXPECT_NEAR(found.step_s, 0.11, 1e-9);
  EXPECT_NEAR(found.idle_share, 0, 1e-12);
}

// 2 nodes, 1024 floats: each sends 2048 bytes to the owner of its other half and the owner sends as
// many back, one after the other: 4.096 ms, and twice the latency.
TEST(ScalingModel, allreduce_waits_for_parts_and_sums) {
  Cluster two = slow(2);
  two.links.latency_s = 0.01;
  const auto found = predict(two, step_of(1), allreduce({{1024, 1.0}}), 5);
  EXPECT_NEAR(found.step_s, 0.1 + 0.004096 + 0.02, 1e-9);
  EXPECT_NEAR(found.idle_share, 0.024096 / 0.124096, 1e-9);
  EXPECT_NEAR(found.hidden_share, 0, 1e-9);
}

// n nodes: (n - 1) parts of a n-th out, as many sums back.
TEST(ScalingModel, every_node_sends_twice_all_but_its_own_share) {
  const auto found = predict(slow(8), step_of(1), allreduce({{8 * 1024, 1.0}}), 5);
  EXPECT_NEAR(found.step_s, 0.1 + 2 * 7 * 4096e-6, 1e-9);
}

// Polls every 5 ms, 1 ms to the other node. The part is asked for at 50, the question read at 55,
// the answer at 60; the part sent then is there at 77.384 and read at 80. The sum likewise: sent
// at 90.
TEST(ScalingModel, an_array_that_is_ready_early_hides_in_the_step) {
  Cluster two = slow(2);
  two.links.latency_s = 1e-3;
  const auto found = predict(two, step_of(20), allreduce({{8 * 1024, 0.5}}), 5);
  EXPECT_NEAR(found.step_s, 0.107384, 1e-9);
  EXPECT_NEAR(found.hidden_share, 1 - 7.384 / 57.384, 1e-6);
}

// All at the end of the step, where each unit waits: two questions, two answers, part and sum.
TEST(ScalingModel, what_is_large_is_asked_for) {
  Cluster two = slow(2);
  two.links.latency_s = 1e-3;
  const auto found = predict(two, step_of(20), allreduce({{8 * 1024, 1.0}}), 5);
  EXPECT_NEAR(found.step_s, 0.1 + 2 * 0.016384 + 6e-3, 1e-9);
}

TEST(ScalingModel, oida_hides_what_its_steps_are_long_enough_for) {
  const auto found = predict(slow(4), step_of(10), oida(4096, 1), 20);
  EXPECT_NEAR(found.step_s, kStep_s, 1e-9);
  EXPECT_NEAR(found.idle_share, 0, 1e-9);
  EXPECT_NEAR(found.hidden_share, 1, 1e-9);
}

// 1.6 MB through 1 MB/s, half of it twice: 1.6 s and no less a round, of one step as of four.
TEST(ScalingModel, the_link_is_the_bound_of_a_round) {
  const auto one = predict(slow(2), step_of(20), oida(400'000, 1), 10);
  const auto four = predict(slow(2), step_of(20), oida(400'000, 4), 10);
  EXPECT_NEAR(one.step_s, 1.6, 0.08);
  EXPECT_NEAR(four.step_s, 0.4, 0.02);
  EXPECT_NEAR(one.idle_share, 1.5 / 1.6, 0.01);
  const auto enough = predict(slow(2), step_of(20), oida(400'000, 20), 10);
  EXPECT_NEAR(enough.step_s, kStep_s, 1e-3);
}

TEST(ScalingModel, fewer_bytes_a_float_take_less_time) {
  Loop loop = allreduce({{64 * 1024, 1.0}});
  const double whole_s = predict(slow(4), step_of(1), loop, 5).step_s - kStep_s;
  loop.bytes_per_float = 1;
  EXPECT_NEAR(predict(slow(4), step_of(1), loop, 5).step_s - kStep_s, whole_s / 4, 0.05 * whole_s);
}

// Polls every 5 ms: the part, sent at 50, is there at 67.384 and read at 70, the sum sent then is
// there at 87.384.
TEST(ScalingModel, what_is_sent_at_once_waits_for_fewer_polls) {
  Cluster two = slow(2);
  two.links.latency_s = 1e-3;
  two.links.asked_for = false;
  const auto found = predict(two, step_of(20), allreduce({{8 * 1024, 0.5}}), 5);
  EXPECT_NEAR(found.step_s, kStep_s, 1e-9);
  EXPECT_NEAR(found.exchange_s, 0.04, 1e-9);
}

TEST(ScalingModel, messages_are_work) {
  Work work = step_of(1);
  work.message_s = 0.01;
  const auto found = predict(slow(2), work, allreduce({{512, 1.0}}), 5);
  // A part out, a part in, a sum out, a sum in.
  EXPECT_NEAR(found.step_s, 0.1 + 4 * 0.01 + 2 * 1024e-6, 0.003);
}

TEST(ScalingModel, a_burst_passes_at_once) {
  Cluster two = slow(2);
  two.links.burst_bytes = 4096;
  two.links.in_bytes_per_s = 1e12;
  EXPECT_NEAR(predict(two, step_of(1), allreduce({{1024, 1.0}}), 5).step_s, kStep_s, 1e-6);
}

TEST(ScalingModel, the_slowest_unit_sets_the_pace_of_allreduce_and_less_so_of_oida) {
  Work work = step_of(4);
  work.spread = 0.3;
  const auto together = predict(slow(16), work, allreduce({{1024, 1.0}}), 200);
  const auto apart = predict(slow(16), work, oida(1024, 4), 50);
  EXPECT_GT(together.step_s, 1.5 * kStep_s);
  EXPECT_LT(apart.step_s, 0.9 * together.step_s);
  EXPECT_GT(together.idle_share, 3 * apart.idle_share);
}

}  // namespace
}  // namespace oida::perf
