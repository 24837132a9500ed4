#pragma once
// A checkpoint on its way to the disk while training goes on.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "oida/archive.hpp"
#include "oida/io_thread.hpp"

namespace oida {

/// Nobody waits for a checkpoint:
///   start:    each unit's snapshot goes to its own I/O thread, which writes the unit's file
///   advance:  a unit whose file is there, or is not, tells the main node; when all files are
///   there,
///             the main node's I/O thread writes the common file, last, and takes old checkpoints
///             away; how it ended goes to all as a control word
/// A failure of one unit is one of all: said in one line, and the checkpoint does not count.
/// While a checkpoint is on its way only the I/O thread uses the store and what it is made from.
class CheckpointWriter {
 public:
  using MakeArchive = std::function<Archive()>;

  /// Collective. `store` may be null on all units: nothing is written then. `say` gets the main
  /// node's lines.
  CheckpointWriter(Comm& comm, CheckpointStore* store, int keep,
                   std::function<void(const std::string&)> say);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// The same on all units.
  bool is_idle() const { return stage_ == Stage::idle; }
  /// All units, at the same round. What to write is made on the I/O thread; `common` counts on the
  /// main node only.
  /// @pre is_idle()
  void start(std::int64_t round, MakeArchive unit, MakeArchive common);
  /// For the control words: how the checkpoint on its way ended, once, on the main node.
  float ending() const { return ending_; }
  /// All units, after every round, with the sum of ending() over them.
  void advance(float ending);
  /// Collective: waits until the checkpoint on its way is written or has failed.
  void finish();

  /// A whole checkpoint is there to go on from: written here, or told of by found().
  bool has_checkpoint() const { return has_checkpoint_; }
  void found() { has_checkpoint_ = true; }
  /// Collective: whether the store still has one; a folder may have vanished since.
  bool still_has_checkpoint();

 private:
  enum class Stage : std::uint8_t { idle, unit, told, common };
  void move_on();
  void tell();
  void note(int unit, std::uint64_t checksum, bool there);
  void collect();
  void write_common();
  void end(bool written);
  void give_up();

  Comm& comm_;
  CheckpointStore* store_;
  int keep_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<Mailbox> mailbox_;  // to the main node; null where there is nobody to tell
  Stage stage_ = Stage::idle;
  std::int64_t round_ = 0;
  float ending_ = 0;
  bool has_checkpoint_ = false;

  // By the I/O thread.
  std::uint64_t checksum_ = 0;
  bool unit_is_there_ = false, common_is_there_ = false;

  // On the main node.
  MakeArchive common_;
  std::vector<std::uint64_t> checksums_;  // of the units' files
  int told_ = 0, missing_ = 0;            // units

  std::unique_ptr<IoThread> thread_;
};

}  // namespace oida
