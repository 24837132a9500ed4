#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "io/run/run_directory.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> out;
  for (const auto& item : json.items()) out.push_back(item.key());
  return out;
}

Timing two_ranks() {
  Timing timing;
  timing.exchange = "oida";
  timing.device = "cpu";
  timing.ranks = timing.units_per_node = 2;
  timing.samples = 1000;
  timing.pixels = 225000;
  timing.train_s = 10;
  UnitTiming unit;
  unit.host = "a";
  unit.compute_s = 9;
  unit.exposed_s = 0.5;
  unit.exchange_s = 2;
  timing.per_rank = {unit, unit};
  timing.per_rank[1].rank = 1;
  return timing;
}

TEST(TimingJson, has_the_keys_of_the_contract_in_order) {
  const Json json = to_json(two_ranks());
  EXPECT_EQ(keys(json), (std::vector<std::string>{
                            "schema",       "exchange",           "device",       "nodes",
                            "ranks",        "units_per_node",     "samples",      "pixels",
                            "train_s",      "startup_s",          "warmup_s",     "samples_per_s",
                            "pixels_per_s", "idle_share",         "hidden_share", "imbalance",
                            "exchanges",    "bytes_per_exchange", "wire",         "interleave",
                            "per_rank"}));
  EXPECT_EQ(keys(json["per_rank"][1]),
            (std::vector<std::string>{"rank", "host", "read_s", "read_bytes", "data_wait_s",
                                      "compute_s", "exchange_s", "exposed_s", "validate_s",
                                      "checkpoint_s", "other_s", "step_ms"}));
  EXPECT_EQ(keys(json["per_rank"][0]["step_ms"]),
            (std::vector<std::string>{"min", "median", "p95", "max"}));
}

TEST(TimingJson, has_staleness_where_gradients_came_late) {
  Timing timing = two_ranks();
  EXPECT_FALSE(to_json(timing).contains("staleness"));
  timing.staleness = {1, 3};
  EXPECT_EQ(to_json(timing)["staleness"].dump(), R"({"mean":0.75,"histogram":[1,3]})");
}

TEST(TimingJson, gives_rates_over_training_time) {
  const Json json = to_json(two_ranks());
  EXPECT_DOUBLE_EQ(json["samples_per_s"], 100);
  EXPECT_DOUBLE_EQ(json["pixels_per_s"], 22500);
  EXPECT_DOUBLE_EQ(json["idle_share"], 0.05);    // (0.5 + 0.5) / (2 x 10)
  EXPECT_DOUBLE_EQ(json["hidden_share"], 0.75);  // 1 - (0.5 + 0.5) / (2 + 2)
}

TEST(TimingJson, says_null_where_there_is_no_number) {
  Timing timing = two_ranks();
  for (auto& unit : timing.per_rank) unit.exchange_s = unit.exposed_s = 0;
  EXPECT_NE(to_text(to_json(timing)).find("\"hidden_share\": null"), std::string::npos);
}

TEST(TestJson, has_its_keys_and_null_for_classes_without_samples) {
  TestRecord record{{}, Confusion(3), testing::three_classes(), "random", true, {"careful"}};
  record.blocks = {{0, 4, 8, 32, 16, 15, 13}};
  record.confusion.add(0, 0, 8);
  record.confusion.add(0, 2, 2);
  record.confusion.add(2, 2, 5);
  record.scores = score(record.confusion, {true, true, true});
  const Json json = Json::parse(to_text(to_json(record)));
  EXPECT_EQ(keys(json), (std::vector<std::string>{"n", "oa", "oa_standard_error", "aa", "kappa",
                                                  "f1_macro", "miou", "split", "classes",
                                                  "confusion", "blocks", "warnings"}));
  EXPECT_TRUE(json["oa_standard_error"].is_null());  // of a single block
  EXPECT_EQ(json["blocks"], Json::parse(R"([{"scene":0,"row":4,"col":8,"rows":32,"cols":16,
                                             "samples":15,"correct":13}])"));
  EXPECT_EQ(json["n"], 15);
  EXPECT_DOUBLE_EQ(json["oa"], 13.0 / 15);
  EXPECT_EQ(json["split"], (Json{{"kind", "random"}, {"leaky", true}}));
  EXPECT_EQ(json["confusion"], Json::parse("[[8,0,2],[0,0,0],[0,0,5]]"));
  EXPECT_EQ(json["classes"][0]["name"], "Water");
  EXPECT_DOUBLE_EQ(json["classes"][0]["recall"], 0.8);
  EXPECT_TRUE(json["classes"][1]["recall"].is_null());
  EXPECT_EQ(json["warnings"], Json::array({"careful"}));
}

TEST(TestJson, refuses_tables_of_different_sizes) {
  const TestRecord record{{}, Confusion(2), testing::three_classes(), "blocks", false, {}};
  testing::expect_error([&] { to_json(record); }, {"test.json"});
}

TEST(TraceJson, has_an_event_a_phase_in_microseconds) {
  testing::TempFolder temp;
  write_trace(temp / "trace.json", {{{0.5, 0.75, "compute", 0}}, {{1, 3, "exchange", 1}}});
  const Json json = Json::parse(testing::read_text(temp / "trace.json"));
  std::set<int> ranks;
  int complete = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++complete;
    ranks.insert(event["pid"].get<int>());
    if (event["name"] == "compute") {
      EXPECT_DOUBLE_EQ(event["ts"], 5e5);
      EXPECT_DOUBLE_EQ(event["dur"], 2.5e5);
    } else {
      EXPECT_EQ(event["tid"], 1);
    }
  }
  EXPECT_EQ(complete, 2);
  EXPECT_EQ(ranks, (std::set<int>{0, 1}));
}

}  // namespace
}  // namespace oida
