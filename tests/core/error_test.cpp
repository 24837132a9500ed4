#include "core/error.hpp"

#include <gtest/gtest.h>

namespace oida {
namespace {

TEST(Error, SaysWhereAndWhatInOneLine) {
  const Error error("model.h5", "truncated");
  EXPECT_STREQ(error.what(), "model.h5: truncated");
  EXPECT_EQ(error.exit(), Exit::failed);
}

TEST(Error, BadInputIsRefused) {
  const InputError error("data.split", "'x' is unknown");
  EXPECT_EQ(error.message(), "data.split: 'x' is unknown");
  EXPECT_EQ(static_cast<int>(error.exit()), 2);
}

TEST(Error, SurvivesTheWayToAnotherProcess) {
  const InputError sent("scene.path", "no such folder");
  const Error received = Error::from_message(sent.message(), sent.exit());
  EXPECT_EQ(received.message(), sent.message());
  EXPECT_EQ(received.exit(), sent.exit());
}

}  // namespace
}  // namespace oida
