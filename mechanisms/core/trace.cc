#include "mechanisms/core/trace.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

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
  for (uint32_t i = 0; i < laneCount_; ++i) {
    Lane& lane = lanes_[i];
    joined_.insert(joined_.end(), lane.held.begin(), lane.held.end());
    lane.held.clear();
    lane.node = kFirstNode;
  }
  // Rows of one time are in the order of turns, which one thread takes by number, and those of a turn as they came.
  const auto earlier = [](const Held& a, const Held& b) {
    return std::tie(a.at.ps, a.node, a.cells) < std::tie(b.at.ps, b.node, b.cells);
  };
  if (!std::is_sorted(joined_.begin(), joined_.end(), earlier)) std::sort(joined_.begin(), joined_.end(), earlier);
  for (const Held& row : joined_) deliver(row.table, &lanes_[row.lane].cells[row.cells]);
  joined_.clear();
  for (uint32_t i = 0; i < laneCount_; ++i) lanes_[i].cells.clear();
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
