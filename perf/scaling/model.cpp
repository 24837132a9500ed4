#include "scaling/model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "core/rng.hpp"
#include "scaling/machine.hpp"

namespace oida::perf {
namespace {

// comm/chunks.cpp: floats of a chunk, chunks of an owner, alignment.
constexpr std::size_t kChunk = 64 * 1024, kMostChunks = 64, kBlock = 256;
/// Larger messages are asked for first: the rendezvous of UCX.
constexpr double kEager_bytes = 8192;

struct Chunk {
  std::size_t array;
  int owner;
  double bytes;
};

std::size_t divided_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

std::vector<Chunk> cut(const Loop& loop, int nodes) {
  std::vector<Chunk> chunks;
  const auto n = static_cast<std::size_t>(nodes);
  for (std::size_t a = 0; a < loop.arrays.size(); ++a) {
    const std::size_t floats = loop.arrays[a].floats;
    const std::size_t share = std::max<std::size_t>(1, divided_up(floats, n));
    const std::size_t pieces = std::min(kMostChunks, divided_up(share, kChunk));
    const std::size_t step = divided_up(divided_up(share, pieces), kBlock) * kBlock;
    for (std::size_t at = 0, c = 0; at < floats; at += step, ++c) {
      const double count = static_cast<double>(std::min(step, floats - at));
      chunks.push_back({a, static_cast<int>(c % n), count * loop.bytes_per_float});
    }
  }
  return chunks;
}

enum class Doing { nothing, computing, communicating, waiting, merging };

struct Unit {
  Doing doing = Doing::nothing;
  int round = -1;
  int step = 0;  // of the round
  int poll = 0;  // of the step
  std::int64_t steps = 0;
  std::size_t started = 0;  // arrays
  std::size_t open = 0;     // sums to come and to hand over
  double debt_s = 0;        // work for messages, not yet done
  double exposed_since_s = 0;
  double flight_since_s = 0;
  std::vector<Message> inbox;
  // From the end of the first round on:
  double began_s = 0, ended_s = 0, exposed_s = 0, flight_s = 0;
};

class Simulation {
 public:
  Simulation(const Cluster& cluster, const Work& work, const Loop& loop, int rounds,
             std::uint64_t seed)
      : cluster_(cluster),
        work_(work),
        loop_(loop),
        rounds_(rounds),
        seed_(seed),
        chunks_(cut(loop, cluster.nodes)),
        links_(cluster.links, cluster.nodes),
        units_(static_cast<std::size_t>(cluster.nodes)) {
    missing_.resize(2 * chunks_.size());
    owned_.resize(units_.size());
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      owned_[static_cast<std::size_t>(chunks_[c].owner)].push_back(c);
    }
  }

  Prediction run() {
    for (int i = 0; i < cluster_.nodes; ++i) begin_round(i);
    while (!works_.empty() || links_.busy()) {
      const bool by_link =
          links_.busy() && (works_.empty() || links_.next_s() <= works_.top().first);
      now_s_ = by_link ? links_.next_s() : works_.top().first;
      if (!by_link) {
        const int unit = works_.top().second;
        works_.pop();
        worked(unit);
      } else if (const auto message = links_.take()) {
        deliver(*message);
      }
    }
    return summary();
  }

 private:
  Unit& unit(int i) { return units_[static_cast<std::size_t>(i)]; }

  int steps_a_round() const { return loop_.waits_each_step ? 1 : loop_.interleave; }

  void enter(int i, Doing doing, double work_s) {
    Unit& u = unit(i);
    const auto exposed = [](Doing d) { return d == Doing::communicating || d == Doing::waiting; };
    if (exposed(u.doing) && !exposed(doing) && u.round > 0) {
      u.exposed_s += now_s_ - u.exposed_since_s;
    }
    if (!exposed(u.doing) && exposed(doing)) u.exposed_since_s = now_s_;
    u.doing = doing;
    if (doing != Doing::waiting && doing != Doing::nothing) works_.emplace(now_s_ + work_s, i);
  }

  void begin_round(int i) {
    Unit& u = unit(i);
    ++u.round;
    u.step = u.poll = 0;
    u.started = u.open = 0;
    for (const Chunk& chunk : chunks_) {
      u.open += chunk.owner == i ? static_cast<std::size_t>(cluster_.nodes) : 1;
    }
    u.flight_since_s = now_s_;
    communicate(i);
  }

  /// Arrays that are ready set out, messages that came are answered; then their work is done.
  void communicate(int i) {
    Unit& u = unit(i);
    const double progress = u.step > 0 ? 1 : static_cast<double>(u.poll) / work_.polls;
    while (u.started < loop_.arrays.size() && loop_.arrays[u.started].ready <= progress) {
      if (u.started == 0) u.flight_since_s = now_s_;
      start_array(i, u.started++);
    }
    read(i);
    const double work_s = std::exchange(u.debt_s, 0.0);
    if (work_s > 0) return enter(i, Doing::communicating, work_s);
    go_on(i);
  }

  void start_array(int i, std::size_t array) {
    for (int k = 1; k < cluster_.nodes; ++k) {
      const int to = (i + k) % cluster_.nodes;
      for (const std::size_t c : owned_[static_cast<std::size_t>(to)]) {
        if (chunks_[c].array == array) send(i, to, unit(i).round, c, false);
      }
    }
    for (const std::size_t c : owned_[static_cast<std::size_t>(i)]) {
      if (chunks_[c].array == array) part_came(i, c);
    }
  }

  /// A part to its owner, or a sum back from it.
  void send(int from, int to, int round, std::size_t c, bool returning) {
    Message message{from, to, round, static_cast<std::uint32_t>(c), Message::Kind::data, returning};
    if (cluster_.links.asked_for && chunks_[c].bytes > kEager_bytes) {
      message.kind = Message::Kind::ask;
      post(message, 0);
    } else {
      post(message, chunks_[c].bytes);
      if (returning) closed(from);
    }
  }

  void post(const Message& message, double bytes) {
    Unit& u = unit(message.from);
    u.debt_s += work_.message_s + bytes * work_.byte_s;
    links_.send(message, bytes, now_s_ + u.debt_s);
  }

  void deliver(const Message& message) {
    Unit& u = unit(message.to);
    u.inbox.push_back(message);
    if (u.doing == Doing::waiting) communicate(message.to);
  }

  /// Messages of arrays that this unit has not started yet wait.
  void read(int i) {
    Unit& u = unit(i);
    auto inbox = std::exchange(u.inbox, {});
    for (const Message& message : inbox) {
      const bool early = !message.returning && message.kind != Message::Kind::grant &&
                         (message.round > u.round || chunks_[message.chunk].array >= u.started);
      if (early) {
        u.inbox.push_back(message);
      } else {
        answer(i, message);
      }
    }
  }

  void answer(int i, const Message& message) {
    Unit& u = unit(i);
    const double bytes = chunks_[message.chunk].bytes;
    u.debt_s += work_.message_s;
    if (message.kind == Message::Kind::data) {
      u.debt_s += bytes * work_.byte_s;
      message.returning ? closed(i) : part_came(i, message.chunk);
      return;
    }
    Message reply = message;
    std::swap(reply.from, reply.to);
    if (message.kind == Message::Kind::ask) {
      reply.kind = Message::Kind::grant;
      return post(reply, 0);
    }
    reply.kind = Message::Kind::data;
    post(reply, bytes);
    if (message.returning) closed(i);
  }

  void part_came(int i, std::size_t c) {
    const int round = unit(i).round;
    int& come = missing_[2 * c + static_cast<std::size_t>(round % 2)];
    if (++come < cluster_.nodes) return;
    come = 0;
    closed(i);
    for (int k = 1; k < cluster_.nodes; ++k) {
      send(i, (i + k) % cluster_.nodes, round, c, true);
    }
  }

  void closed(int i) {
    Unit& u = unit(i);
    if (--u.open == 0 && u.round > 0) u.flight_s += now_s_ - u.flight_since_s;
  }

  /// A piece of work is done.
  void worked(int i) {
    Unit& u = unit(i);
    if (u.doing == Doing::merging) return end_round(i);
    if (u.doing == Doing::computing) {
      if (++u.poll == work_.polls) {
        ++u.step;
        ++u.steps;
        u.poll = 0;
      }
      return communicate(i);
    }
    if (u.step == steps_a_round() && !u.inbox.empty()) return communicate(i);
    go_on(i);
  }

  void go_on(int i) {
    Unit& u = unit(i);
    if (u.step < steps_a_round()) {
      const auto sample = static_cast<std::uint64_t>(i);
      Random random(seed_, Purpose::test, sample, static_cast<std::uint32_t>(u.steps));
      const double deviation = work_.spread * (random.normal() - 0.5 * work_.spread);
      return enter(i, Doing::computing, work_.step_s * std::exp(deviation) / work_.polls);
    }
    if (u.open > 0) return enter(i, Doing::waiting, 0);
    enter(i, Doing::merging, work_.merge_s);
  }

  void end_round(int i) {
    Unit& u = unit(i);
    if (u.round == 0) u.began_s = now_s_;
    u.ended_s = now_s_;
    if (u.round < rounds_) return begin_round(i);
    enter(i, Doing::nothing, 0);
  }

  Prediction summary() const {
    Prediction mean;
    double time_s = 0, exposed_s = 0, flight_s = 0;
    for (const Unit& u : units_) {
      time_s += u.ended_s - u.began_s;
      exposed_s += u.exposed_s;
      flight_s += u.flight_s;
    }
    const double units = static_cast<double>(units_.size());
    mean.step_s = time_s / units / rounds_ / steps_a_round();
    mean.idle_share = exposed_s / time_s;
    mean.exchange_s = flight_s / units / rounds_;
    mean.hidden_share = flight_s > 0 ? 1 - exposed_s / flight_s : 0;
    return mean;
  }

  Cluster cluster_;
  Work work_;
  Loop loop_;
  int rounds_;
  std::uint64_t seed_;
  std::vector<Chunk> chunks_;
  std::vector<int> missing_;  // parts that have come, of each chunk in even and odd rounds
  std::vector<std::vector<std::size_t>> owned_;
  using End = std::pair<double, int>;  // of a unit's work
  std::priority_queue<End, std::vector<End>, std::greater<>> works_;
  Links links_;
  std::vector<Unit> units_;
  double now_s_ = 0;
};

}  // namespace

Prediction predict(const Cluster& cluster, const Work& work, const Loop& loop, int rounds,
                   std::uint64_t seed) {
  return Simulation(cluster, work, loop, rounds, seed).run();
}

}  // namespace oida::perf
