#include "mechanisms/core/trace.h"

#include <algorithm>
#include <stdexcept>

namespace fabric {

TraceBus::TraceBus() {
  for (const TableDesc& d : standardTables()) tables_.push_back({d, {}, false, 0, {}});
}

int TraceBus::find(const std::string& name) const {
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].desc.name == name) return static_cast<int>(i);
  }
  return -1;
}

void TraceBus::add(const TableDesc& desc) {
  if (find(desc.name) < 0) tables_.push_back({desc, {}, false, 0, {}});
  numberOf(desc);
}

int TraceBus::numberOf(const TableDesc& desc) const {
  const int number = find(desc.name);
  if (number < 0) {
    throw std::logic_error("trace table " + desc.name + ": no mechanism has it in its description; add .table(...)");
  }
  const auto same = [](const Column& a, const Column& b) { return a.name == b.name && a.type == b.type; };
  const auto &a = desc.columns, &b = tables_[number].desc.columns;
  if (!std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) {
    throw std::logic_error("trace table " + desc.name + ": two tables of this name have different columns; rename one");
  }
  return number;
}

void TraceBus::release() {
  // Rows of one time stay in the order in which they came, which is that of their cells.
  const auto earlier = [](const Held& a, const Held& b) { return a.at < b.at || (a.at == b.at && a.cells < b.cells); };
  if (!std::is_sorted(held_.begin(), held_.end(), earlier)) std::sort(held_.begin(), held_.end(), earlier);
  for (const Held& row : held_) deliver(row.table, &heldCells_[row.cells]);
  held_.clear();
  heldCells_.clear();
}

void TraceBus::stopHolding() {
  release();
  clock_ = nullptr;
}

void TraceBus::enable(int table, TraceFilter filter) {
  if (tables_[table].desc.sampled && filter.interval.ps <= 0) {
    throw std::invalid_argument("trace table " + tables_[table].desc.name + ": interval_ps must be above 0");
  }
  tables_[table].filter = std::move(filter);
  tables_[table].enabled = true;
}

}  // namespace fabric
