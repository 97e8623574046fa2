// The table of slots: every place where a component plugs in. The catalog, the scenario reader, ns-3's helper, the
// NED types and, through the catalog, the checks of the YAML and the documentation come from it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/component.h"

namespace fabric {

class Host;
class Node;
class Port;
class Switch;

/// What has the slot. The ports of hosts are NICs, those of switches are switch ports.
enum class Where : uint8_t { Host, Nic, Switch, SwitchPort };
const char* toString(Where where);

/// How many components stand there.
enum class Count : uint8_t { One, Many, PerClass };
const char* toString(Count count);

struct Slot {
  std::string key;  // in YAML and scenario files
  Kind kind;
  Where where;
  Count count;
  std::string standard;  // what stands there by default; "": nothing
  std::string help;
  /// Puts a component of this kind in its place, a Node or a Port. `index` counts the components of the slot.
  void (*put)(Component& place, Component& component, uint8_t index);
};

/// A component in a slot.
struct Plugged {
  const Slot* slot;
  Component* component;
};

class Slots {
 public:
  /// In the order in which the components of a place start.
  static const std::vector<Slot>& all();
  static const Slot* find(const std::string& key);
  /// A row for a kind of somebody else's; before the engines look at the table, see FABRIC_SLOT.
  static void add(Slot slot);
};

/// Which slots a place has.
Where where(const Component& place);
/// Puts a component into a slot of a node or port, behind those that stand there. It stays the caller's. Throws
/// where it is of another kind, or has no place there.
void plug(Component& place, const Slot& slot, Component& component);
void plug(Component& place, const std::string& key, Component& component);
/// What stands in a slot of a place.
std::vector<Component*> plugged(const Component& place, const Slot& slot);
/// Calls `make(slot, description)` for every component that stands by default in a slot of the place where nothing
/// does; `make` gives a component that lives long enough. `classes` is how many of them a slot per class has.
template <class Make>
void plugStandard(Component& place, int classes, Make&& make) {
  for (const Slot& slot : Slots::all()) {
    if (slot.where != where(place) || slot.standard.empty() || !plugged(place, slot).empty()) continue;
    for (int i = 0; i < (slot.count == Count::PerClass ? classes : 1); ++i) plug(place, slot, make(slot));
  }
}

struct SlotRow {
  explicit SlotRow(Slot slot) { Slots::add(std::move(slot)); }
};

/// In a .cc file: adds a row when the program starts, before the engines' own initialisers look at the table.
#define FABRIC_SLOT(name, ...) \
  static const ::fabric::SlotRow slot_##name __attribute__((init_priority(1000))) (::fabric::Slot __VA_ARGS__)

}  // namespace fabric
