// All tables that a run can have.
#pragma once

#include <algorithm>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/tables.h"

namespace fabriclab::test {

/// The standard tables, and those of the mechanisms; each once.
inline std::vector<const fabric::TableDesc*> allTables() {
  std::vector<const fabric::TableDesc*> list;
  for (const fabric::TableDesc& t : fabric::standardTables()) list.push_back(&t);
  for (const fabric::Description* d : fabric::Registry::all()) {
    for (const fabric::TableDesc& t : d->tables) {
      const bool known =
          std::any_of(list.begin(), list.end(), [&](const fabric::TableDesc* k) { return k->name == t.name; });
      if (!known) list.push_back(&t);
    }
  }
  return list;
}

}  // namespace fabriclab::test
