#include "signals.h"

#include "names.h"
#include "nodes.h"

namespace fabriclab {

using fabric::Cell;
using fabric::Column;
using fabric::ColumnType;
using omnetpp::cModule;
using omnetpp::simsignal_t;

std::string TraceRow::str() const {
  std::string text = table.name + ":";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool real = table.columns[c].type == ColumnType::F64;
    text +=
        " " + table.columns[c].name + "=" + (real ? std::to_string(cells[c].f64()) : std::to_string(cells[c].i64()));
  }
  return text;
}

SignalSink::SignalSink(fabric::TraceBus& bus, std::vector<NodeModule*> nodes, FlowSources& flows)
    : nodes_(std::move(nodes)), flows_(flows) {
  tables_.resize(bus.size());
  for (int i = 0; i < bus.size(); ++i) {
    if (!bus.on(i)) continue;
    Table& t = tables_[i];
    t.desc = &bus.desc(i);
    for (size_t c = 0; c < t.desc->columns.size(); ++c) {
      const Column& column = t.desc->columns[c];
      const int place = static_cast<int>(c);
      if (column.name == "node" || (column.name == "src" && t.node < 0)) t.node = place;
      if (column.name == "flow") t.flow = place;
      if (column.name == "port") t.port = place;
      if (column.name == "class") t.cls = place;
      t.signals.push_back(isPlace(column) ? SIMSIGNAL_NULL
                                          : cModule::registerSignal(signalName(*t.desc, column).c_str()));
    }
    if (t.node < 0) flows.remember();
    bus.addSink(i, this);
  }
}

cModule& SignalSink::moduleOf(const Table& t, const Cell* cells) const {
  NodeModule& node = *nodes_[t.node >= 0 ? cells[t.node].bits : flows_.of(static_cast<uint32_t>(cells[t.flow].bits))];
  if (t.port < 0) return node;
  PortModule& port = node.portModule(cells[t.port].bits);
  return t.cls < 0 ? port : port.classModule(cells[t.cls].bits);
}

void SignalSink::row(int table, const Cell* cells) {
  const Table& t = tables_[table];
  cModule& module = moduleOf(t, cells);
  for (size_t c = 0; c < t.signals.size(); ++c) {
    const simsignal_t signal = t.signals[c];
    if (signal == SIMSIGNAL_NULL || !module.mayHaveListeners(signal)) continue;
    TraceRow details(*t.desc, cells);
    switch (t.desc->columns[c].type) {
      case ColumnType::F64: module.emit(signal, cells[c].f64(), &details); break;
      case ColumnType::I64: module.emit(signal, static_cast<omnetpp::intval_t>(cells[c].i64()), &details); break;
      case ColumnType::Bool: module.emit(signal, cells[c].bits != 0, &details); break;
      default: module.emit(signal, static_cast<omnetpp::uintval_t>(cells[c].bits), &details);
    }
  }
}

}  // namespace fabriclab
