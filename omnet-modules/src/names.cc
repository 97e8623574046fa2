#include "names.h"

#include <cctype>
#include <map>
#include <utility>
#include <vector>

namespace fabriclab {

using fabric::Column;
using fabric::ParamType;
using fabric::TableDesc;
using fabric::Value;

std::string camelCase(const std::string& name) {
  std::string out;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return out;
}

std::string nedType(const std::string& component) {
  std::string name = camelCase(component);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

std::string countName(const fabric::Slot& slot) { return "num" + nedType(slot.kind.name) + "s"; }

const NedForm& nedForm(ParamType type) {
  static const std::map<ParamType, NedForm> forms{
      {ParamType::Bool, {"bool", "", 1, ""}},         {ParamType::Int, {"int", "", 1, ""}},
      {ParamType::Float, {"double", "", 1, ""}},      {ParamType::Time, {"double", "s", 1e12, "ps"}},
      {ParamType::Rate, {"double", "bps", 1, "bps"}}, {ParamType::Bytes, {"int", "B", 1, "B"}},
  };
  static const NedForm text{"string", "", 1, ""};
  const auto it = forms.find(type);
  return it == forms.end() ? text : it->second;
}

namespace {

using Units = std::vector<std::pair<const char*, int64_t>>;  // the largest first

std::string inLargest(int64_t value, const Units& units, const std::string& base) {
  if (value == 0) return "0" + base;
  for (const auto& [unit, size] : units) {
    if (value % size == 0) return std::to_string(value / size) + unit;
  }
  return std::to_string(value) + units.back().first;
}

}  // namespace

std::string nedValue(ParamType type, const Value& value) {
  static const Units times{{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}, {"ps", 1}};
  static const Units rates{{"Gbps", 1000000000}, {"Mbps", 1000000}, {"kbps", 1000}, {"bps", 1}};
  const NedForm& form = nedForm(type);
  if (type == ParamType::Time) return inLargest(std::get<int64_t>(value), times, form.unit);
  if (type == ParamType::Rate) return inLargest(std::get<int64_t>(value), rates, form.unit);
  const std::string text = fabric::toText(value);
  return form.type == std::string("string") ? quoted(text) : text + form.unit;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

bool isPlace(const Column& column) {
  for (const char* place : {"time_ps", "node", "port", "class", "flow", "src"}) {
    if (column.name == place) return true;
  }
  return false;
}

std::string signalName(const TableDesc& table, const Column& column) {
  return camelCase(table.name + "_" + column.name);
}

}  // namespace fabriclab
