#include "mechanisms/core/control.h"

#include <algorithm>
#include <stdexcept>

namespace fabric {

uint8_t ControlTypes::add(const std::string& name) {
  constexpr size_t kMost = 128;  // Packet::control has 7 bits
  const auto it = std::find(names_.begin(), names_.end(), name);
  if (it != names_.end()) return static_cast<uint8_t>(it - names_.begin());
  if (names_.size() == kMost) throw std::logic_error("control packet " + name + ": there are 128 types already");
  names_.push_back(name);
  return static_cast<uint8_t>(names_.size() - 1);
}

}  // namespace fabric
