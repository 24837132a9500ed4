#pragma once
// A checkpoint on its way to the disk while training goes on.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "comm/comm.hpp"
#include "oida/archive.hpp"
#include "oida/io_thread.hpp"

namespace oida {

/// All units call the members at the same rounds in the same order:
///   start:    each unit's snapshot goes to its own I/O thread, which writes the unit's file
///   advance:  when the exchange says that all units have settled, all learn each other's outcome;
///             when all files are there, the main node's I/O thread writes the common file, last,
///             and takes old checkpoints away; when that has settled too, all learn how it ended
/// A failure of one unit is one of all: said in one line, and the checkpoint does not count.
/// While a checkpoint is on its way only the I/O thread uses the store.
class CheckpointWriter {
 public:
  /// `store` may be null: nothing is written then. `say` gets the main node's lines.
  CheckpointWriter(Comm& comm, CheckpointStore* store, int keep,
                   std::function<void(const std::string&)> say);

  bool is_idle() const { return stage_ == Stage::idle; }
  /// @pre is_idle(). `common` counts on the main node only.
  void start(std::int64_t round, Archive unit, Archive common);
  /// For the control words: 1 when this unit's part of the present stage has ended.
  float settled() const;
  /// `settled_units`: the sum of settled() over all units in an exchange that began since the last
  /// call.
  void advance(float settled_units);
  /// Collective: waits until the checkpoint on its way is written or has failed.
  void finish();

  /// A whole checkpoint is there to go on from: written here, or told of by found().
  bool has_checkpoint() const { return has_checkpoint_; }
  void found() { has_checkpoint_ = true; }
  /// Collective: whether the store still has one; a folder may have vanished since.
  bool still_has_checkpoint();

 private:
  enum class Stage : std::uint8_t { idle, units, common };
  void end_units();
  void end_common();
  void give_up(const std::string& reason);

  Comm& comm_;
  CheckpointStore* store_;
  int keep_;
  std::function<void(const std::string&)> say_;
  Stage stage_ = Stage::idle;
  std::int64_t round_ = 0;
  Archive common_;
  std::uint64_t checksum_ = 0;    // of the unit's file, by the I/O thread
  bool common_is_there_ = false;  // by the I/O thread
  bool has_checkpoint_ = false;
  std::unique_ptr<IoThread> thread_;
};

}  // namespace oida
