#include "omnet-modules/tools/ned_types.h"

#include <algorithm>
#include <sstream>

#include "omnet-modules/src/names.h"

namespace fabriclab {

using fabric::Column;
using fabric::ColumnType;
using fabric::Description;
using fabric::Kind;
using fabric::Param;
using fabric::ParamType;
using fabric::TableDesc;

std::string nedComment(const std::string& text, const std::string& indent) {
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

namespace {

std::string properties(const Param& p) {
  std::string text;
  if (p.live) text += " @mutable";
  if (const std::string unit = nedForm(p.type).unit; !unit.empty()) text += " @unit(" + unit + ")";
  if (p.type == ParamType::Choice) {
    std::string list;
    for (const std::string& c : p.choices) list += (list.empty() ? "\"" : ", \"") + c + "\"";
    text += " @enum(" + list + ")";
  }
  return text;
}

}  // namespace

void printParams(std::ostream& out, const Description& d) {
  for (const Param& p : d.params) {
    std::string note = p.help;
    if (p.hasRange()) {
      const std::string lo = nedValue(p.type, p.min), hi = nedValue(p.type, p.max);
      if (p.type != ParamType::Float || std::get<double>(p.max) < 1e300) note += "; " + lo + " to " + hi;
    }
    for (const fabric::Axis& a : p.axes) {
      note += (&a == &p.axes.front() ? "; a list of: " : ", ") + a.name + (a.unit == "1" ? "" : " in " + a.unit);
    }
    note += ". Source: " + p.source;
    out << "\n" << nedComment(note, "        ");
    out << "        " << nedForm(p.type).type << " " << camelCase(p.name) << properties(p) << " = default("
        << nedValue(p.type, p.def) << ");\n";
  }
}

namespace {

std::string signalType(ColumnType t) {
  switch (t) {
    case ColumnType::F64: return "double";
    case ColumnType::I64: return "long";
    case ColumnType::Bool: return "bool";
    default: return "unsigned long";
  }
}

}  // namespace

bool hasColumn(const TableDesc& t, const char* column) {
  return std::any_of(t.columns.begin(), t.columns.end(), [&](const Column& c) { return c.name == column; });
}

namespace {

/// What .sca files have of a column. Of events: how many there were and, where it means something, their sum; a last
/// one would be nan where there was none.
std::string recorded(const TableDesc& t, const Column& c) {
  if (t.sampled) return "last,max";
  return c.unit == "B" || c.unit == "1" || c.type == ColumnType::Bool ? "count,sum" : "count";
}

/// Statistics record only what the configuration asks for: vectors of every sample are dear.
void printSignals(std::ostream& out, const TableDesc& t) {
  out << "\n" << nedComment("Table " + t.name + ": " + t.title + ".", "        ");
  for (const Column& c : t.columns) {
    if (isPlace(c)) continue;
    const std::string name = signalName(t, c);
    out << "        @signal[" << name << "](type=" << signalType(c.type) << ");\n";
    out << "        @statistic[" << name << "](title=\"" << c.help << "\"; "
        << (c.unit.empty() || c.unit == "1" ? "" : "unit=" + (c.unit == "bit/s" ? std::string("bps") : c.unit) + "; ")
        << "record=" << recorded(t, c) << ",vector?);\n";
  }
}

}  // namespace

bool isOfPort(const TableDesc& t) { return hasColumn(t, "port"); }

void printSignals(std::ostream& out, bool (*shows)(const TableDesc&)) {
  for (const TableDesc& t : fabric::standardTables()) {
    if (shows(t)) printSignals(out, t);
  }
}

std::string nedInterface(Kind kind) { return "I" + nedType(kind.name); }

void printMechanism(std::ostream& out, const Description& d, const std::string& package) {
  const bool inside = package == kPackage;
  out << "\n" << nedComment(d.title + ". " + d.help + " Source: " + d.source, "");
  out << "simple " << nedType(d.name) << " like " << (inside ? "" : "fabriclab.") << nedInterface(d.kind)
      << "\n{\n    parameters:\n"
      << "        @class(" << (inside ? "" : "fabriclab::") << "MechanismModule);\n        @component(" << d.name
      << ");\n"
      << "        @display(\"i=block/cogwheel_s\");\n";
  printParams(out, d);
  for (const TableDesc& t : d.tables) printSignals(out, t);
  if (d.kind == Kind::Queue) printSignals(out, [](const TableDesc& t) { return isOfPort(t) && hasColumn(t, "class"); });
  out << "}\n";
}

}  // namespace fabriclab
