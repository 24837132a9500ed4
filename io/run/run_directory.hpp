#pragma once
// The folder of one run: its lock, its marks and the small files in it.

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "data/classes.hpp"
#include "nn/metrics.hpp"
#include "oida/records.hpp"

namespace oida {

class RunLock;

/// Rank 0's hold on a run directory. The lock (a file with host, process, job and heartbeat) is
/// given back on destruction; it is stale when its process is gone on this host, when it bears this
/// job's SLURM_JOB_ID, or when its heartbeat (the file's time of change) is 60 s old.
class RunDirectory {
 public:
  /// Makes the folder where it is missing. InputError when it cannot be written or is held by a
  /// living job.
  explicit RunDirectory(const std::string& path);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// Renews the lock's heartbeat when it is older than 10 s; returns what stands in the way of it,
  /// nothing when all is well. Error when another job has taken it.
  std::string beat();
  /// Whole-file writes: beside, synced, renamed. Error naming the file.
  void write_text(const std::string& name, const std::string& text);
  void write_json(const std::string& name, const nlohmann::ordered_json& json);
  void write_metrics(const std::vector<MetricsRow>& rows);
  void mark_done();
  void mark_failed(const std::string& reason);
  /// Takes away FAILED of an earlier try.
  void clear_marks();

 private:
  std::string path_;
  std::unique_ptr<RunLock> lock_;
  double beaten_s_ = 0;
};

/// Looks only, takes no lock.
bool is_done(const std::string& path);
/// Checkpoints or metrics of an earlier run are there.
bool is_used(const std::string& path);

/// Indented, with a line feed at the end; NaN and infinities are null.
std::string to_text(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const Timing& timing);

/// What test.json says.
struct TestRecord {
  Scores scores;
  Confusion confusion;
  ClassTable classes;
  std::string split_kind;
  bool leaky = false;  // a pixel of a test patch can also stand in a training patch
  std::vector<std::string> warnings;
  std::vector<BlockScore> blocks = {};  // of the split, those with test samples
};

/// {n, oa, oa_standard_error, aa, kappa, f1_macro, miou, split {kind, leaky}, classes [{name,
/// samples, recall, precision, f1, iou}], confusion [truth][predicted], blocks [{scene, row, col,
/// rows, cols, samples, correct}], warnings []}; the standard error is block_standard_error().
nlohmann::ordered_json to_json(const TestRecord& record);

/// Chrome trace events of all ranks, for Perfetto; `events[rank]`.
void write_trace(const std::string& path, const std::vector<std::vector<TraceEvent>>& events);

}  // namespace oida
