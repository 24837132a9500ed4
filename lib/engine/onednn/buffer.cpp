#include "engine/onednn/buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace oida::onednn {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(round_up(bytes, kLine)) {
  if (bytes_ == 0) return;
  const bool huge = bytes_ >= kHugePage;
  const std::size_t unit = huge ? kHugePage : kLine;
  data_.reset(std::aligned_alloc(unit, round_up(bytes_, unit)));
  if (data_ == nullptr) throw std::bad_alloc();
  // Without huge pages the engine is slower and not wrong, so a refusal is not an error.
  if (huge) madvise(data_.get(), bytes_ / kHugePage * kHugePage, MADV_HUGEPAGE);
  std::memset(data_.get(), 0, bytes_);
}

void Buffer::Free::operator()(void* data) const {
  std::free(data);
}

}  // namespace oida::onednn
