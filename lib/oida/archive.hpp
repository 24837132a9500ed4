#pragma once
// What a checkpoint holds, named, and the store that keeps it. The store is implemented by io.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace oida {

/// A set of named arrays and texts; every name is a path-free identifier.
struct Archive {
  /// Arrays over the network's parameters in canonical order (parameters, optimizer slots, optimum,
  /// candidates): written as one group each, <name>/<layer>/weight|bias.
  std::map<std::string, std::vector<float>> parameters;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> texts;

  bool operator==(const Archive&) const = default;
};

/// Checkpoints of one run directory. Each rank writes its own unit file; the common file, written
/// last by rank 0, names the checksums of all unit files and makes the checkpoint complete.
/// No member communicates. Errors: Error naming the file; InputError where a whole file belongs to
/// another network.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;

  /// Writes, syncs and renames; returns the checksum of what was written.
  virtual std::uint64_t write_unit(std::int64_t round, int unit, const Archive& archive) = 0;
  virtual void write_common(std::int64_t round, const Archive& archive,
                            const std::vector<std::uint64_t>& unit_checksums) = 0;
  /// Rounds that have a common file, newest first.
  virtual std::vector<std::int64_t> rounds() const = 0;
  /// Error when a file is missing, truncated or does not match its checksums.
  virtual Archive read_common(std::int64_t round) const = 0;
  virtual Archive read_unit(std::int64_t round, int unit) const = 0;
  /// Units that the checkpoint of `round` was written by.
  virtual int units(std::int64_t round) const = 0;
  /// Takes away what this unit wrote of a checkpoint that did not come to be; never fails.
  virtual void discard(std::int64_t round, int unit) = 0;
  /// Renames the files of a checkpoint so that they are kept, but are none any more (".aside").
  virtual void set_aside(std::int64_t round) = 0;
  /// Removes all but the newest `keep` complete checkpoints.
  virtual void prune(int keep) = 0;
};

}  // namespace oida
