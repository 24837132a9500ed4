// What many nodes would make of the training loop, from what few made of it here.
//   oida_scaling_model MEASURED --out DIR [--faster F] [--most-nodes N]
// MEASURED: the folder that measure.sh leaves. Writes DIR/checks.csv (real runs beside the model)
// and DIR/model.csv, model.md and figures (1 to N nodes). --faster: units F times as fast as here.

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <tuple>

#include "core/error.hpp"
#include "io/files.hpp"
#include "oida/interleave.hpp"
#include "scaling/pages.hpp"

namespace oida::perf {
namespace {

namespace fs = std::filesystem;

constexpr double kBitsOfByte = 8;
/// Of a frame of 1538 bytes on the wire, 1514 in a queue, 1448 are the message's.
constexpr double kPayload = 1448.0 / 1538, kPayloadInQueue = 1448.0 / 1514;
constexpr double kBurst_bytes = 32 * 1024;  // measure.sh
constexpr double kUnshaped_bytes_per_s = 1e9;
constexpr double kLatencyHere_s = 50e-6;
/// Samples that the predicted times are for.
constexpr double kSamples = 1 << 20;

struct Rate {
  double gbit;
  double latency_s;
  bool rdma = false;
};
/// TCP over Ethernet up to 25 Gbit/s, a network of a supercomputer at 200.
constexpr std::array<Rate, 4> kRates = {{{1, 40e-6}, {10, 20e-6}, {25, 15e-6}, {200, 2e-6, true}}};

struct Command {
  std::string measured, out;
  double faster = 1;
  int most_nodes = 1024;
};

Command read_command(int argc, char** argv) {
  Command command;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (i + 1 == argc) throw InputError(word, "needs a value");
      return std::string(argv[++i]);
    };
    if (word == "--out") {
      command.out = value();
    } else if (word == "--faster") {
      command.faster = std::stod(value());
    } else if (word == "--most-nodes") {
      command.most_nodes = std::stoi(value());
    } else {
      command.measured = word;
    }
  }
  if (command.measured.empty() || command.out.empty()) {
    throw InputError("command line", "needs MEASURED --out DIR");
  }
  return command;
}

/// Fewer rounds where there are many messages: n^2 a round.
int rounds_for(int nodes) {
  return std::clamp(4096 / nodes, 3, 64);
}

Prediction of_oida(const Cluster& cluster, const Work& work, const StepProfile& profile,
                   int interleave) {
  return predict(cluster, work, oida_loop(profile, interleave), rounds_for(cluster.nodes));
}

/// As oida.interleave = auto chooses first: from rounds of one step, the smallest that hides 1.25
/// times the exchange.
int automatic_interleave(const Cluster& cluster, const Work& work, const StepProfile& profile) {
  const Prediction one = of_oida(cluster, work, profile, 1);
  return smallest_hiding_interleave({one.exchange_s}, {work.step_s});
}

class Study {
 public:
  explicit Study(const Command& command)
      : command_(command),
        alone_(read_measured(command.measured + "/alone")),
        profile_(
            profile_step(built_in("oceantda9", {9, 15, 15}, 6), static_cast<int>(alone_.batch))),
        work_(work_of(profile_, alone_, read_measured(command.measured + "/pair"),
                      read_measured(command.measured + "/small"))) {
    make_folder(command.out);
  }

  void run() const {
    const auto checks = check();
    std::cout << to_csv(checks) << std::flush;
    write_whole_file(command_.out + "/checks.csv", to_csv(checks));
    const auto points = extrapolate();
    write_whole_file(command_.out + "/model.csv", to_csv(points));
    write_whole_file(command_.out + "/model.md", to_markdown(work_, kSamples, checks, points));
    const std::string why = draw_model(command_.out, points);
    if (!why.empty()) throw Error(command_.out, why);
  }

 private:
  std::vector<Check> check() const;
  Check compare(const Measured& real, double mbit, double link_share) const;
  Check fit(const Measured& real, double mbit) const;
  std::vector<Point> extrapolate() const;
  Point predict_point(const Cluster& cluster, bool waits_each_step) const;
  /// Of a unit that computes `faster` times as fast; messages cost what they cost here.
  Work faster_work() const;

  Command command_;
  Measured alone_;
  StepProfile profile_;
  Work work_;
};

/// The nodes that were measured share the cores of one machine with the work that its kernel has
/// for their messages, so what a step takes there is taken from the run itself: what is checked is
/// what the exchange adds to it.
Check Study::compare(const Measured& real, double mbit, double link_share) const {
  const LinkSpeed links{.bytes_per_s = link_share * 1e6 * mbit / kBitsOfByte * kPayloadInQueue,
                        .latency_s = kLatencyHere_s,
                        .burst_bytes = kBurst_bytes,
                        .in_bytes_per_s = kUnshaped_bytes_per_s,
                        .asked_for = false};
  Work work = work_;
  work.step_s = real.compute_s / real.steps;
  const Cluster cluster{real.nodes, links};
  const Loop loop =
      real.waits_each_step ? allreduce_loop(profile_) : oida_loop(profile_, real.interleave);
  Prediction model = predict(cluster, work, loop, rounds_for(real.nodes));
  if (!real.waits_each_step) {
    model = with_final_mean(model, real.steps, cluster, work, profile_);
  }
  return {.real = real, .mbit = mbit, .link_share = link_share, .model = model};
}

/// The share of the links at which the model takes as long as the real run.
Check Study::fit(const Measured& real, double mbit) const {
  double low = 0.1, high = 2;
  for (int i = 0; i < 20; ++i) {
    const double middle = std::sqrt(low * high);
    (compare(real, mbit, middle).difference() > 0 ? low : high) = middle;
  }
  Check check = compare(real, mbit, std::sqrt(low * high));
  check.fitted = true;
  return check;
}

/// Runs with the rate of their links in a file `rate_mbit`: those of allreduce are fitted, the
/// others predicted with the share of the links that was found there.
std::vector<Check> Study::check() const {
  std::vector<Check> checks;
  std::vector<std::pair<Measured, double>> runs;
  for (const auto& entry : fs::directory_iterator(command_.measured)) {
    const fs::path rate = entry.path() / "rate_mbit";
    if (fs::exists(rate))
      runs.emplace_back(read_measured(entry.path()), std::stod(read_whole_file(rate)));
  }
  std::ranges::sort(runs, {}, [](const auto& run) {
    return std::tuple(run.second, run.first.nodes, !run.first.waits_each_step,
                      run.first.interleave);
  });
  for (const auto& [real, mbit] : runs) {
    if (real.waits_each_step) {
      checks.push_back(fit(real, mbit));
    } else if (!checks.empty()) {
      checks.push_back(compare(real, mbit, checks.back().link_share));
    }
  }
  return checks;
}

Work Study::faster_work() const {
  Work work = work_;
  work.step_s /= command_.faster;
  work.merge_s /= command_.faster;
  return work;
}

Point Study::predict_point(const Cluster& cluster, bool waits_each_step) const {
  const Work work = faster_work();
  Point point;
  point.waits_each_step = waits_each_step;
  point.nodes = cluster.nodes;
  if (!waits_each_step) point.interleave = automatic_interleave(cluster, work, profile_);
  const Loop loop =
      waits_each_step ? allreduce_loop(profile_) : oida_loop(profile_, point.interleave);
  point.model = predict(cluster, work, loop, rounds_for(cluster.nodes));
  point.time_s = kSamples / alone_.batch / cluster.nodes * point.model.step_s;
  return point;
}

std::vector<Point> Study::extrapolate() const {
  std::vector<Point> points;
  for (const Rate& rate : kRates) {
    const LinkSpeed links{.bytes_per_s = 1e9 * rate.gbit / kBitsOfByte * kPayload,
                          .latency_s = rate.latency_s,
                          .asked_for = rate.rdma};
    for (const bool waits : {false, true}) {
      double one_s = 0;
      for (int nodes = 1; nodes <= command_.most_nodes; nodes *= 2) {
        Point point = predict_point({nodes, links}, waits);
        if (nodes == 1) one_s = point.model.step_s;
        point.gbit = rate.gbit;
        point.efficiency = one_s / point.model.step_s;
        points.push_back(point);
      }
    }
  }
  return points;
}

}  // namespace
}  // namespace oida::perf

int main(int argc, char** argv) {
  try {
    oida::perf::Study(oida::perf::read_command(argc, argv)).run();
    return 0;
  } catch (const oida::Error& error) {
    std::cerr << "oida_scaling_model: error: " << error.message() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "oida_scaling_model: error: " << error.what() << '\n';
  }
  return 2;
}
