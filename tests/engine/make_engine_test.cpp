#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "engine/engine.hpp"

namespace oida {
namespace {

const Network kNetwork = from_lines({"conv 4 3 relu"}, {9, 7, 9}, 3);

EngineOptions with(void (*change)(EngineOptions&)) {
  EngineOptions options;
  options.kind = "reference";
  change(options);
  return options;
}

void expect_refused(const EngineOptions& options, const std::string& key) {
  try {
    make_engine(kNetwork, options);
    ADD_FAILURE() << "took what " << key << " forbids";
  } catch (const InputError& error) {
    EXPECT_EQ(error.message().rfind(key + ": ", 0), 0U) << error.message();
  }
}

TEST(MakeEngine, GivesWhatWasAskedFor) {
  const auto options = with([](EngineOptions& o) { o.max_batch = 5; });
  const auto engine = make_engine(kNetwork, options);
  EXPECT_EQ(engine->network(), kNetwork);
  EXPECT_EQ(engine->options().max_batch, 5);
}

TEST(MakeEngine, NamesTheKnownKindsWhenItRefusesOne) {
  const auto options = with([](EngineOptions& o) { o.kind = "abacus"; });
  expect_refused(options, "device.engine");
  try {
    make_engine(kNetwork, options);
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("'abacus'"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("reference, onednn"), std::string::npos) << error.message();
  }
}

TEST(MakeEngine, RefusesOptionsByTheirKey) {
  expect_refused(with([](EngineOptions& o) { o.precision = "bf16"; }), "train.precision");
  expect_refused(with([](EngineOptions& o) { o.precision = "fp64"; }), "train.precision");
  expect_refused(with([](EngineOptions& o) { o.threads = 0; }), "device.threads");
  expect_refused(with([](EngineOptions& o) { o.max_batch = 0; }), "train.batch");
  expect_refused(with([](EngineOptions& o) {
                   o.class_weights = {1.0F, 1.0F};
                 }),
                 "train.class_weights");
  expect_refused(with([](EngineOptions& o) {
                   o.class_weights = {1.0F, -1.0F, 1.0F};
                 }),
                 "train.class_weights");
  expect_refused(with([](EngineOptions& o) {
                   o.class_weights = {1.0F, NAN, 1.0F};
                 }),
                 "train.class_weights");
}

}  // namespace
}  // namespace oida
