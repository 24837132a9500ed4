#include "oida/checkpoint_writer.hpp"

#include <array>
#include <span>
#include <utility>

namespace oida {

namespace {

constexpr float kWritten = 1.0F;
constexpr float kNotWritten = 2.0F;

/// What a unit tells: a mark, 1 when its file is there, and the file's checksum in pieces that a
/// float holds exactly.
constexpr std::size_t kPieces = 4;
constexpr int kPieceBits = 16;
constexpr std::size_t kMessage = 1 + kPieces;

void put(bool there, std::uint64_t checksum, std::span<float> into) {
  into[0] = there ? 1.0F : 0.0F;
  for (std::size_t i = 0; i < kPieces; ++i) {
    into[1 + i] = static_cast<float>(static_cast<std::uint16_t>(checksum));
    checksum >>= kPieceBits;
  }
}

std::uint64_t checksum_in(std::span<const float> message) {
  std::uint64_t checksum = 0;
  for (std::size_t i = kPieces; i > 0; --i) {
    checksum = checksum << kPieceBits | static_cast<std::uint64_t>(message[i]);
  }
  return checksum;
}

}  // namespace

CheckpointWriter::CheckpointWriter(Comm& comm, CheckpointStore* store, int keep,
                                   std::function<void(const std::string&)> say)
    : comm_(comm), store_(store), keep_(keep), say_(std::move(say)) {
  if (store == nullptr) return;
  if (comm.size() > 1) mailbox_ = comm.make_mailbox(kMessage);
  thread_ = std::make_unique<IoThread>();
}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::start(std::int64_t round, MakeArchive unit, MakeArchive common) {
  if (store_ == nullptr) return;
  round_ = round;
  stage_ = Stage::unit;
  unit_is_there_ = common_is_there_ = false;
  common_ = std::move(common);
  checksums_.assign(static_cast<std::size_t>(comm_.size()), 0);
  told_ = missing_ = 0;
  thread_->start([this, make = std::move(unit)] {
    checksum_ = store_->write_unit(round_, comm_.rank(), make());
    unit_is_there_ = true;
  });
}

void CheckpointWriter::advance(float ending) {
  if (ending > 0) {
    end(ending == kWritten);
  } else {
    move_on();
  }
}

void CheckpointWriter::move_on() {
  if (stage_ == Stage::unit && thread_->is_idle()) tell();
  if (comm_.rank() != 0) return;
  if (stage_ == Stage::told) collect();
  if (stage_ == Stage::common && thread_->is_idle()) {
    ending_ = common_is_there_ ? kWritten : kNotWritten;
  }
}

void CheckpointWriter::tell() {
  stage_ = Stage::told;
  if (comm_.rank() == 0) {
    note(0, checksum_, unit_is_there_);
  } else {
    put(unit_is_there_, checksum_, mailbox_->outgoing(0));
    mailbox_->post(0);
  }
}

void CheckpointWriter::note(int unit, std::uint64_t checksum, bool there) {
  checksums_[static_cast<std::size_t>(unit)] = checksum;
  ++told_;
  if (!there) ++missing_;
}

void CheckpointWriter::collect() {
  while (mailbox_ != nullptr) {
    const auto unit = mailbox_->take();
    if (!unit) break;
    const auto message = mailbox_->incoming(*unit);
    note(*unit, checksum_in(message), message[0] == 1.0F);
  }
  if (told_ < comm_.size()) return;
  if (missing_ == 0) {
    write_common();
  } else {
    ending_ = kNotWritten;
  }
}

void CheckpointWriter::write_common() {
  stage_ = Stage::common;
  thread_->start([this] {
    store_->write_common(round_, common_(), checksums_);
    common_is_there_ = true;
    store_->prune(keep_);
  });
}

void CheckpointWriter::end(bool written) {
  ending_ = 0;
  stage_ = Stage::idle;
  if (!written) return give_up();
  has_checkpoint_ = true;
  const std::string failure = thread_->wait();
  if (!failure.empty()) say_("an old checkpoint stays: " + failure);
}

void CheckpointWriter::give_up() {
  const std::string failure = thread_->wait();
  try {
    collectively(comm_, [&] {
      if (!failure.empty()) throw Error::from_message(failure, Exit::failed);
    });
  } catch (const AgreedError& error) {
    store_->discard(round_, comm_.rank());
    say_("checkpoint of round " + std::to_string(round_) + " not written: " + error.what());
  }
}

void CheckpointWriter::finish() {
  if (is_idle()) return;
  thread_->wait();
  move_on();
  if (mailbox_ != nullptr && comm_.rank() == 0) {
    mailbox_->wait([this] {
      if (stage_ == Stage::told) collect();
      return told_ == comm_.size();
    });
  }
  thread_->wait();
  move_on();
  std::vector<double> ending{static_cast<double>(ending_)};
  comm_.sum(ending);
  end(ending.front() == static_cast<double>(kWritten));
}

bool CheckpointWriter::still_has_checkpoint() {
  if (store_ == nullptr || !has_checkpoint_) return false;
  has_checkpoint_ = comm_.broadcast(store_->rounds().empty() ? "" : "some", 0) == "some";
  return has_checkpoint_;
}

}  // namespace oida
