#include "io/run/run_directory.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/testing.hpp"

namespace oida {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class RunFolder : public ::testing::Test {
 protected:
  RunFolder() : path_(temp_ / "runs/demo") { ::unsetenv("SLURM_JOB_ID"); }
  ~RunFolder() override { ::unsetenv("SLURM_JOB_ID"); }

  std::string lock() const { return path_ + "/lock"; }
  /// A lock as a run of this process leaves it, changed by `edit`.
  void leave_lock(const std::function<void(Json&)>& edit) {
    Json json;
    {
      const RunDirectory run(path_);
      json = Json::parse(testing::read_text(lock()));
    }
    edit(json);
    testing::write_text(lock(), json.dump());
  }
  void age_lock(int seconds) {
    fs::last_write_time(lock(), fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }

  testing::TempFolder temp_;
  std::string path_;
};

TEST_F(RunFolder, is_made_and_its_lock_given_back) {
  {
    const RunDirectory run(path_);
    EXPECT_EQ(run.path(), path_);
    EXPECT_EQ(run.file("x"), path_ + "/x");
    EXPECT_EQ(testing::files_in(path_), std::vector<std::string>{"lock"});
  }
  EXPECT_TRUE(testing::files_in(path_).empty());
}

TEST_F(RunFolder, says_who_holds_it) {
  ::setenv("SLURM_JOB_ID", "41", 1);
  const RunDirectory run(path_);
  ::setenv("SLURM_JOB_ID", "42", 1);
  testing::expect_refusal([&] { RunDirectory second(path_); },
                          {path_, "in use by process " + std::to_string(::getpid()), "job 41"});
  EXPECT_EQ(testing::files_in(path_), std::vector<std::string>{"lock"});
}

TEST_F(RunFolder, of_a_process_that_is_gone_is_free) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  leave_lock([&](Json& json) { json["pid"] = child; });
  const RunDirectory run(path_);
}

TEST_F(RunFolder, of_a_dead_process_that_nobody_waited_for_is_free) {
  const pid_t child = ::fork();
  if (child == 0) {
    new RunDirectory(path_);  // never given back
    ::_exit(0);
  }
  siginfo_t end{};
  ::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT);
  const RunDirectory run(path_);
  ::waitpid(child, nullptr, 0);
}

TEST_F(RunFolder, of_an_earlier_process_of_the_same_number_is_free) {
  leave_lock([](Json& json) { json["start"] = "1"; });
  const RunDirectory run(path_);
}

TEST_F(RunFolder, of_another_host_is_held_until_its_heart_stops) {
  leave_lock([](Json& json) { json["host"] = "elsewhere"; });
  age_lock(55);
  testing::expect_refusal([&] { RunDirectory run(path_); }, {"on elsewhere", "last seen 5"});
  age_lock(61);
  const RunDirectory run(path_);
}

TEST_F(RunFolder, of_the_same_job_is_free) {
  ::setenv("SLURM_JOB_ID", "7", 1);
  leave_lock([](Json& json) { json["host"] = "elsewhere"; });
  ::setenv("SLURM_JOB_ID", "8", 1);
  testing::expect_refusal([&] { RunDirectory run(path_); }, {"job 7"});
  ::setenv("SLURM_JOB_ID", "7", 1);
  const RunDirectory run(path_);
}

TEST_F(RunFolder, with_a_lock_that_says_nothing_is_held_for_a_minute) {
  testing::write_text(lock(), "nonsense");
  testing::expect_refusal([&] { RunDirectory run(path_); }, {path_, "in use"});
  age_lock(61);
  const RunDirectory run(path_);
}

TEST_F(RunFolder, taken_over_by_another_is_left_to_it) {
  {
    RunDirectory run(path_);
    testing::write_text(lock(), "another's");
  }
  EXPECT_EQ(testing::read_text(lock()), "another's");
}

TEST_F(RunFolder, is_taken_by_one_of_many) {
  leave_lock([](Json& json) { json["start"] = "1"; });
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const RunDirectory run(path_);
        ::usleep(300000);
        ::_exit(0);
      } catch (const Error&) {
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  int winners = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    winners += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  EXPECT_EQ(winners, 1);
}

TEST_F(RunFolder, that_cannot_be_made_names_its_key) {
  testing::write_text(temp_ / "file", "");
  testing::expect_refusal([&] { RunDirectory run(temp_ / "file/run"); },
                          {"run.dir", temp_ / "file/run", "Not a directory"});
  testing::expect_refusal([&] { RunDirectory run("/proc/none"); }, {"run.dir", "/proc/none"});
}

TEST_F(RunFolder, writes_whole_files_or_keeps_the_old) {
  RunDirectory run(path_);
  run.write_text("a.txt", "first");
  EXPECT_EQ(testing::read_text(run.file("a.txt")), "first");
  fs::create_directories(run.file("a.txt.part"));
  testing::expect_error([&] { run.write_text("a.txt", "second"); }, {"a.txt"});
  EXPECT_EQ(testing::read_text(run.file("a.txt")), "first");
}

TEST_F(RunFolder, names_a_file_that_finds_no_room) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  RunDirectory run(path_);
  fs::create_symlink("/dev/full", run.file("a.txt.part"));
  testing::expect_error([&] { run.write_text("a.txt", "text"); }, {"a.txt", "No space left"});
  EXPECT_FALSE(fs::exists(run.file("a.txt")));
}

TEST_F(RunFolder, marks_how_a_run_ended) {
  RunDirectory run(path_);
  EXPECT_FALSE(is_done(path_));
  run.mark_failed("a reason");
  EXPECT_EQ(testing::read_text(run.file("FAILED")), "a reason\n");
  EXPECT_FALSE(is_done(path_));
  run.mark_done();
  EXPECT_TRUE(is_done(path_));
  EXPECT_FALSE(fs::exists(run.file("FAILED")));
  run.mark_failed("again");
  run.clear_marks();
  EXPECT_FALSE(fs::exists(run.file("FAILED")));
}

TEST_F(RunFolder, is_used_with_metrics_or_checkpoints) {
  EXPECT_FALSE(is_used(path_));
  RunDirectory run(path_);
  run.write_text("run.json", "{}");
  EXPECT_FALSE(is_used(path_));
  testing::write_text(run.file("checkpoints/round-1.h5"), "");
  EXPECT_TRUE(is_used(path_));
  fs::remove_all(run.file("checkpoints"));
  run.write_metrics({});
  EXPECT_TRUE(is_used(path_));
}

TEST_F(RunFolder, metrics_have_the_columns_of_the_contract) {
  RunDirectory run(path_);
  run.write_metrics({{1, 20, 1280, 0.1, 1.5, std::nan(""), 0.25, 2, 1e-3, true},
                     {2, 40, 2560, 1.0 / 3, 1, 2, 0.5, 2, 5e-324, false}});
  EXPECT_EQ(testing::read_text(run.file("metrics.csv")),
            "round,step,samples,wall_s,train_loss,validation_loss,oa,interleave,learning_rate,"
            "optimum\n"
            "1,20,1280,0.1,1.5,nan,0.25,2,0.001,1\n"
            "2,40,2560,0.3333333333333333,1,2,0.5,2,5e-324,0\n");
}

}  // namespace
}  // namespace oida
