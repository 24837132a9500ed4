#include <utility>

#include "io/h5.hpp"

namespace oida {

H5Handle::H5Handle(H5Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(other.close_) {}

H5Handle& H5Handle::operator=(H5Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
  }
  return *this;
}

H5Handle::~H5Handle() {
  close();
}

bool H5Handle::close() {
  if (id_ < 0) return true;
  return close_(std::exchange(id_, -1)) >= 0;
}

}  // namespace oida
