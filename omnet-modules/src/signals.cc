#include "signals.h"

#include <algorithm>

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

namespace {

/// The mechanisms that have this table of their own; a standard table has none.
std::vector<const fabric::Description*> makersOf(const std::string& table) {
  std::vector<const fabric::Description*> makers;
  for (const fabric::Description* d : fabric::Registry::all()) {
    const auto same = [&](const fabric::TableDesc& t) { return t.name == table; };
    if (std::any_of(d->tables.begin(), d->tables.end(), same)) makers.push_back(d);
  }
  return makers;
}

/// Null: none of them stands there. `cls` is that of a queue; any if it is below 0.
cModule* find(const Mechanisms& mechanisms, const std::vector<const fabric::Description*>& makers, int64_t cls) {
  for (MechanismModule* m : mechanisms) {
    if (std::find(makers.begin(), makers.end(), &m->description()) == makers.end()) continue;
    if (cls < 0 || m->description().kind != fabric::Kind::Queue || m->getIndex() == cls) return m;
  }
  return nullptr;
}

}  // namespace

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
    t.makers = makersOf(t.desc->name);
    if (t.node < 0) flows.remember();
    bus.addSink(i, this);
  }
}

cModule& SignalSink::moduleOf(const Table& t, const Cell* cells) const {
  NodeModule& node = *nodes_[t.node >= 0 ? cells[t.node].bits : flows_.of(static_cast<uint32_t>(cells[t.flow].bits))];
  const int64_t cls = t.cls < 0 ? -1 : static_cast<int64_t>(cells[t.cls].bits);
  PortModule* port = t.port < 0 ? nullptr : &node.portModule(cells[t.port].bits);
  if (!t.makers.empty()) {
    // A switch's mechanism may tell of the switch's ports.
    if (cModule* maker = port == nullptr ? nullptr : find(port->mechanisms(), t.makers, cls)) return *maker;
    if (cModule* maker = find(node.mechanisms(), t.makers, -1)) return *maker;
  }
  if (port == nullptr) return node;
  return cls < 0 ? *port : port->classModule(static_cast<size_t>(cls));
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
