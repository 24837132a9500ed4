#include "io/run/run_lock.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/files.hpp"

namespace oida {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kStaleHeartbeat_s = 60;
constexpr int kTries = 10;

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string job_id() {
  const char* job = std::getenv("SLURM_JOB_ID");
  return job == nullptr ? "" : job;
}

/// Start of a process in clock ticks since boot (proc(5), field 22 of stat): tells it from a later
/// one of the same number. Empty when there is no such process, or when it is dead and only waits
/// for its parent to ask for its end (a zombie, as a killed job leaves for a while).
std::string process_start(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string stat = text.str();
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  fields >> field;  // number 3, the state
  if (field == "Z" || field == "X") return "";
  for (int number = 4; number <= 22; ++number) fields >> field;
  return field;
}

/// What an existing lock says; empty strings and 0 where it cannot be read.
struct Holder {
  std::string host, start, job;
  long pid = 0;
};

Holder holder_of(const std::string& content) {
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object()) return {};
  try {
    return {json.value("host", ""), json.value("start", ""), json.value("slurm_job_id", ""),
            json.value("pid", 0L)};
  } catch (const Json::exception&) {
    return {};
  }
}

bool is_gone(const Holder& holder) {
  if (holder.host != host_name()) return false;
  if (::kill(static_cast<pid_t>(holder.pid), 0) != 0 && errno == ESRCH) return true;
  return process_start(holder.pid) != holder.start;
}

double changed_s(const struct stat& status) {
  return static_cast<double>(status.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Takes a stale lock away. Should another have taken it over meanwhile, that one gets it back.
void take_away(const std::string& path, const std::string& content, const std::string& aside) {
  if (::rename(path.c_str(), aside.c_str()) != 0) return;
  if (text_of(aside) != content) (void)!::link(aside.c_str(), path.c_str());
  ::unlink(aside.c_str());
}

[[noreturn]] void refuse(const std::string& folder, const Holder& holder, double age_s) {
  std::ostringstream what;
  what << "is in use by process " << holder.pid << " on " << holder.host;
  if (!holder.job.empty()) what << " (job " << holder.job << ")";
  what << ", last seen " << static_cast<long>(age_s) << " s ago";
  throw InputError(folder, what.str());
}

/// Looks at the lock in the way: takes it away when it is stale, else throws. `now_s` is the file
/// server's time.
void settle(const std::string& folder, const std::string& path, const std::string& aside,
            double now_s) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  const std::string content = text_of(path);
  const Holder holder = holder_of(content);
  const double age_s = now_s - changed_s(status);
  const bool same_job = !job_id().empty() && holder.job == job_id();
  if (age_s < kStaleHeartbeat_s && !same_job && !is_gone(holder)) refuse(folder, holder, age_s);
  take_away(path, content, aside);
}

/// The own lock under a name that no other process uses, to be linked into place.
class Candidate {
 public:
  Candidate(const std::string& path, const std::string& content) : path_(path) {
    write_whole_file(path, content);
  }
  ~Candidate() { ::unlink(path_.c_str()); }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  double written_s() const { return changed_s(status()); }

  /// Over NFS the answer to link(2) may get lost, and the call sent again then fails though the
  /// first was carried out: the number of links tells (open(2), O_EXCL).
  bool is_linked() const { return status().st_nlink == 2; }

 private:
  struct stat status() const {
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0) {
      throw Error(path_, "vanished: " + system_error_text(errno));
    }
    return status;
  }

  std::string path_;
};

std::string own_content() {
  const Json json{{"host", host_name()},
                  {"pid", static_cast<long>(::getpid())},
                  {"start", process_start(::getpid())},
                  {"slurm_job_id", job_id()}};
  return json.dump() + "\n";
}

}  // namespace

RunLock::RunLock(const std::string& folder)
    : folder_(folder), path_(folder + "/lock"), content_(own_content()) {
  take();
}

void RunLock::take() {
  const std::string own = path_ + "." + host_name() + "." + std::to_string(::getpid());
  const Candidate candidate(own, content_);
  for (int i = 0; i < kTries; ++i) {
    if (::link(own.c_str(), path_.c_str()) == 0) return;
    const int error = errno;
    if (candidate.is_linked()) return;
    if (error != EEXIST) throw Error(path_, "cannot be made: " + system_error_text(error));
    settle(folder_, path_, own + ".stale", candidate.written_s());
  }
  throw InputError(folder_, "is being taken by several jobs at once");
}

RunLock::~RunLock() {
  if (is_mine()) ::unlink(path_.c_str());
}

bool RunLock::is_mine() const {
  return text_of(path_) == content_;
}

std::string RunLock::beat() {
  const std::string found = text_of(path_);
  if (!found.empty() && found != content_) throw Error(folder_, "was taken over by another job");
  try {
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0 && errno == ENOENT) {
      make_folder(folder_);
      take();
      return folder_ + ": its lock had vanished and was made anew";
    }
    if (::utimensat(AT_FDCWD, path_.c_str(), nullptr, 0) == 0) return "";
    throw Error(path_, "heartbeat cannot be renewed: " + system_error_text(errno));
  } catch (const InputError& error) {
    throw Error(folder_, "was taken over by another job: " + error.message());
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace oida
