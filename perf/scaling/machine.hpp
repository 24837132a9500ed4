#pragma once
// The machine of the model: links, in virtual time.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "scaling/model.hpp"

namespace oida::perf {

struct Message {
  enum class Kind : std::uint8_t { ask, grant, data };

  int from = 0;
  int to = 0;
  int round = 0;
  std::uint32_t chunk = 0;
  Kind kind = Kind::data;
  bool returning = false;  // the sum, on its way from the owner
};

class Links {
 public:
  Links(const LinkSpeed& speed, int nodes);

  /// One of no bytes, a question or its answer, slips between the others.
  void send(const Message& message, double bytes, double now_s);
  bool busy() const { return !events_.empty(); }
  /// When the next head or end of a message comes. @pre busy()
  double next_s() const { return events_.top().at_s; }
  /// What has come whole then, if it was an end.
  std::optional<Message> take();

 private:
  struct Event {
    double at_s;
    std::uint64_t number;  // of equal times the first to be sent
    bool whole;
    double link_s;
    Message message;
    bool operator>(const Event& other) const {
      return at_s != other.at_s ? at_s > other.at_s : number > other.number;
    }
  };

  LinkSpeed speed_;
  std::vector<double> out_free_s_, in_free_s_;
  std::uint64_t numbers_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace oida::perf
