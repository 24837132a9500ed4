#include "io/report/report.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "io/report/gnuplot.hpp"
#include "io/run/run_directory.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// PATH without gnuplot while it lives.
class NoPrograms {
 public:
  NoPrograms() : path_(std::getenv("PATH")) { ::setenv("PATH", "/nonexistent", 1); }
  ~NoPrograms() { ::setenv("PATH", path_.c_str(), 1); }
  NoPrograms(const NoPrograms&) = delete;
  NoPrograms& operator=(const NoPrograms&) = delete;

 private:
  std::string path_;
};

class Report : public ::testing::Test {
 protected:
  Report() : run_(temp_ / "demo") {}

  void fill(bool leaky) {
    run_.write_json("run.json", {{"restarts", 1},
                                 {"warnings", {"class 'Wheat 2' has no test samples"}},
                                 {"placement",
                                  {{{"rank", 0}, {"host", "a|b"}}, {{"rank", 1}, {"host", "c"}}}}});
    run_.write_metrics({{1, 10, 640, 1, 2.5, std::nan(""), 0.25, 1, 0.1, false},
                        {2, 20, 1280, 2, 1.5, 1.75, 0.5, 1, 0.1, true}});
    Timing timing;
    timing.exchange = "oida";
    timing.device = "cpu";
    timing.ranks = 1;
    timing.samples = 1280;
    timing.pixels = 4000000;
    timing.train_s = 2;
    timing.per_rank.push_back({});
    timing.per_rank[0].host = "a";
    timing.per_rank[0].compute_s = 1.5;
    timing.per_rank[0].exposed_s = 0.5;
    run_.write_json("timing.json", to_json(timing));
    TestRecord record{{},
                      Confusion(3),
                      testing::three_classes(),
                      leaky ? "random" : "blocks",
                      leaky,
                      {"class 'Wheat 2' has no test samples"},
                      {{0, 0, 0, 64, 64, 10, 8}, {0, 0, 64, 64, 40, 10, 10}}};
    record.classes.names[0] = "Farmer's \"own\" $3";
    record.confusion.add(0, 0, 8);
    record.confusion.add(0, 1, 2);
    record.confusion.add(1, 1, 10);
    record.scores = score(record.confusion, {true, true, true});
    run_.write_json("test.json", to_json(record));
  }
  std::string text() {
    write_run_report(run_.path());
    return testing::read_text(run_.file("report.md"));
  }
  static void expect(const std::string& text, const std::vector<std::string>& words) {
    for (const auto& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << text;
  }

  testing::TempFolder temp_;
  RunDirectory run_;
};

// A unit that saw nothing of a class stands above what that class lost.
TEST_F(Report, shows_the_shares_of_skewed_shards_above_the_recall_of_each_class) {
  fill(false);
  Json run = Json::parse(testing::read_text(run_.file("run.json")));
  run["classes"] = {{{"name", "Water"}}, {{"name", "Forest"}}, {{"name", "Wheat"}}};
  run["shards"] = {{{"unit", 0}, {"samples", 40}, {"classes", {30, 10, 0}}},
                   {{"unit", 1}, {"samples", 50}, {"classes", {0, 10, 40}}}};
  run_.write_json("run.json", run);
  expect(text(), {"| 0 | 30 (75.0 %) | 10 (25.0 %) | 0 (0.0 %) |",
                  "| 1 | 0 (0.0 %) | 10 (20.0 %) | 40 (80.0 %) |",
                  "| recall in the test | 80.00 % | 100.00 % |"});
}

TEST_F(Report, says_what_the_files_say) {
  fill(false);
  const std::string report = text();
  expect(report, {"# Run demo", "Status: complete: trained in 2.0 s and tested, restarted 1",
                  "| 90.00 % | 90.00 % | 0.8000 |", "| blocks |",
                  "| Farmer's \"own\" $3 | 10 | 80.00 % | 100.00 % |", "| Wheat 2 | 0 | – |",
                  "| samples/s | 640 |", "| megapixels/s | 2.000 |",
                  "| idle share (waiting for the exchange) | 25.00 % |",
                  "| hidden share of the exchange | – |", "| 0 | a\\|b |",
                  "- class 'Wheat 2' has no test samples\n\n## Accuracy"});
  // Both blocks are off the mean of 18 in 20 by one sample: sqrt(2 (1 + 1)) / 20.
  expect(report, {"| 2 | 90.00 % | 10.00 % | 80.00 % | 80.00 % | 100.00 % |",
                  "| 1 | 0 | 0 | 10 | 80.00 % |\n| 1 | 0 | 64 | 10 | 100.00 % |"});
  EXPECT_EQ(report.find("optimistic"), std::string::npos);
  EXPECT_EQ(report.find("## Pictures"), std::string::npos);
}

TEST_F(Report, warns_of_a_leaky_split) {
  fill(true);
  expect(text(), {"| random |", "This accuracy is optimistic"});
}

TEST_F(Report, shows_the_pictures_that_are_there) {
  testing::write_text(run_.file("quicklook.png"), "");
  testing::write_text(run_.file("class_map-2.png"), "");
  const std::string report = text();
  expect(report, {"](quicklook.png)", "](class_map-2.png)"});
  EXPECT_EQ(report.find("](class_map.png)"), std::string::npos);
}

TEST_F(Report, tells_a_failed_and_an_unfinished_run) {
  expect(text(), {"Status: not finished"});
  run_.mark_failed("scene: gone");
  expect(text(), {"Status: failed: scene: gone"});
}

TEST_F(Report, does_without_gnuplot_and_says_so) {
  fill(false);
  const NoPrograms none;
  const std::string report = text();
  expect(report, {"Figures are missing: gnuplot was not found.\n"});
  EXPECT_EQ(report.find("!["), std::string::npos);
}

TEST_F(Report, draws_every_figure_as_svg_and_png) {
  testing::TempFolder probe;
  if (draw(probe.path(), {.name = "probe", .script = "", .plot = "plot x"}) ==
      "gnuplot was not found") {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  fill(false);
  const std::string report = text();
  expect(report, {"](figures/loss.png)", "](figures/phases.png)", "](figures/confusion.png)",
                  "](figures/blocks.png)"});
  EXPECT_EQ(report.find("missing"), std::string::npos) << report;
  for (const std::string name : {"loss", "phases", "confusion", "blocks"}) {
    EXPECT_GT(fs::file_size(run_.file("figures/" + name + ".png")), 5000U) << name;
    expect(testing::read_text(run_.file("figures/" + name + ".svg")), {"</svg>"});
  }
  expect(testing::read_text(run_.file("figures/confusion.svg")), {"Wheat 2", "own"});
  EXPECT_EQ(testing::read_text(run_.file("figures/confusion.dat")),
            "80.000000 20.000000 0.000000 \n0.000000 100.000000 0.000000 \nnan nan nan \n");
  EXPECT_FALSE(fs::exists(run_.file("figures/gnuplot.log")));
}

TEST_F(Report, names_the_file_that_cannot_be_understood) {
  run_.write_text("test.json", "{");
  testing::expect_error([&] { text(); }, {"test.json", "JSON"});
  run_.write_text("test.json", R"({"classes": 3})");
  testing::expect_error([&] { text(); }, {run_.path(), "JSON"});
}

TEST(Gnuplot, says_what_went_wrong) {
  testing::TempFolder temp;
  const std::string why = draw(temp.path(), {.name = "bad", .script = "nonsense here\n"});
  EXPECT_TRUE(why.find("invalid command") != std::string::npos || why == "gnuplot was not found")
      << why;
}

}  // namespace
}  // namespace oida
