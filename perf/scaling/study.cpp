#include "scaling/study.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "io/report/report_files.hpp"
#include "workload.hpp"

namespace oida::perf {
namespace {

/// lib/oida: words that travel with the parameters, floats of a bucket of gradients.
constexpr std::size_t kControlWords = 8, kBucketFloats = std::size_t{1} << 18;
constexpr int kProfiledSteps = 24;
/// ln of a log-normal quantity lies this many standard deviations above its median at 95 %.
constexpr double kDeviationsAt95 = 1.6449;

double mean_of(const nlohmann::ordered_json& ranks, const char* key) {
  double sum = 0;
  for (const auto& rank : ranks) sum += rank.at(key).get<double>();
  return sum / static_cast<double>(ranks.size());
}

Batch random_batch(const Engine& engine, int n) {
  Batch batch = make_batch(engine);
  batch.n = n;
  Random random(1, Purpose::test);
  for (float& value : batch.input) value = random.uniform();
  const auto classes = static_cast<std::uint32_t>(engine.network().classes);
  for (auto& label : batch.labels) label = static_cast<std::int32_t>(random.below(classes));
  return batch;
}

/// The rank that came last waited for nobody.
double least_of(const nlohmann::ordered_json& ranks, const char* key) {
  double least = ranks.front().at(key).get<double>();
  for (const auto& rank : ranks) least = std::min(least, rank.at(key).get<double>());
  return least;
}

double mean_step_s(const nlohmann::ordered_json& ranks, const char* key) {
  double sum = 0;
  for (const auto& rank : ranks) sum += 1e-3 * rank.at("step_ms").at(key).get<double>();
  return sum / static_cast<double>(ranks.size());
}

}  // namespace

Measured read_measured(const std::string& run) {
  const RunFiles files = read_run_files(run);
  Measured measured;
  measured.name = std::filesystem::path(run).filename().string();
  try {
    const auto& timing = files.timing;
    const auto& ranks = timing.at("per_rank");
    measured.waits_each_step = timing.at("exchange") == "allreduce";
    measured.nodes = timing.at("nodes").get<int>();
    measured.interleave = timing.at("interleave").get<int>();
    const double global_batch = files.run.at("steps").at("global_batch").get<double>();
    measured.batch = global_batch / timing.at("ranks").get<double>();
    measured.steps = timing.at("samples").get<double>() / global_batch;
    measured.exchanges = timing.at("exchanges").get<double>();
    measured.bytes_per_exchange = timing.at("bytes_per_exchange").get<double>();
    measured.train_s = timing.at("train_s").get<double>();
    measured.least_exposed_s = least_of(ranks, "exposed_s");
    measured.compute_s = mean_of(ranks, "compute_s") + mean_of(ranks, "data_wait_s");
    measured.other_s = mean_of(ranks, "other_s");
    measured.idle_share = timing.at("idle_share").get<double>();
    measured.median_s = mean_step_s(ranks, "median");
    measured.p95_s = mean_step_s(ranks, "p95");
  } catch (const nlohmann::json::exception& error) {
    throw Error(run, std::string("no finished run: ") + error.what());
  }
  return measured;
}

StepProfile profile_step(const Network& network, int batch) {
  EngineOptions options;
  options.threads = 1;
  options.max_batch = batch;
  const auto engine = make_engine(network, options);
  const Batch samples = random_batch(*engine, batch);
  AlignedVector<float> parameters(engine->flat_size()), gradient(engine->flat_size());
  engine->import_flat(initial_parameters(network, 1), parameters);
  StepProfile profile;
  profile.floats = engine->flat_size();
  std::vector<std::vector<double>> shares;  // of each poll
  for (int s = 0; s < kProfiledSteps; ++s) {
    std::vector<double> times_s;
    std::vector<std::size_t> firsts;
    const double began_s = now_s();
    engine->step(samples, parameters, gradient, [&](std::size_t ready_from) {
      times_s.push_back(now_s() - began_s);
      firsts.push_back(ready_from);
    });
    const double step_s = now_s() - began_s;
    shares.resize(times_s.size());
    profile.polls = static_cast<int>(times_s.size()) + 1;
    profile.ready.resize(times_s.size());
    for (std::size_t p = 0; p < times_s.size(); ++p) {
      shares[p].push_back(times_s[p] / step_s);
      profile.ready[p] = {firsts[p], median(shares[p])};
    }
  }
  profile.ready.push_back({0, 1.0});
  return profile;
}

Work work_of(const StepProfile& profile, const Measured& alone, const Measured& pair,
             const Measured& small) {
  constexpr double kMessages = 4, kWays = 2;
  Work work;
  work.polls = profile.polls;
  work.step_s = alone.compute_s / alone.steps;
  work.spread = std::log(alone.p95_s / alone.median_s) / kDeviationsAt95;
  work.merge_s =
      std::max(0.0, pair.other_s / pair.exchanges - pair.interleave * alone.other_s / alone.steps);
  work.message_s = small.least_exposed_s / small.exchanges / kMessages;
  work.byte_s = pair.least_exposed_s / pair.exchanges / (kWays * pair.bytes_per_exchange);
  return work;
}

Loop oida_loop(const StepProfile& profile, int interleave) {
  Loop loop;
  loop.interleave = interleave;
  loop.arrays = {{profile.floats + kControlWords, 0}};
  return loop;
}

Prediction with_final_mean(const Prediction& rounds, double steps, const Cluster& cluster,
                           const Work& work, const StepProfile& profile) {
  Loop loop = oida_loop(profile, 1);
  loop.waits_each_step = true;
  Work nothing = work;
  nothing.step_s = nothing.merge_s = nothing.spread = 0;
  nothing.polls = 1;
  const double final_s = predict(cluster, nothing, loop, 2).step_s;
  Prediction all = rounds;
  const double rounds_s = rounds.step_s * steps;
  all.step_s = (rounds_s + final_s) / steps;
  all.idle_share = (rounds.idle_share * rounds_s + final_s) / (rounds_s + final_s);
  return all;
}

Loop allreduce_loop(const StepProfile& profile) {
  Loop loop;
  loop.waits_each_step = true;
  std::size_t unsent = profile.floats;
  for (const auto& [first, share] : profile.ready) {
    if (loop.arrays.empty() && unsent >= first + kBucketFloats) {
      loop.arrays.push_back({kControlWords, share});
    }
    for (; unsent >= first + kBucketFloats; unsent -= kBucketFloats) {
      loop.arrays.push_back({kBucketFloats, share});
    }
  }
  if (loop.arrays.empty()) loop.arrays.push_back({kControlWords, 1.0});
  if (unsent > 0) loop.arrays.push_back({unsent, 1.0});
  return loop;
}

}  // namespace oida::perf
