#pragma once
// One thread that writes files while the others compute.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace oida {

/// Does one job at a time, in the order given, kNicer than the thread that made it: where cores are
/// short it gets 3 % of one (a weight of 36 beside 1024, sched(7)). What a job frees goes back to
/// the system (malloc_trim(3)): jobs go on for weeks, and the holes between their buffers would add
/// up. HDF5 is not thread-safe: whoever uses it beside this thread calls wait() first.
class IoThread {
 public:
  static constexpr int kNicer = 15;

  IoThread();
  /// Ends the job that it has, then the thread.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  /// @pre is_idle()
  void start(std::function<void()> job);
  bool is_idle() const;
  /// Until the job has ended; the text of what it threw, empty when it went well or there was none.
  std::string wait();

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  std::string error_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace oida
