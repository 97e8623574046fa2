// All measurements go this way: the model emits rows, sinks receive them. The trace stream and the
// engines' native trace sources are both sinks, so they cannot disagree.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <unordered_set>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/tables.h"
#include "mechanisms/core/types.h"

namespace fabric {

/// One value of a row, as the 64 bits of its column's type.
struct Cell {
  uint64_t bits = 0;

  Cell() = default;
  Cell(Time v) : bits(static_cast<uint64_t>(v.ps)) {}
  Cell(Rate v) : bits(static_cast<uint64_t>(v.bps)) {}
  Cell(Bytes v) : bits(static_cast<uint64_t>(v.n)) {}
  Cell(double v) { std::memcpy(&bits, &v, sizeof bits); }
  Cell(bool v) : bits(v) {}
  template <class Int, class = std::enable_if_t<std::is_integral_v<Int>>>
  Cell(Int v) : bits(static_cast<uint64_t>(v)) {}

  int64_t i64() const { return static_cast<int64_t>(bits); }
  double f64() const {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
};

class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row(int table, const Cell* cells) = 0;
};

/// What of a table is wanted. Empty lists mean everything.
struct TraceFilter {
  Time interval = Time::Us(1);
  Time from;
  Time to = Time::Max();
  struct PortId {
    uint32_t node;
    uint16_t port;
  };
  std::vector<PortId> ports;
  std::unordered_set<uint32_t> flows;
  std::unordered_set<uint32_t> classes;
};

class TraceBus {
 public:
  TraceBus();

  /// Adds a mechanism's own table, or finds it; its number.
  int table(const TableDesc& desc);
  const TableDesc& desc(int table) const { return tables_[table].desc; }
  int size() const { return static_cast<int>(tables_.size()); }
  /// The number of the table called `name`, -1 if there is none.
  int find(const std::string& name) const;

  void enable(int table, TraceFilter filter);
  void addSink(int table, RowSink* sink) { tables_[table].sinks.push_back(sink); }
  const TraceFilter& filter(int table) const { return tables_[table].filter; }

  /// The first thing to ask, before a row is made.
  bool on(int table) const { return tables_[table].enabled; }
  bool wantsTime(int table, Time t) const { return t >= tables_[table].filter.from && t <= tables_[table].filter.to; }
  bool wantsFlow(int table, uint32_t flow) const {
    const auto& f = tables_[table].filter.flows;
    return f.empty() || f.count(flow) != 0;
  }
  /// For mechanisms' own tables; the standard ones of ports have Port::traced.
  bool wantsPort(int table, uint32_t node, uint16_t port) const {
    const auto& p = tables_[table].filter.ports;
    return p.empty() || std::any_of(p.begin(), p.end(),
                                    [&](const TraceFilter::PortId& id) { return id.node == node && id.port == port; });
  }
  bool wantsClass(int table, uint8_t cls) const {
    const auto& c = tables_[table].filter.classes;
    return c.empty() || c.count(cls) != 0;
  }

  void emit(int table, std::initializer_list<Cell> cells) {
    ++tables_[table].rows;
    if (clock_ != nullptr) {
      held_.push_back({clock_->now(), table, heldCells_.size()});
      heldCells_.insert(heldCells_.end(), cells);
    } else {
      deliver(table, cells.begin());
    }
  }
  /// From now on nodes run one behind the other, and rows come out of order: they are held, and sinks get them at
  /// release().
  void hold(const Engine& clock) { clock_ = &clock; }
  /// Gives the sinks all held rows in the order of time, and rows of one time as they came.
  void release();
  /// As release(), and holds nothing more.
  void stopHolding();
  uint64_t rows(int table) const { return tables_[table].rows; }

 private:
  void deliver(int table, const Cell* cells) {
    for (RowSink* sink : tables_[table].sinks) sink->row(table, cells);
  }

  struct Held {
    Time at;
    int table;
    size_t cells;  // the first of its cells
  };
  struct Table {
    TableDesc desc;
    TraceFilter filter;
    bool enabled = false;
    uint64_t rows = 0;
    std::vector<RowSink*> sinks;
  };
  std::vector<Table> tables_;
  const Engine* clock_ = nullptr;
  std::vector<Held> held_;
  std::vector<Cell> heldCells_;
};

}  // namespace fabric
