// Prints the NED types of all mechanisms, and the parameters of hosts, switches and ports, from the
// self-descriptions in mechanisms/.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "mechanisms/core/component.h"
#include "omnet-modules/src/names.h"

namespace {

using fabric::Column;
using fabric::ColumnType;
using fabric::Description;
using fabric::Kind;
using fabric::Param;
using fabric::ParamType;
using fabric::TableDesc;
using fabriclab::camelCase;

/// Text as // comment lines, none too long.
std::string comment(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + word.size() > 95 - indent.size()) {
      out += indent + "//" + line + "\n";
      line.clear();
    }
    line += " " + word;
  }
  return line.empty() ? out : out + indent + "//" + line + "\n";
}

std::string properties(const Param& p) {
  std::string text;
  if (p.live) text += " @mutable";
  if (const std::string unit = fabriclab::nedForm(p.type).unit; !unit.empty()) text += " @unit(" + unit + ")";
  if (p.type == ParamType::Choice) {
    std::string list;
    for (const std::string& c : p.choices) list += (list.empty() ? "\"" : ", \"") + c + "\"";
    text += " @enum(" + list + ")";
  }
  return text;
}

void printParams(const Description& d) {
  for (const Param& p : d.params) {
    std::string note = p.help;
    if (p.hasRange()) {
      const std::string lo = fabriclab::nedValue(p.type, p.min), hi = fabriclab::nedValue(p.type, p.max);
      if (p.type != ParamType::Float || std::get<double>(p.max) < 1e300) note += "; " + lo + " to " + hi;
    }
    for (const fabric::Axis& a : p.axes) {
      note += (&a == &p.axes.front() ? "; a list of: " : ", ") + a.name + (a.unit == "1" ? "" : " in " + a.unit);
    }
    note += ". Source: " + p.source;
    std::cout << "\n" << comment(note, "        ");
    std::cout << "        " << fabriclab::nedForm(p.type).type << " " << camelCase(p.name) << properties(p)
              << " = default(" << fabriclab::nedValue(p.type, p.def) << ");\n";
  }
}

std::string signalType(ColumnType t) {
  switch (t) {
    case ColumnType::F64: return "double";
    case ColumnType::I64: return "long";
    case ColumnType::Bool: return "bool";
    default: return "unsigned long";
  }
}

bool has(const TableDesc& t, const char* column) {
  return std::any_of(t.columns.begin(), t.columns.end(), [&](const Column& c) { return c.name == column; });
}

/// Statistics record only what the configuration asks for: vectors of every sample are dear.
void printSignals(const TableDesc& t) {
  std::cout << "\n" << comment("Table " + t.name + ": " + t.title + ".", "        ");
  for (const Column& c : t.columns) {
    if (fabriclab::isPlace(c)) continue;
    const std::string name = fabriclab::signalName(t, c);
    std::cout << "        @signal[" << name << "](type=" << signalType(c.type) << ");\n";
    std::cout << "        @statistic[" << name << "](title=\"" << c.help << "\"; "
              << (c.unit.empty() || c.unit == "1" ? ""
                                                  : "unit=" + (c.unit == "bit/s" ? std::string("bps") : c.unit) + "; ")
              << "record=" << (t.sampled ? "last,max,vector?" : "count,last,vector?") << ");\n";
  }
}

bool isPort(const TableDesc& t) { return has(t, "port"); }

void printNode(const char* component, const char* type, const char* cls, bool (*shows)(const TableDesc&)) {
  const Description& d = *fabric::Registry::find(component);
  std::cout << "\n" << comment(d.title + ". " + d.help + " Source: " + d.source, "");
  std::cout << "module " << type << "\n{\n    parameters:\n        @class(" << cls << ");\n";
  printParams(d);
  for (const TableDesc* t : fabriclab::allTables()) {
    if (shows(*t)) printSignals(*t);
  }
  std::cout << "}\n";
}

void printClassSignals() {
  for (const TableDesc* t : fabriclab::allTables()) {
    if (isPort(*t) && has(*t, "class")) printSignals(*t);
  }
}

/// A host's port has no queue modules, so it shows itself what happens in its classes.
void printNicBase() {
  std::cout << "\nmodule NicBase extends PortBase\n{\n    parameters:\n";
  printClassSignals();
  std::cout << "}\n";
}

const char* interface(Kind kind) {
  switch (kind) {
    case Kind::PathSelector: return "IPathSelector";
    case Kind::Queue: return "IQueue";
    case Kind::PortAgent: return "IPortAgent";
    case Kind::Transport: return "ITransport";
    case Kind::CongestionControl: return "ICongestionControl";
    case Kind::ReceiverAgent: return "IReceiverAgent";
    case Kind::Allocator:
    case Kind::Node: break;
  }
  throw std::logic_error(std::string("no NED module has a place for a ") + fabric::toString(kind));
}

void printMechanism(const Description& d) {
  std::cout << "\n" << comment(d.title + ". " + d.help + " Source: " + d.source, "");
  std::cout << "simple " << fabriclab::nedType(d.name) << " like " << interface(d.kind) << "\n{\n    parameters:\n"
            << "        @class(MechanismModule);\n        @component(" << d.name << ");\n"
            << "        @display(\"i=block/cogwheel_s\");\n";
  printParams(d);
  if (d.kind == Kind::Queue) printClassSignals();
  std::cout << "}\n";
}

}  // namespace

int main() {
  std::cout << "// Generated from the self-descriptions in mechanisms/ (the same as fabric-describe); do not edit.\n"
               "package fabriclab;\n";
  printNode("host", "HostBase", "HostModule", [](const TableDesc& t) { return !isPort(t); });
  printNode("switch", "SwitchBase", "SwitchModule", [](const TableDesc&) { return false; });
  printNode("port", "PortBase", "PortModule", [](const TableDesc& t) { return isPort(t) && !has(t, "class"); });
  printNicBase();
  for (const Description* d : fabric::Registry::all()) {
    if (d->kind != Kind::Node) printMechanism(*d);
  }
  return std::cout.flush() ? 0 : 1;
}
