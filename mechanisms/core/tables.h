// Trace tables: what they are called, their columns, and the standard ones of the node model.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric {

enum class ColumnType : uint8_t { I64, U64, F64, U32, U16, U8, Bool };
const char* toString(ColumnType type);
size_t width(ColumnType type);

struct Column {
  std::string name;
  ColumnType type;
  std::string unit;
  std::string help;
  std::vector<std::string> labels = {};
  bool nodeRef = false;
};

/// What a table's rows are about; engines attach their native trace sources by it.
enum class Scope : uint8_t { Flow, Port, Node };
const char* toString(Scope scope);

struct TableDesc {
  std::string name;
  std::string title;
  Scope scope;
  bool sampled;  // takes interval_ps
  std::vector<Column> columns;
};

/// The number of a node, as a cell: readers see its name.
struct NodeId {
  uint32_t n = 0;
};

/// What a cell of the C++ type T is in a table. Where the type has a unit, its columns have it too.
template <class T>
struct CellOf {
  static_assert(
      sizeof(T) == 0,
      "a column is of Time, Rate, Bytes, NodeId, double, bool, int64_t, uint64_t, uint32_t, uint16_t or uint8_t");
};
template <ColumnType kColumn>
struct PlainCell {
  static constexpr ColumnType kType = kColumn;
  static constexpr const char* kUnit = nullptr;  // the column says it
};
template <>
struct CellOf<int64_t> : PlainCell<ColumnType::I64> {};
template <>
struct CellOf<uint64_t> : PlainCell<ColumnType::U64> {};
template <>
struct CellOf<double> : PlainCell<ColumnType::F64> {};
template <>
struct CellOf<uint32_t> : PlainCell<ColumnType::U32> {};
template <>
struct CellOf<uint16_t> : PlainCell<ColumnType::U16> {};
template <>
struct CellOf<uint8_t> : PlainCell<ColumnType::U8> {};
template <>
struct CellOf<bool> {
  static constexpr ColumnType kType = ColumnType::Bool;
  static constexpr const char* kUnit = "";
};
template <>
struct CellOf<NodeId> {
  static constexpr ColumnType kType = ColumnType::U32;
  static constexpr const char* kUnit = "";
};
template <>
struct CellOf<Time> {
  static constexpr ColumnType kType = ColumnType::I64;
  static constexpr const char* kUnit = "ps";
};
template <>
struct CellOf<Rate> {
  static constexpr ColumnType kType = ColumnType::I64;
  static constexpr const char* kUnit = "bit/s";
};
template <>
struct CellOf<Bytes> {
  static constexpr ColumnType kType = ColumnType::I64;
  static constexpr const char* kUnit = "B";
};

/// A column with cells of type T.
template <class T>
struct ColumnOf : Column {
  ColumnOf(const char* name, const char* help)
      : Column{name, CellOf<T>::kType, CellOf<T>::kUnit, help, {}, std::is_same_v<T, NodeId>} {
    static_assert(CellOf<T>::kUnit != nullptr, "a column of numbers says its unit: {name, unit, help}");
  }
  ColumnOf(const char* name, const char* unit, const char* help, std::vector<std::string> labels = {})
      : Column{name, CellOf<T>::kType, unit, help, std::move(labels)} {
    static_assert(CellOf<T>::kUnit == nullptr, "the column's type has a unit of its own: {name, help}");
  }
};

/// The number of a table with cells of these types at a trace bus.
template <class... T>
struct TableId {
  int number = -1;
  constexpr operator int() const { return number; }
};

/// A table with columns of these types.
template <class... T>
struct Table : TableDesc {
  using Id = TableId<T...>;
  Table(std::string name, std::string title, Scope scope, bool sampled, ColumnOf<T>... columns)
      : TableDesc{std::move(name), std::move(title), scope, sampled, {std::move(columns)...}} {}
};

// The standard tables, in the order of standardTables().
/// Flow, group, source, destination, class, measured; size; start, end, the sender's end; delivered, sent and
/// retransmitted bytes, packets; finished, timeouts, reordered, the connection's end.
using FlowsTable = Table<uint32_t, uint32_t, NodeId, NodeId, uint8_t, bool, uint64_t, Time, Time, Time, uint64_t,
                         uint64_t, uint64_t, uint64_t, bool, uint32_t, uint64_t, Time>;
/// Time, node, port, class; bytes, packets, most bytes.
using QueuesTable = Table<Time, NodeId, uint16_t, uint8_t, uint64_t, uint32_t, uint64_t>;
/// Time, node, port; sent and data bytes, time paused.
using LinksTable = Table<Time, NodeId, uint16_t, uint64_t, uint64_t, Time>;
/// Time, flow, sender; rate, window, sent and acknowledged bytes.
using RatesTable = Table<Time, uint32_t, NodeId, Rate, Bytes, uint64_t, uint64_t>;
/// Time, node, port, class; XOFF, sent.
using PausesTable = Table<Time, NodeId, uint16_t, uint8_t, bool, bool>;
/// Time, node, port, class, flow; kind, bytes, reason.
using DropsTable = Table<Time, NodeId, uint16_t, uint8_t, uint32_t, uint8_t, uint32_t, uint8_t>;
/// Time, node, port; event, flow, kind, first byte, bytes, class, marked.
using PacketsTable = Table<Time, NodeId, uint16_t, uint8_t, uint32_t, uint8_t, uint64_t, uint32_t, uint8_t, bool>;
/// Time, flow, receiver; bytes, packets, last arrival.
using ArrivalsTable = Table<Time, uint32_t, NodeId, uint64_t, uint64_t, Time>;

inline constexpr FlowsTable::Id kFlows{0};
inline constexpr QueuesTable::Id kQueues{1};
inline constexpr LinksTable::Id kLinks{2};
inline constexpr RatesTable::Id kRates{3};
inline constexpr PausesTable::Id kPauses{4};
inline constexpr DropsTable::Id kDrops{5};
inline constexpr PacketsTable::Id kPackets{6};
inline constexpr ArrivalsTable::Id kArrivals{7};
inline constexpr int kStandardTables = 8;
const std::vector<TableDesc>& standardTables();

enum class DropReason : uint8_t { BufferFull, QueueFull, NoRoute, LinkDown, QueueManagement, FlowStopped };
enum class PacketEvent : uint8_t { Enqueue, Dequeue, Mark, Drop, Receive };

}  // namespace fabric
