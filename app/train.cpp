// oida train: from a deck to a run directory.

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "core/clock.hpp"
#include "io/run/run_directory.hpp"
#include "stop_signal.hpp"
#include "training_run.hpp"
#include "unit_batches.hpp"

namespace oida::app {

namespace {

bool help_wanted(const Arguments& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--help") != arguments.end();
}

std::string help() {
  return "oida train DECK.ini [--section.key=value ...] [--check] [--dry-run]\n\n"
         "Trains the deck's network on all ranks and fills the run directory. The command line\n"
         "beats the deck, the deck beats the deck that it names in [deck] base, that beats the\n"
         "defaults; relative paths start at the deck's folder.\n"
         "--check prints the resolved deck and the plan and stops; --dry-run makes two rounds.\n"
         "Exit codes: 0 done, 1 failed, 2 bad usage, deck or input, 75 stopped with a checkpoint:\n"
         "start it again.\n\n" +
         deck_help();
}

PreparedRun prepare_run(Comm& comm, Deck deck) {
  PreparedRun run;
  run.deck = std::move(deck);
  run.place = place_ranks(comm, device_options(run.deck));
  run.data = prepare(comm, run.deck);
  const auto batches = unit_batches(comm, run.deck, run.data, run.place);
  const std::vector<std::int64_t> alike(batches.size(), 1);
  deal(comm, run.deck, run.data, run.deck.data.shard_weights == "measured" ? batches : alike);
  collectively(comm, [&] {
    run.plan = make_plan(comm, run.deck, run.data, batches);
    auto options = engine_options(device_options(run.deck), run.place, run.plan.batch);
    options.class_weights = class_weights(run.deck, run.data);
    options.label_smoothing = static_cast<float>(run.deck.train.label_smoothing);
    run.engine = make_engine(make_network(run.deck, run.data), options);
  });
  run.engine = in_one_order(comm, std::move(run.engine));
  collectively(comm, [&] { plan_memory(run.plan, run.deck, run.data, *run.engine); });
  return run;
}

/// Rank 0 holds the run directory; on the others the pointer is null.
std::unique_ptr<RunDirectory> take_directory(Comm& comm, const Deck& deck) {
  return collectively(comm, [&]() -> std::unique_ptr<RunDirectory> {
    if (comm.rank() != 0) return nullptr;
    if (deck.run.resume == "no" && is_used(deck.run.dir)) {
      throw InputError("run.resume", "no, but " + deck.run.dir + " holds an earlier run");
    }
    const bool named = deck.run.resume != "auto" && deck.run.resume != "no";
    if (named && !std::filesystem::exists(deck.run.resume)) {
      throw InputError("run.resume", deck.run.resume + " does not exist");
    }
    if (deck.dry_run) std::filesystem::remove_all(deck.run.dir);
    return std::make_unique<RunDirectory>(deck.run.dir);
  });
}

bool already_done(Comm& comm, const Deck& deck) {
  const bool done = comm.broadcast(std::string(is_done(deck.run.dir) ? "done" : ""), 0) == "done";
  if (done && deck.run.resume == "no") {
    throw AgreedError("run.resume: no, but " + deck.run.dir + " holds a finished run",
                      Exit::refused);
  }
  if (done) say(comm, "already done: " + deck.run.dir + " holds DONE\n");
  return done;
}

void leave_failed(RunDirectory& directory, const std::string& reason) {
  try {
    directory.mark_failed(reason);
  } catch (const Error& error) {
    std::cout << "oida: " << error.what() << std::endl;
  }
}

/// Runs, and leaves FAILED with the reason behind where a run that began did not end well.
Exit run_in_directory(Comm& comm, PreparedRun& prepared, double began_s) {
  const auto directory = take_directory(comm, prepared.deck);
  try {
    return TrainingRun(comm, prepared, directory.get(), began_s).go();
  } catch (const AgreedError& error) {
    if (directory != nullptr && error.exit() == Exit::failed)
      leave_failed(*directory, error.what());
    throw;
  }
}

}  // namespace

Exit train(Comm& comm, const Arguments& arguments) {
  const double began_s = now_s();
  if (help_wanted(arguments)) {
    say(comm, help());
    return Exit::done;
  }
  require_one_job(comm);
  watch_stop_signals();
  Deck deck = collectively(comm, [&] { return read_deck(arguments); });
  if (deck.dry_run) deck.run.dir += ".dry-run";
  comm.set_stall_timeout(deck.run.stall_timeout_s);
  if (!deck.check && !deck.dry_run && already_done(comm, deck)) return Exit::done;
  PreparedRun prepared = prepare_run(comm, std::move(deck));
  say(comm,
      describe(comm, prepared.plan, prepared.data, prepared.engine->network(), prepared.place));
  if (prepared.deck.check) {
    say(comm, "\n" + prepared.deck.resolved_ini());
    return Exit::done;
  }
  return run_in_directory(comm, prepared, began_s);
}

}  // namespace oida::app
