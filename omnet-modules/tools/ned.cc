// Prints the NED types of all mechanisms, and the parameters of hosts, switches and ports, from the
// self-descriptions in mechanisms/.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/slots.h"
#include "omnet-modules/src/names.h"

namespace {

using fabric::Column;
using fabric::ColumnType;
using fabric::Count;
using fabric::Description;
using fabric::Kind;
using fabric::Param;
using fabric::ParamType;
using fabric::Slot;
using fabric::Slots;
using fabric::TableDesc;
using fabric::Where;
using fabriclab::camelCase;
using fabriclab::nedType;

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

/// What .sca files have of a column. Of events: how many there were and, where it means something, their sum; a last
/// one would be nan where there was none.
std::string recorded(const TableDesc& t, const Column& c) {
  if (t.sampled) return "last,max";
  return c.unit == "B" || c.unit == "1" || c.type == ColumnType::Bool ? "count,sum" : "count";
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
              << "record=" << recorded(t, c) << ",vector?);\n";
  }
}

bool isPort(const TableDesc& t) { return has(t, "port"); }

/// Those of the standard tables that a module shows; a mechanism's own tables are shown by the mechanism.
void printSignals(bool (*shows)(const TableDesc&)) {
  for (const TableDesc& t : fabric::standardTables()) {
    if (shows(t)) printSignals(t);
  }
}

std::string interface(Kind kind) { return "I" + nedType(kind.name); }

/// How many mechanisms a slot for several has. A switch or host tells its ports how many classes there are.
void printCounts(Where where) {
  for (const Slot& s : Slots::all()) {
    if (s.where != where) continue;
    if (s.count == Count::PerClass) std::cout << "\n        int numClasses = default(2);  // 0 the highest priority\n";
    if (s.count == Count::Many) {
      std::cout << "\n        int " << fabriclab::countName(s) << " = default(0);\n";
    }
  }
}

/// A submodule, or a vector of them, for each slot.
void printSlots(Where where) {
  int row = 0;
  std::cout << "    submodules:\n";
  for (const Slot& s : Slots::all()) {
    if (s.where != where) continue;
    const std::string name = camelCase(s.kind.name), type = s.standard.empty() ? "" : nedType(s.standard);
    const std::string place = "p=80," + std::to_string(60 + 80 * row++);
    std::cout << comment(s.help + ".", "        ") << "        " << name;
    switch (s.count) {
      case Count::One:
        std::cout << ": <default(\"" << type << "\")> like " << interface(s.kind);
        if (type.empty()) std::cout << " if typename != \"\"";
        std::cout << " { @display(\"" << place << "\"); }\n";
        break;
      case Count::Many:
        std::cout << "[" << fabriclab::countName(s) << "]: <> like " << interface(s.kind) << " { @display(\"" << place
                  << ",row,100\"); }\n";
        break;
      case Count::PerClass:
        std::cout << "[numClasses]: <default(\"" << type << "\")> like " << interface(s.kind) << " { @display(\""
                  << place << ",row,100\"); }\n";
        break;
    }
  }
}

void printInterfaces() {
  std::vector<Kind> printed;
  for (const Slot& s : Slots::all()) {
    if (std::find(printed.begin(), printed.end(), s.kind) != printed.end()) continue;
    printed.push_back(s.kind);
    std::cout << "\n// A mechanism in the slot " << s.key << ". It has no gates: its " << toString(s.where)
              << " calls it.\nmoduleinterface " << interface(s.kind) << "\n{\n}\n";
  }
}

void printNode(const char* component, const char* type, const char* cls, Where where, bool (*shows)(const TableDesc&)) {
  const Description& d = *fabric::Registry::find(component);
  std::cout << "\n" << comment(d.title + ". " + d.help + " Source: " + d.source, "");
  std::cout << "module " << type << "\n{\n    parameters:\n        @class(" << cls << ");\n";
  printParams(d);
  printCounts(where);
  printSignals(shows);
  printSlots(where);
  std::cout << "}\n";
}

void printMechanism(const Description& d) {
  std::cout << "\n" << comment(d.title + ". " + d.help + " Source: " + d.source, "");
  std::cout << "simple " << nedType(d.name) << " like " << interface(d.kind) << "\n{\n    parameters:\n"
            << "        @class(MechanismModule);\n        @component(" << d.name << ");\n"
            << "        @display(\"i=block/cogwheel_s\");\n";
  printParams(d);
  for (const TableDesc& t : d.tables) printSignals(t);
  if (d.kind == Kind::Queue) printSignals([](const TableDesc& t) { return isPort(t) && has(t, "class"); });
  std::cout << "}\n";
}

}  // namespace

int main() {
  std::cout << "// Generated from the self-descriptions in mechanisms/ (the same as fabric-describe); do not edit.\n"
               "package fabriclab;\n";
  printInterfaces();
  const auto ofPort = [](const TableDesc& t) { return isPort(t) && !has(t, "class"); };
  printNode("host", "HostBase", "HostModule", Where::Host, [](const TableDesc& t) { return !isPort(t); });
  printNode("switch", "SwitchBase", "SwitchModule", Where::Switch, [](const TableDesc&) { return false; });
  printNode("port", "NicBase", "PortModule", Where::Nic, ofPort);
  printNode("port", "PortBase", "PortModule", Where::SwitchPort, ofPort);
  for (const Description* d : fabric::Registry::all()) {
    if (d->kind != Kind::Node) printMechanism(*d);
  }
  return std::cout.flush() ? 0 : 1;
}
