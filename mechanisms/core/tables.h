// Trace tables: what they are called, their columns, and the standard ones of the node model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// The standard tables, numbered as in standardTables().
enum TableId : int { kFlows, kQueues, kLinks, kRates, kPauses, kDrops, kPackets, kArrivals, kStandardTables };
const std::vector<TableDesc>& standardTables();

enum class DropReason : uint8_t { BufferFull, QueueFull, NoRoute, LinkDown, QueueManagement, FlowStopped };
enum class PacketEvent : uint8_t { Enqueue, Dequeue, Mark, Drop, Receive };

}  // namespace fabric
