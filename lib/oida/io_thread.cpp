#include "oida/io_thread.hpp"

#include <exception>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>

namespace oida {

namespace {

/// Of the calling thread alone, as Linux does it. Without it files are written all the same.
void be_nice() {
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + IoThread::kNicer);
}

}  // namespace

IoThread::IoThread() : thread_([this] { work(); }) {}

IoThread::~IoThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void IoThread::start(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    error_.clear();
    busy_ = true;
  }
  changed_.notify_all();
}

bool IoThread::is_idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

std::string IoThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  return error_;
}

void IoThread::work() {
  be_nice();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return busy_ || ending_; });
    if (!busy_) return;
    lock.unlock();
    std::string error;
    try {
      job_();
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    job_ = nullptr;  // with all that it holds
    malloc_trim(0);
    lock.lock();
    error_ = std::move(error);
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace oida
