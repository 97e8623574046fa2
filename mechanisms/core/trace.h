// All measurements go this way: the model emits rows, sinks receive them. The trace stream and the
// engines' native trace sources are both sinks, so they cannot disagree.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/tables.h"
#include "mechanisms/core/types.h"

namespace fabric {

/// One value of a row, as the 64 bits of its column's type.
struct Cell {
  uint64_t bits = 0;

  Cell() = default;
  explicit Cell(Time v) : bits(static_cast<uint64_t>(v.ps)) {}
  explicit Cell(Rate v) : bits(static_cast<uint64_t>(v.bps)) {}
  explicit Cell(Bytes v) : bits(static_cast<uint64_t>(v.n)) {}
  explicit Cell(NodeId v) : bits(v.n) {}
  explicit Cell(double v) { std::memcpy(&bits, &v, sizeof bits); }
  template <class Int, class = std::enable_if_t<std::is_integral_v<Int>>>
  explicit Cell(Int v) : bits(static_cast<uint64_t>(v)) {}
  /// Of a column of type T.
  template <class T, class Given>
  static Cell of(const Given& value) {
    constexpr bool kSame = std::is_same_v<T, Given>;
    static_assert(kSame, "a cell has exactly the type of its column: convert it, or declare the column otherwise");
    if constexpr (kSame) return Cell(value);
    return {};
  }

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

  /// Adds a mechanism's own table. Mechanisms may share one; its columns are then the same at all of them.
  void add(const TableDesc& desc);
  const TableDesc& desc(int table) const { return tables_[table].desc; }
  int size() const { return static_cast<int>(tables_.size()); }
  /// The number of the table called `name`, -1 if there is none.
  int find(const std::string& name) const;
  /// That of a table which some component has in its description.
  template <class... T>
  TableId<T...> find(const Table<T...>& table) const {
    return {numberOf(table)};
  }

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

  /// A row: a cell for each column of the table, of the column's type. Others do not compile.
  template <class... T, class... Given>
  void emit(TableId<T...> table, const Given&... cells) {
    constexpr bool kAll = sizeof...(T) == sizeof...(Given);
    static_assert(kAll, "a row has one cell for each column of its table");
    if constexpr (kAll) {
      const Cell row[] = {Cell::of<T>(cells)...};
      if (clock_ != nullptr) {
        Lane& lane = lanes_.here();
        lane.held.push_back({clock_->now(), lane.node, static_cast<uint16_t>(table), static_cast<uint16_t>(thisLane()),
                             lane.cells.size()});
        lane.cells.insert(lane.cells.end(), std::begin(row), std::end(row));
      } else {
        deliver(table, row);
      }
    }
  }
  /// From now on nodes run one behind the other, and rows come out of order: they are held, and sinks get them at
  /// release().
  void hold(const Engine& clock) { clock_ = &clock; }
  /// So many lanes emit.
  void setLanes(uint32_t count) { laneCount_ = count; }
  /// Where lanes run side by side: rows are of this node until the next call, as the lane has its turn.
  void turnOf(uint32_t node) { lanes_.here().node = node; }
  /// Gives the sinks all held rows in the order of time, and rows of one time as they came.
  void release();
  /// As release(), and holds nothing more.
  void stopHolding();
  /// Those that sinks got.
  uint64_t rows(int table) const { return tables_[table].rows; }

 private:
  /// Throws where there is no such table with these columns.
  int numberOf(const TableDesc& desc) const;
  void deliver(int table, const Cell* cells) {
    ++tables_[table].rows;
    for (RowSink* sink : tables_[table].sinks) sink->row(table, cells);
  }

  struct Held {
    Time at;
    uint32_t node;  // by its number in keys: the order of turns
    uint16_t table, lane;
    size_t cells;  // the first of its cells
  };
  struct Lane {
    uint32_t node = kFirstNode;
    std::vector<Held> held;
    std::vector<Cell> cells;
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
  PerLane<Lane> lanes_;
  uint32_t laneCount_ = 1;
  std::vector<Held> joined_;  // of all lanes
};

}  // namespace fabric
