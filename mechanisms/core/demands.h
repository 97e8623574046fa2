// What some components demand of the lists and flows around them. The catalog carries it, so that the harness refuses a
// scenario before its run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric {

/// Which component of the same list may not stand before this one.
struct Precedence {
  std::string other;
  std::string why;  // ends the message about a list in another order
};

/// How many flows of a group may have the same receiver.
struct GroupLimit {
  int64_t flows = 0;    // 0: any number
  std::string whileOn;  // a parameter of the component; the limit holds while it is true
  std::string why;      // ends the message about a group above it
};

/// A component that is also one of these is asked once, as it was made: what it says is the same for all of its kind.
class Demands {
 public:
  virtual ~Demands() = default;
  /// Looked at by plug(), too, for networks that no harness has seen.
  virtual std::vector<Precedence> before() const { return {}; }
  /// Only the harness looks at the whole flow list; in a run the component itself refuses a group as it meets it.
  virtual GroupLimit groupLimit() const { return {}; }
};

}  // namespace fabric
