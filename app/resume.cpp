#include "resume.hpp"

#include <filesystem>
#include <iostream>

#include "core/error.hpp"

namespace oida::app {

namespace {

/// Collective; the reason why the checkpoint is not whole, or nothing.
std::optional<std::string> fault(Comm& comm, const CheckpointStore& store, std::int64_t round) {
  try {
    collectively(comm, [&] {
      store.read_common(round);
      for (int unit = comm.rank(); unit < store.units(round); unit += comm.size()) {
        store.read_unit(round, unit);
      }
    });
    return std::nullopt;
  } catch (const AgreedError& error) {
    if (error.exit() == Exit::refused) throw;  // whole, but of another run
    return error.what();
  }
}

/// "round-12.h5" -> 12; InputError for another name.
std::int64_t round_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string head = "round-";
  const std::string tail = ".h5";
  if (name.starts_with(head) && name.ends_with(tail)) {
    const auto digits = name.substr(head.size(), name.size() - head.size() - tail.size());
    const bool whole = !digits.empty() && digits.size() < 18 &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
    if (whole) return std::stoll(digits);
  }
  throw InputError("run.resume", path + " is not the name of a checkpoint (round-N.h5)");
}

std::int64_t named_checkpoint(Comm& comm, const CheckpointStore& store, const Deck& deck) {
  const auto round = collectively(comm, [&] {
    const auto own = std::filesystem::weakly_canonical(deck.run.dir + "/checkpoints");
    const std::filesystem::path named(deck.run.resume);
    if (std::filesystem::weakly_canonical(named.parent_path()) != own) {
      throw InputError("run.resume", deck.run.resume + " is not in " + own.string());
    }
    return round_of(deck.run.resume);
  });
  if (const auto reason = fault(comm, store, round)) throw AgreedError(*reason, Exit::refused);
  return round;
}

std::optional<std::int64_t> newest_whole(Comm& comm, const CheckpointStore& store,
                                         const Deck& deck) {
  std::vector<std::int64_t> rounds;
  if (comm.rank() == 0) rounds = store.rounds();
  std::vector<std::int64_t> count{static_cast<std::int64_t>(rounds.size())};
  comm.broadcast_values(count, 0);
  rounds.resize(static_cast<std::size_t>(count.front()));
  comm.broadcast_values(rounds, 0);
  for (const auto round : rounds) {
    const auto reason = fault(comm, store, round);
    if (!reason) return round;
    if (comm.rank() == 0) std::cout << "oida: skipped: " << *reason << std::endl;
  }
  if (!rounds.empty()) {
    throw AgreedError("run.resume: none of the " + std::to_string(rounds.size()) +
                          " checkpoints in " + deck.run.dir + " is whole",
                      Exit::refused);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> find_checkpoint(Comm& comm, const CheckpointStore& store,
                                            const Deck& deck) {
  if (deck.run.resume == "no" || deck.dry_run) return std::nullopt;
  if (deck.run.resume == "auto") return newest_whole(comm, store, deck);
  return named_checkpoint(comm, store, deck);
}

void set_newer_aside(CheckpointStore& store, std::int64_t round) {
  for (const auto newer : store.rounds()) {
    if (newer <= round) continue;
    try {
      store.set_aside(newer);
      std::cout << "oida: set aside: checkpoint of round " << newer << " (*.aside)" << std::endl;
    } catch (const Error& error) {
      std::cout << "oida: " << error.what() << std::endl;
    }
  }
}

}  // namespace oida::app
