#include "oida/parameter_server.hpp"

#include <algorithm>
#include <cmath>

namespace oida {

namespace {

/// Behind the gradient of a message stand its rate and its share.
constexpr std::size_t kTail = 2;

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

std::unique_ptr<Exchange> make_words_exchange(Comm& comm, const RuleOptions& rule) {
  ExchangeOptions options;
  options.floats = kControlWords;
  options.ranks_per_node = rule.ranks_per_node;
  return comm.make_exchange(options);
}

}  // namespace

ParameterServer::ParameterServer(Unit& unit, Comm& comm, const RuleOptions& options)
    : unit_(unit),
      comm_(comm),
      share_(options.share),
      on_arrival_(options.on_arrival),
      exchange_(make_words_exchange(comm, options)),
      mailbox_(comm.make_mailbox(unit.x().size() + kTail)),
      words_(kControlWords),
      staleness_(comm.size(), options.staleness),
      poll_([this](std::size_t) {
        const Phase before = unit_.clock().enter(Phase::exposed);
        exchange_->poll();
        serve();
        unit_.clock().enter(before);
      }) {
  if (!is_server()) return;
  master_.assign(unit.x().begin(), unit.x().end());
  comm.set_waiting_work([this] { return serve(); });
}

ParameterServer::~ParameterServer() {
  if (is_server()) comm_.set_waiting_work({});
}

void ParameterServer::begin(const ControlWords& words) {
  flights_.clear();
  steps_ = 0;
  ControlWords own = words;
  if (!all_finite(unit_.x())) own.non_finite = 1.0F;
  put(own, words_);
  open_ = true;
  const Phase before = unit_.clock().enter(Phase::exposed);
  exchange_->start(words_, kControlWords);
  unit_.clock().enter(before);
}

StepResult ParameterServer::step(std::uint64_t step, float rate) {
  const auto result = unit_.gradient(step, poll_);
  ++steps_;
  if (is_server()) {
    unit_.clock().enter(Phase::compute);
    apply(0, unit_.gradient_span(), rate, share_);
    unit_.clock().enter(Phase::exposed);
    wait([this] { return staleness_.computes(0); });
  } else {
    unit_.clock().enter(Phase::exposed);
    ask(rate);
  }
  unit_.clock().enter(Phase::other);
  return result;
}

/// While rank 0 waits it serves: that is its work of every wait.
void ParameterServer::wait(const std::function<bool()>& done) {
  mailbox_->wait([&] {
    exchange_->poll();
    return done();
  });
}

void ParameterServer::ask(float rate) {
  const double start_s = now_s();
  const auto message = mailbox_->outgoing(0);
  const auto gradient = unit_.gradient_span();
  std::copy(gradient.begin(), gradient.end(), message.begin());
  message[size()] = rate;
  message[size() + 1] = share_;
  mailbox_->post(0);
  wait([this] { return mailbox_->take().has_value(); });
  std::copy_n(mailbox_->incoming(0).begin(), size(), unit_.x().begin());
  note_flight(start_s);
}

/// A wait inside may lead back here.
bool ParameterServer::serve() {
  if (!is_server() || !open_ || serving_) return false;
  const double start_s = now_s();
  serving_ = true;
  bool came = false;
  while (const auto unit = mailbox_->take()) {
    const Phase before = unit_.clock().enter(Phase::exposed);
    const auto message = mailbox_->incoming(*unit);
    apply(*unit, message.first(size()), message[size()], message[size() + 1]);
    unit_.clock().enter(before);
    came = true;
  }
  serving_ = false;
  if (came) note_flight(start_s);
  return came;
}

void ParameterServer::apply(int unit, std::span<const float> gradient, float rate, float share) {
  unit_.update(master_, gradient, staleness_.applied(), rate, share);
  if (on_arrival_) on_arrival_(unit);
  for (const int answered : staleness_.arrived(unit)) answer(answered);
}

void ParameterServer::answer(int unit) {
  const auto into = unit == 0 ? unit_.x() : mailbox_->outgoing(unit);
  std::copy(master_.begin(), master_.end(), into.begin());
  if (unit != 0) mailbox_->post(unit);
}

void ParameterServer::note_flight(double start_s) {
  flights_.push_back({start_s, now_s()});
}

ControlWords ParameterServer::end() {
  const Phase before = unit_.clock().enter(Phase::exposed);
  exchange_->finish();
  unit_.clock().enter(before);
  const auto sums = take_words(words_);
  finite_ = sums.non_finite == 0.0F;
  return sums;
}

void ParameterServer::settle() {
  if (!open_) return;
  const Phase before = unit_.clock().enter(Phase::exposed);
  if (is_server()) {
    mailbox_->wait([this] { return staleness_.even(); });
    std::copy(master_.begin(), master_.end(), unit_.x().begin());
  }
  open_ = false;
  comm_.broadcast(std::as_writable_bytes(unit_.x()), 0);
  unit_.clock().enter(before);
}

void ParameterServer::restart() {
  open_ = false;
  if (is_server()) std::copy(unit_.x().begin(), unit_.x().end(), master_.begin());
}

ControlWords ParameterServer::final_mean(const ControlWords& words) {
  begin(words);
  const auto sums = end();
  settle();
  finite_ = finite_ && all_finite(unit_.x());
  return sums;
}

std::vector<std::span<float>> ParameterServer::arrays() {
  if (!is_server()) return {};
  return {std::span(master_)};
}

std::vector<std::span<float>> ParameterServer::values() {
  return {staleness_.histogram()};
}

std::int64_t ParameterServer::bytes_per_exchange() const {
  const auto& places = comm_.placement();
  const auto elsewhere = std::count_if(places.begin(), places.end(), [&](const Placement& place) {
    return place.node != places.front().node;
  });
  return std::max<std::int64_t>(elsewhere, 1) *
         static_cast<std::int64_t>((unit_.x().size() + kTail) * sizeof(float));
}

}  // namespace oida
