#pragma once
// The lock of a run directory: a file made by link(2), which is atomic on network file systems too.

#include <string>

namespace oida {

/// Held from construction to destruction. See RunDirectory for when a lock is stale.
class RunLock {
 public:
  /// InputError naming `folder` when a living job holds it; Error when it cannot be made.
  explicit RunLock(const std::string& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Renews the heartbeat (the file's time of change), and takes the lock again where its file has
  /// vanished with its folder; returns what stands in the way of it, nothing when all is well.
  /// Error when another job has taken the lock.
  std::string beat();

 private:
  void take();
  bool is_mine() const;

  std::string folder_;
  std::string path_;
  std::string content_;
};

}  // namespace oida
