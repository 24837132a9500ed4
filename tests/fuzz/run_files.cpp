#include "fuzz/run_files.hpp"

#include <array>

#include "io/run/checkpoint.hpp"
#include "io/small_model.hpp"

namespace oida::fuzz {
namespace {

constexpr std::int64_t kRound = 7;
constexpr std::array kFiles = {"/checkpoints/round-7.h5", "/checkpoints/round-7.unit-0.h5"};

/// A checkpoint of two units.
struct Run {
  Run() : store(open_checkpoints(folder / "checkpoints", testing::small_network())) {
    Archive archive;
    archive.parameters["x"] = testing::ramp(parameter_count(testing::small_network()), 1);
    archive.numbers["progress"] = {1, 2, 3};
    archive.texts["identity"] = "a=1\n";
    std::vector<std::uint64_t> sums;
    for (int unit = 0; unit < 2; ++unit) sums.push_back(store->write_unit(kRound, unit, archive));
    store->write_common(kRound, archive, sums);
  }

  testing::TempFolder folder;
  std::unique_ptr<CheckpointStore> store;
};

const Run& run() {
  static const Run made;
  return made;
}

void read_all(const CheckpointStore& store) {
  for (const auto round : store.rounds()) {
    store.read_common(round);
    for (int unit = 0; unit < store.units(round); ++unit) store.read_unit(round, unit);
  }
}

}  // namespace

std::vector<std::string> model_seeds() {
  const testing::TempFolder folder;
  write_model(folder / "model.h5", testing::small_model());
  return {testing::read_text(folder / "model.h5")};
}

void read_model_file(const std::string& bytes) {
  static const testing::TempFolder folder;
  testing::write_text(folder / "model.h5", bytes);
  read_model(folder / "model.h5");
}

std::vector<std::string> checkpoint_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    seeds.push_back(static_cast<char>(i) + testing::read_text(run().folder.path() + kFiles[i]));
  }
  return seeds;
}

void read_checkpoint_file(const std::string& bytes) {
  if (bytes.empty()) return;
  const std::string file =
      run().folder.path() + kFiles[static_cast<unsigned char>(bytes[0]) % kFiles.size()];
  const std::string whole = testing::read_text(file);
  testing::write_text(file, bytes.substr(1));
  try {
    read_all(*run().store);
  } catch (...) {
    testing::write_text(file, whole);
    throw;
  }
  testing::write_text(file, whole);
}

}  // namespace oida::fuzz
