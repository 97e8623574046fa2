// What a component does when the run is over.
#pragma once

namespace fabric {

/// A component that is also one of these can write its last rows: what it still knows of flows whose end has not come.
class EndOfRun {
 public:
  virtual ~EndOfRun() = default;
  virtual void onEndOfRun() = 0;
};

}  // namespace fabric
