#include "comm/mailbox.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "comm/comm.hpp"
#include "core/error.hpp"
#include "mpi_world.hpp"

namespace oida {
namespace {

using testing::world;

/// Message number `n` of a rank.
std::vector<float> letter(int rank, int n, std::size_t floats) {
  std::vector<float> values(floats);
  for (std::size_t i = 0; i < floats; ++i) {
    values[i] = static_cast<float>(1000 * rank + n) + static_cast<float>(i % 97) / 128.0F;
  }
  return values;
}

void post(Mailbox& mailbox, int to, const std::vector<float>& values) {
  std::ranges::copy(values, mailbox.outgoing(to).begin());
  mailbox.post(to);
}

std::vector<float> received(Mailbox& mailbox, int from) {
  const auto message = mailbox.incoming(from);
  return {message.begin(), message.end()};
}

class MailboxTest : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Floats, MailboxTest, ::testing::Values(1, 1000, 300'000));

/// Rank 0 answers each message with its values and one more.
TEST_P(MailboxTest, EveryMessageIsAnsweredOnItsLine) {
  const std::size_t floats = GetParam();
  const auto mailbox = world().make_mailbox(floats);
  constexpr int kLetters = 5;
  if (world().rank() != 0) {
    for (int n = 0; n < kLetters; ++n) {
      post(*mailbox, 0, letter(world().rank(), n, floats));
      mailbox->wait([&] { return mailbox->take() == 0; });
      EXPECT_EQ(received(*mailbox, 0), letter(world().rank(), n + 1, floats)) << n;
    }
    return;
  }
  std::vector<int> came(static_cast<std::size_t>(world().size()));
  for (int n = 0; n < kLetters * (world().size() - 1); ++n) {
    std::optional<int> from;
    mailbox->wait([&] { return (from = mailbox->take()).has_value(); });
    int& count = came[static_cast<std::size_t>(*from)];
    EXPECT_EQ(received(*mailbox, *from), letter(*from, count, floats));
    post(*mailbox, *from, letter(*from, ++count, floats));
  }
  EXPECT_EQ(mailbox->take(), std::nullopt);
}

TEST(MailboxTest, LinesLeadFromAndToRankZeroOnly) {
  const auto mailbox = world().make_mailbox(4);
  EXPECT_THROW(mailbox->outgoing(world().rank()), Error);
  EXPECT_THROW(mailbox->outgoing(world().size()), Error);
  if (world().rank() > 1) {
    EXPECT_THROW(mailbox->outgoing(1), Error);
  }
}

/// A rank that waits in a barrier for those who wait for its answers gives them.
TEST(MailboxTest, RankZeroWorksWhileItWaitsElsewhere) {
  const auto mailbox = world().make_mailbox(3);
  const auto answer = [&] {
    const auto from = mailbox->take();
    if (from) post(*mailbox, *from, received(*mailbox, *from));
    return from.has_value();
  };
  if (world().rank() == 0) {
    world().set_waiting_work(answer);
  } else {
    post(*mailbox, 0, letter(world().rank(), 0, 3));
    mailbox->wait([&] { return mailbox->take().has_value(); });
    EXPECT_EQ(received(*mailbox, 0), letter(world().rank(), 0, 3));
  }
  world().barrier();
  world().set_waiting_work({});
}

}  // namespace
}  // namespace oida
