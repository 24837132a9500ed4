#include "scaling/machine.hpp"

#include <algorithm>

namespace oida::perf {

Links::Links(const LinkSpeed& speed, int nodes)
    : speed_(speed),
      out_free_s_(static_cast<std::size_t>(nodes)),
      in_free_s_(static_cast<std::size_t>(nodes)) {}

void Links::send(const Message& message, double bytes, double now_s) {
  if (bytes == 0) {
    events_.push({now_s + speed_.latency_s, numbers_++, true, 0, message});
    return;
  }
  double& free_s = out_free_s_[static_cast<std::size_t>(message.from)];
  const double begin_s = std::max(now_s, free_s - speed_.burst_bytes / speed_.bytes_per_s);
  free_s = std::max(free_s, now_s) + bytes / speed_.bytes_per_s;
  const double in_bytes_per_s =
      speed_.in_bytes_per_s > 0 ? speed_.in_bytes_per_s : speed_.bytes_per_s;
  const double end_s = std::max(begin_s, free_s - speed_.burst_bytes / speed_.bytes_per_s);
  const double in_s = bytes / in_bytes_per_s;
  // The last byte comes no earlier than it left, the link in has it for in_s.
  const double head_s = std::max(begin_s, end_s - in_s) + speed_.latency_s;
  events_.push({head_s, numbers_++, false, in_s, message});
}

std::optional<Message> Links::take() {
  Event event = events_.top();
  events_.pop();
  if (event.whole) return event.message;
  double& free_s = in_free_s_[static_cast<std::size_t>(event.message.to)];
  free_s = std::max(free_s, event.at_s) + event.link_s;
  event.at_s = free_s;
  event.whole = true;
  events_.push(event);
  return std::nullopt;
}

}  // namespace oida::perf
