// The model's measurements as OMNeT++ signals: one per column of every table, so that they show the
// same series as the trace stream.
#pragma once

#include <omnetpp.h>

#include <string>
#include <vector>

#include "mechanisms/core/trace.h"

namespace fabriclab {

class NodeModule;

/// The whole row, as the details object of each of its signals.
class TraceRow final : public omnetpp::cObject {
 public:
  TraceRow(const fabric::TableDesc& table, const fabric::Cell* cells) : table(table), cells(cells) {}
  std::string str() const override;

  const fabric::TableDesc& table;
  const fabric::Cell* const cells;  // one per column
};

/// Emits the rows of all tables that are on: rows about a class from the port's queue of this class,
/// other rows about a port from the port, the rest from the host.
class SignalSink final : public fabric::RowSink {
 public:
  SignalSink(fabric::TraceBus& bus, std::vector<NodeModule*> nodes);
  void row(int table, const fabric::Cell* cells) override;

 private:
  struct Table {
    const fabric::TableDesc* desc = nullptr;
    std::vector<omnetpp::simsignal_t> signals;  // by column; SIMSIGNAL_NULL where it is a place
    int node = -1, port = -1, cls = -1;         // columns
  };
  omnetpp::cModule& moduleOf(const Table& table, const fabric::Cell* cells) const;

  std::vector<NodeModule*> nodes_;
  std::vector<Table> tables_;
};

}  // namespace fabriclab
