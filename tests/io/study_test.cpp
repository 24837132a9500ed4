#include "io/report/study.hpp"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "io/report/page.hpp"
#include "io/run/run_directory.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

/// A run as the program would leave it; times are set by hand.
struct Made {
  std::string name;
  std::string device = "cpu";
  int nodes = 1, ranks = 1;
  double train_s = 1, samples = 1000;
  int global_batch = 64;
  std::string precision = "fp32";
  std::string network = "dense";
  std::string data = "c";
  int threads = 1;
  double oa = 0.9;
};

class Study : public ::testing::Test {
 protected:
  void make(const Made& made) {
    RunDirectory run(temp_ / made.name);
    run.write_json("run.json", {{"deck", {{"train", {{"precision", made.precision}}}}},
                                {"training_checksum", made.data},
                                {"network", {{"layers", made.network}}},
                                {"steps", {{"global_batch", made.global_batch}}},
                                {"placement", {{{"threads", made.threads}}}}});
    Timing timing;
    timing.exchange = "oida";
    timing.device = made.device;
    timing.nodes = made.nodes;
    timing.ranks = made.ranks;
    timing.units_per_node = made.ranks / made.nodes;
    timing.samples = static_cast<std::int64_t>(made.samples);
    timing.pixels = 225 * timing.samples;
    timing.train_s = made.train_s;
    timing.per_rank.resize(static_cast<std::size_t>(made.ranks));
    run.write_json("timing.json", to_json(timing));
    run.write_json("test.json", {{"oa", made.oa}});
    run.mark_done();
    folders_.push_back(run.path());
  }
  StudyCounts write(StudyOptions options = {}) {
    return write_study(folders_, options, temp_ / "out");
  }
  std::string out(const std::string& name) { return testing::read_text(temp_ / ("out/" + name)); }
  /// The table's row that begins so.
  std::string row(const std::string& start) {
    const std::string text = out("scaling.md");
    const auto at = text.find("\n" + start);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }
  static void has(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }

  testing::TempFolder temp_;
  std::vector<std::string> folders_;
};

// 4 units in 2.5 s where one needs 8: 3.2 times, 80 % of ideal, 68.75 % saved.
TEST_F(Study, takes_speed_up_efficiency_and_saved_time_from_the_times) {
  make({.name = "one", .train_s = 8});
  make({.name = "four", .nodes = 2, .ranks = 4, .train_s = 2.5});
  const auto counts = write();
  EXPECT_EQ(counts.runs, 2);
  EXPECT_EQ(counts.finished, 2);
  has(row("| 1 (baseline)"), "| 8.00 | 0.028 | 1.00 | 100.0 | 0.00 |");
  has(row("| 4 |"), "| 4 | 2 | cpu | oida | 1 | 1 | 2.50 | 0.090 | 3.20 | 80.0 | 68.75 |");
  has(out("scaling.csv"), ",3.2,3.2,3.2,0.8,0.8,0.8,68.75,");
}

// Half the samples in 2 s is the same data in 4 s.
TEST_F(Study, brings_times_to_the_same_amount_of_data) {
  make({.name = "one", .train_s = 8});
  make({.name = "two", .ranks = 2, .train_s = 2, .samples = 500});
  write();
  has(row("| 2 |"), "| 4.00 | 0.056 | 2.00 | 100.0 | 50.00 |");
}

TEST_F(Study, gives_repeats_as_median_with_least_and_most) {
  make({.name = "a", .train_s = 10, .oa = 0.8});
  make({.name = "b", .train_s = 12, .oa = 0.9});
  make({.name = "c", .train_s = 20, .oa = 0.7});
  write();
  has(row("| 1 (baseline)"), "| 3 | 12.00 (10.00–20.00) |");
  has(row("| 1 (baseline)"), "| 1.00 (0.60–1.20) |");
  has(row("| 1 (baseline)"), "80.00 (70.00–90.00) |");
}

TEST_F(Study, takes_the_mean_of_the_two_in_the_middle) {
  for (const double train_s : {40.0, 10.0, 20.0, 16.0}) {
    make({.name = "after-" + std::to_string(train_s), .train_s = train_s});
  }
  write();
  has(row("| 1 (baseline)"), "| 4 | 18.00 (10.00–40.00) |");
}

TEST_F(Study, never_compares_what_must_be_equal_without_saying_so) {
  make({.name = "plain", .train_s = 8});
  make({.name = "half", .ranks = 2, .train_s = 1, .precision = "bf16"});
  make({.name = "large", .ranks = 2, .train_s = 1, .global_batch = 512});
  write({.kind = "strong"});
  const std::string text = out("scaling.md");
  has(text, "**Not all runs may be compared.**");
  has(text, "| precision | fp32 | bf16 | fp32 |");
  has(text, "| batch over all units | 64 | 64 | 512 |");
  EXPECT_EQ(text.find("| 8.00 | 100.0 |"), std::string::npos) << text;
  has(text, "### Group C");
}

TEST_F(Study, tells_data_networks_and_threads_apart) {
  make({.name = "plain", .train_s = 8});
  make({.name = "wide", .train_s = 1, .network = "conv"});
  make({.name = "more", .train_s = 1, .data = "d"});
  make({.name = "threads", .train_s = 4, .threads = 2});
  write({.kind = "strong"});
  has(out("scaling.md"), "| network | dense | conv | dense |");
  has(out("scaling.md"), "| training samples | c | c | d |");
  has(row("| 1 |"), "| 1 | 1 | cpu | oida | 2 | 1 | 4.00 |");
}

TEST_F(Study, knows_weak_scaling_by_the_batch_of_a_unit) {
  make({.name = "one", .train_s = 8});
  make({.name = "two", .ranks = 2, .train_s = 10, .samples = 2000, .global_batch = 128});
  write();
  has(out("scaling.md"), "weak scaling (the same batch a unit)");
  has(row("| 2 |"), "| 5.00 | 0.045 | 1.60 | 80.0 | 37.50 |");
}

// The abstract: 4 CPU cores on 4 machines 100, 4 GPUs 34.39, 8 GPUs 16.68.
TEST_F(Study, lays_the_papers_rows_beside_cpu_and_gpu) {
  make({.name = "cpu", .nodes = 4, .ranks = 4, .train_s = 100});
  make({.name = "gpu-4", .device = "gpu", .nodes = 4, .ranks = 4, .train_s = 25});
  make({.name = "gpu-8", .device = "gpu", .nodes = 4, .ranks = 8, .train_s = 20});
  write();
  has(out("scaling.md"),
      "| 4 machines, 4 GPUs | 65.61 | 2.91 | 4 gpu on 4 nodes against 4 cpu on 4 nodes | 75.00 | "
      "4.00 |");
  has(out("scaling.md"),
      "| 4 machines, 8 GPUs | 83.32 | 6.00 | 8 gpu on 4 nodes against 4 cpu on 4 nodes | 80.00 | "
      "5.00 |");
}

TEST_F(Study, lays_no_other_machines_beside_the_papers_rows) {
  make({.name = "cpu", .nodes = 4, .ranks = 4, .train_s = 100});
  make({.name = "gpu-4", .device = "gpu", .nodes = 4, .ranks = 4, .train_s = 25});
  make({.name = "gpu-8", .device = "gpu", .nodes = 8, .ranks = 8, .train_s = 20});
  write();
  has(out("scaling.md"), "| 4 machines, 8 GPUs | 83.32 | 6.00 | not run | – | – |");
}

// What the figures are drawn from; all lines of a data file without their comments.
TEST_F(Study, figures_show_medians_with_their_range_and_what_is_ideal) {
  make({.name = "one", .train_s = 8});
  make({.name = "two-a", .ranks = 2, .train_s = 5, .oa = 0.7});
  make({.name = "two-b", .ranks = 2, .train_s = 4, .oa = 0.8});
  write();
  has(out("figures/time.dat"), "\n2 4.500000 4.000000 5.000000\n");
  has(out("figures/speed_up.dat"), "\n2 1.777778 1.600000 2.000000\n");
  has(out("figures/efficiency.dat"), "\n2 88.888889 80.000000 100.000000\n");
  has(out("figures/speed_up.gp"), ", x / 1.0 with lines");
  has(out("figures/efficiency.gp"), ", 100 with lines");
  has(out("figures/idle.dat"), "\n2 0.000000 0.000000 0.000000\n");
  has(out("figures/accuracy_end.dat"), "4.000000 0.800000\n");
}

TEST_F(Study, accuracy_of_many_points_is_that_of_the_ends) {
  const auto curves = [this] {
    const std::string all = out("figures/accuracy.dat");
    return std::count(all.begin(), all.end(), '#');
  };
  for (int n = 1; n <= 14; ++n) make({.name = std::to_string(n), .ranks = n, .train_s = 10.0 / n});
  write();
  EXPECT_EQ(curves(), 14);
  make({.name = "15", .ranks = 15, .train_s = 0.6});
  write();
  EXPECT_EQ(curves(), 2);
  has(out("figures/accuracy.dat"), "# 15 cpu on 1 node");
}

TEST_F(Study, says_nothing_of_gpus_that_did_not_run) {
  make({.name = "cpu", .nodes = 4, .ranks = 4});
  write();
  EXPECT_EQ(out("scaling.md").find("65.61"), std::string::npos);
}

TEST_F(Study, lists_runs_without_a_result_with_their_reason) {
  make({.name = "one"});
  RunDirectory failed(temp_ / "failed");
  failed.mark_failed("scene: gone");
  RunDirectory broken(temp_ / "broken");
  broken.write_text("timing.json", "{");
  testing::write_text(temp_ / "begun/checkpoints/round-7.h5", "");
  for (const std::string name : {"failed", "broken", "begun", "never"}) {
    folders_.push_back(temp_ / name);
  }
  const auto counts = write();
  EXPECT_EQ(counts.runs, 5);
  EXPECT_EQ(counts.finished, 1);
  const std::string text = out("scaling.md");
  has(text, "1 of 5 runs finished");
  has(text, "| failed | failed | scene: gone |");
  has(text, "| begun | unfinished | not finished, checkpoint of round 7 |");
  has(text, "| never | unfinished | no such folder: the run never started |");
  has(text, "| broken | failed | ");
}

TEST_F(Study, takes_the_baseline_that_is_named_or_says_that_it_is_missing) {
  make({.name = "one", .train_s = 8});
  make({.name = "two", .ranks = 2, .train_s = 4});
  write({.baseline = "2 cpu on 1 node"});
  has(row("| 2 (baseline)"), "| 1.00 |");
  has(row("| 1 |"), "| 0.50 |");
  write({.baseline = "two"});
  has(row("| 2 (baseline)"), "| 1.00 |");
  write({.baseline = "nine"});
  has(out("scaling.md"), "**The baseline 'nine' has no result**");
}

TEST_F(Study, says_where_more_units_did_not_help) {
  make({.name = "one", .train_s = 8});
  make({.name = "two", .ranks = 2, .train_s = 9});
  write();
  has(out("scaling.md"), "- 2 cpu on 1 node takes longer than 1 cpu on 1 node");
}

TEST_F(Study, page_stands_alone) {
  make({.name = "one", .train_s = 8});
  make({.name = "two", .ranks = 2, .train_s = 5});
  write();
  const std::string page = out("scaling.html");
  has(page, "<td align=\"right\">1.60</td>");
  EXPECT_EQ(page.find("src=\"figures"), std::string::npos);
  EXPECT_EQ(page.find("href="), std::string::npos);
  if (std::filesystem::exists(temp_ / "out/figures/time.png")) {
    has(page, "src=\"data:image/svg+xml;base64,");
  }
}

// "AAEC" is 00 01 02 (RFC 4648).
TEST(Page, takes_pictures_in_and_keeps_markup_out) {
  testing::TempFolder temp;
  testing::write_text(temp / "a.png", std::string("\0\1\2", 3));
  write_page(temp / "p.html", "# T <b>\n\n![it](a.png)\n");
  const std::string page = testing::read_text(temp / "p.html");
  EXPECT_NE(page.find("<img src=\"data:image/png;base64,AAEC\" alt=\"it\">"), std::string::npos)
      << page;
  EXPECT_NE(page.find("<title>T &lt;b&gt;</title>"), std::string::npos) << page;
}

}  // namespace
}  // namespace oida
