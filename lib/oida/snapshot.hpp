#pragma once
// The state that a checkpoint describes, as it stood at one moment: taken by the training thread in
// passing, made an archive of by the I/O thread.

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/aligned.hpp"
#include "engine/engine.hpp"
#include "oida/archive.hpp"

namespace oida {

/// In an engine's flat order, and never changed again.
using SharedArray = std::shared_ptr<const AlignedVector<float>>;

SharedArray shared_array(std::span<const float> flat);

class Snapshot {
 public:
  /// A copy of what may change; takes the memory that the last one of this name had.
  void copy(const std::string& name, std::span<const float> flat);
  void share(const std::string& name, SharedArray flat);
  std::map<std::string, std::vector<double>>& numbers() { return rest_.numbers; }
  std::map<std::string, std::string>& texts() { return rest_.texts; }

  /// Everything, with arrays in canonical order; afterwards the snapshot is empty.
  Archive take(const Engine& engine);

 private:
  struct Copy {
    AlignedVector<float> flat;
    bool taken = true;
  };
  std::map<std::string, Copy> copies_;
  std::map<std::string, SharedArray> shared_;
  Archive rest_;
};

}  // namespace oida
