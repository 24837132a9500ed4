#pragma once
// Zeroed memory that lives as long as the engine, on huge pages where it is large.

#include <cstddef>
#include <memory>

namespace oida::onednn {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);

  void* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* data) const;
  };

  std::size_t bytes_ = 0;
  std::unique_ptr<void, Free> data_;
};

}  // namespace oida::onednn
