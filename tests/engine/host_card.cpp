#include "host_card.hpp"

#include "engine/checks.hpp"
#include "engine/cuda/card_engine.hpp"
#include "engine/cuda/memory_plan.hpp"

namespace oida::test {
namespace {

using cuda::Element;
using cuda::Image;
using cuda::Index;

/// An array of either element, seen as numbers.
class Values {
 public:
  Values(const void* at, Element element) : at_(const_cast<void*>(at)), element_(element) {}

  double get(std::size_t k) const {
    return element_ == Element::f32 ? static_cast<float*>(at_)[k]
                                    : cuda::to_float(static_cast<cuda::Bf16*>(at_)[k]);
  }
  void set(std::size_t k, double value) const {
    const auto narrow = static_cast<float>(value);
    if (element_ == Element::f32) {
      static_cast<float*>(at_)[k] = narrow;
    } else {
      static_cast<cuda::Bf16*>(at_)[k] = cuda::narrow<cuda::Bf16>(narrow);
    }
  }

 private:
  void* at_;
  Element element_;
};

/// The places of one product of a convolution.
struct Product {
  std::size_t in, weight, out;
};

/// visit(Product) for every product that the convolution adds up.
template <typename Visit>
void for_each_product(const cuda::Conv& conv, Visit visit) {
  const auto side = static_cast<Index>(conv.kernel);
  const auto outs = static_cast<Index>(conv.out.stride);
  const auto ins = static_cast<Index>(conv.in.stride);
  const auto all = static_cast<Index>(conv.n) * conv.out.size();
  for (Index k = 0; k < all; ++k) {
    const cuda::Place to = cuda::place_of(conv.out, k);
    for (Index tap = 0; tap < side * side; ++tap) {
      const int row =
          static_cast<int>(to.row) * conv.stride - conv.pad + static_cast<int>(tap / side);
      const int col =
          static_cast<int>(to.col) * conv.stride - conv.pad + static_cast<int>(tap % side);
      if (row < 0 || row >= conv.in.h || col < 0 || col >= conv.in.w) continue;
      for (Index c = 0; c < ins; ++c) {
        const Index in = conv.in.at(to.i, c, static_cast<Index>(row), static_cast<Index>(col));
        visit(Product{in, (to.channel % outs * side * side + tap) * ins + c, k});
      }
    }
  }
}

std::size_t elements(int n, const Image& image) {
  return static_cast<std::size_t>(n) * image.size();
}

/// visit(place in `in`, place in `out`) for every pair that a pool joins.
template <typename Visit>
void for_each_pair(const cuda::Pool& pool, int n, Visit visit) {
  for (Index k = 0; k < static_cast<Index>(n) * pool.out.size(); ++k) {
    const cuda::Place to = cuda::place_of(pool.out, k);
    for (Index tap = 0; tap < pool.kernel * pool.kernel; ++tap) {
      visit(pool.in.at(to.i, to.channel, to.row * pool.stride + tap / pool.kernel,
                       to.col * pool.stride + tap % pool.kernel),
            k);
    }
  }
}

}  // namespace

int HostCard::record(const std::function<void()>& body) {
  recordings_.emplace_back();
  recording_ = true;
  body();
  recording_ = false;
  return static_cast<int>(recordings_.size()) - 1;
}

void HostCard::play(int recording) {
  for (const auto& work : recordings_.at(static_cast<std::size_t>(recording))) work();
}

int HostCard::add_conv(const cuda::Conv& conv) {
  convs_.push_back(conv);
  return static_cast<int>(convs_.size()) - 1;
}

std::vector<std::string> HostCard::conv_lines(int plan) const {
  const auto& name = convs_.at(static_cast<std::size_t>(plan)).name;
  return {name + " forward: host", name + " backward: host"};
}

const cuda::Conv& HostCard::conv(int plan) const {
  return convs_.at(static_cast<std::size_t>(plan));
}

/// into <- the sums that `work` adds to zeros.
void HostCard::add_up(std::size_t size, void* into, Element element,
                      std::function<void(std::vector<double>&)> work) {
  compute([into, element, work = std::move(work), sums = std::vector<double>(size)]() mutable {
    std::fill(sums.begin(), sums.end(), 0.0);
    work(sums);
    const Values values(into, element);
    for (std::size_t k = 0; k < sums.size(); ++k) values.set(k, sums[k]);
  });
}

void HostCard::conv_forward(int plan, const void* in, const void* weight, void* out) {
  const cuda::Conv of = conv(plan);
  const Values x(in, of.element), w(weight, of.element);
  add_up(elements(of.n, of.out), out, of.element, [of, x, w](auto& sums) {
    for_each_product(of,
                     [&](const Product& at) { sums[at.out] += x.get(at.in) * w.get(at.weight); });
  });
}

void HostCard::conv_backward_data(int plan, const void* weight, const void* d_out, void* d_in) {
  const cuda::Conv of = conv(plan);
  const Values w(weight, of.element), d(d_out, of.element);
  add_up(elements(of.n, of.in), d_in, of.element, [of, w, d](auto& sums) {
    for_each_product(of,
                     [&](const Product& at) { sums[at.in] += w.get(at.weight) * d.get(at.out); });
  });
}

void HostCard::conv_backward_weight(int plan, const void* in, const void* d_out, void* d_weight) {
  const cuda::Conv of = conv(plan);
  const Values x(in, of.element), d(d_out, of.element);
  const auto size = static_cast<std::size_t>(of.out.stride * of.kernel * of.kernel * of.in.stride);
  add_up(size, d_weight, of.element, [of, x, d](auto& sums) {
    for_each_product(of,
                     [&](const Product& at) { sums[at.weight] += x.get(at.in) * d.get(at.out); });
  });
}

int HostCard::add_average_pool(const cuda::Pool& pool, int n, Element element) {
  pools_.push_back({pool, n, element});
  return static_cast<int>(pools_.size()) - 1;
}

void HostCard::average_pool_forward(int plan, const void* in, void* out) {
  const AveragePool of = pools_.at(static_cast<std::size_t>(plan));
  const Values x(in, of.element);
  const double area = of.pool.kernel * of.pool.kernel;
  add_up(elements(of.n, of.pool.out), out, of.element, [of, x, area](auto& sums) {
    for_each_pair(of.pool, of.n, [&](Index from, Index to) { sums[to] += x.get(from) / area; });
  });
}

void HostCard::average_pool_backward(int plan, const void*, const void* d_out, const void*,
                                     void* d_in) {
  const AveragePool of = pools_.at(static_cast<std::size_t>(plan));
  const Values d(d_out, of.element);
  const double area = of.pool.kernel * of.pool.kernel;
  add_up(elements(of.n, of.pool.in), d_in, of.element, [of, d, area](auto& sums) {
    for_each_pair(of.pool, of.n, [&](Index from, Index to) { sums[from] += d.get(to) / area; });
  });
}

void HostCard::multiply(const cuda::Product& product) {
  const auto rows = static_cast<std::size_t>(product.rows);
  const auto cols = static_cast<std::size_t>(product.cols);
  const auto inner = static_cast<std::size_t>(product.inner);
  const Values a(product.a, product.element), b(product.b, product.element);
  const bool a_turned = product.a_turned, b_turned = product.b_turned;
  add_up(rows * cols, product.c, product.c_element, [=](auto& sums) {
    for (std::size_t k = 0; k < rows * cols * inner; ++k) {
      const std::size_t i = k / inner / cols, j = k / inner % cols, l = k % inner;
      sums[i * cols + j] += a.get(a_turned ? l * rows + i : i * inner + l) *
                            b.get(b_turned ? j * inner + l : l * cols + j);
    }
  });
}

std::unique_ptr<Engine> make_host_card_engine(const Network& network,
                                              const EngineOptions& options) {
  check_options(network, options);
  cuda::check_memory(network, options);
  return cuda::make_card_engine(network, options, std::make_unique<HostCard>(options));
}

}  // namespace oida::test
