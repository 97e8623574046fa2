// A kind of mechanism that no file of the project knows of: it watches a switch.
#pragma once

#include "mechanisms/core/slots.h"
#include "mechanisms/core/switch.h"

namespace fabric {

class Watcher : public Component {
 public:
  static constexpr Kind kKind{"watcher"};
  /// The switch that it stands at.
  virtual void attach(Switch& place) = 0;
};

}  // namespace fabric
