#include "oida/checkpoint_writer.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace oida {

CheckpointWriter::CheckpointWriter(Comm& comm, CheckpointStore* store, int keep,
                                   std::function<void(const std::string&)> say)
    : comm_(comm),
      store_(store),
      keep_(keep),
      say_(std::move(say)),
      thread_(store == nullptr ? nullptr : std::make_unique<IoThread>()) {}

void CheckpointWriter::start(std::int64_t round, Archive unit, Archive common) {
  if (store_ == nullptr) return;
  round_ = round;
  common_ = std::move(common);
  stage_ = Stage::units;
  thread_->start([this, archive = std::move(unit)] {
    checksum_ = store_->write_unit(round_, comm_.rank(), archive);
  });
}

float CheckpointWriter::settled() const {
  return thread_ == nullptr || thread_->is_idle() ? 1.0F : 0.0F;
}

void CheckpointWriter::advance(float settled_units) {
  if (stage_ == Stage::idle || settled_units < static_cast<float>(comm_.size())) return;
  if (stage_ == Stage::units) {
    end_units();
  } else {
    end_common();
  }
}

void CheckpointWriter::end_units() {
  const std::string failure = thread_->wait();
  std::vector<std::uint64_t> sums;
  try {
    collectively(comm_, [&] {
      if (!failure.empty()) throw Error::from_message(failure, Exit::failed);
    });
    for (const auto& text : comm_.gather(std::to_string(checksum_))) {
      sums.push_back(std::stoull(text));
    }
  } catch (const AgreedError& error) {
    give_up(error.what());
    return;
  }
  stage_ = Stage::common;
  common_is_there_ = false;
  if (comm_.rank() != 0) return;
  thread_->start([this, archive = std::move(common_), checksums = std::move(sums)] {
    store_->write_common(round_, archive, checksums);
    common_is_there_ = true;
    store_->prune(keep_);
  });
}

void CheckpointWriter::end_common() {
  const std::string failure = thread_->wait();
  try {
    collectively(comm_, [&] {
      if (comm_.rank() == 0 && !common_is_there_) throw Error::from_message(failure, Exit::failed);
    });
    if (!failure.empty()) say_("an old checkpoint stays: " + failure);
    has_checkpoint_ = true;
    stage_ = Stage::idle;
  } catch (const AgreedError& error) {
    give_up(error.what());
  }
}

void CheckpointWriter::give_up(const std::string& reason) {
  stage_ = Stage::idle;
  common_ = {};
  store_->discard(round_, comm_.rank());
  say_("checkpoint of round " + std::to_string(round_) + " not written: " + reason);
}

void CheckpointWriter::finish() {
  if (stage_ == Stage::units) end_units();
  if (stage_ == Stage::common) end_common();
}

bool CheckpointWriter::still_has_checkpoint() {
  if (store_ == nullptr || !has_checkpoint_) return false;
  has_checkpoint_ = comm_.broadcast(store_->rounds().empty() ? "" : "some", 0) == "some";
  return has_checkpoint_;
}

}  // namespace oida
