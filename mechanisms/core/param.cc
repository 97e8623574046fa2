#include "mechanisms/core/param.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace fabric {

namespace {

constexpr double kHuge = std::numeric_limits<double>::max();
constexpr int64_t kExact = int64_t{1} << 53;  // whole numbers up to here are exact in every JSON reader

/// The shortest text that reads back as the same number.
std::string shortest(double x) {
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    if (std::strtod(text, nullptr) == x) break;
  }
  return text;
}

std::string withUnit(double x, const std::string& unit) {
  return shortest(x) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string refusal(const Axis& axis, double x, const double* before) {
  if (!(x >= axis.min && x <= axis.max)) {  // NaN included
    return withUnit(x, axis.unit) + " is outside " + shortest(axis.min) + " to " + shortest(axis.max);
  }
  if (axis.type != ParamType::Float && x != std::floor(x)) return withUnit(x, axis.unit) + " is no whole number";
  if (axis.increasing && before != nullptr && !(x > *before)) {
    return withUnit(x, axis.unit) + " is not above " + shortest(*before) + ", the one before";
  }
  return "";
}

std::string refusal(const Param& p, const NumberList& rows) {
  if (rows.size() < p.minEntries || rows.size() > p.maxEntries) {
    return "has " + std::to_string(rows.size()) + " entries, and takes " + std::to_string(p.minEntries) + " to " +
           std::to_string(p.maxEntries);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string where = "entry " + std::to_string(i + 1);
    if (rows[i].size() != p.axes.size()) {
      return where + " has " + std::to_string(rows[i].size()) + " numbers, and takes " + std::to_string(p.axes.size());
    }
    for (size_t k = 0; k < p.axes.size(); ++k) {
      const std::string why = refusal(p.axes[k], rows[i][k], i == 0 ? nullptr : &rows[i - 1][k]);
      if (!why.empty()) return where + ": " + p.axes[k].name + " " + why;
    }
  }
  return "";
}

[[noreturn]] void mustBe(const char* what, const nlohmann::json& json) {
  throw ParamError(std::string("must be ") + what + ", is " + json.dump().substr(0, 60));
}

double number(const nlohmann::json& json) {
  if (!json.is_number()) mustBe("a number", json);
  return json.get<double>();
}

NumberList rows(const nlohmann::json& json) {
  if (!json.is_array()) mustBe("a list", json);
  NumberList rows;
  for (const auto& item : json) {
    rows.emplace_back();
    if (!item.is_array()) {
      rows.back().push_back(number(item));
      continue;
    }
    for (const auto& n : item) rows.back().push_back(number(n));
  }
  return rows;
}

}  // namespace

const ParamTypeInfo& info(ParamType type) {
  static const ParamTypeInfo types[] = {
      // in the order of ParamType
      {ParamType::Bool, "bool", "", false, true},
      {ParamType::Int, "int", "1", int64_t{0}, kExact},
      {ParamType::Float, "float", "1", -kHuge, kHuge},
      {ParamType::Time, "time", "ps", int64_t{0}, kLongestTime.ps},
      {ParamType::Rate, "rate", "bit/s", int64_t{0}, kExact},
      {ParamType::Bytes, "bytes", "B", int64_t{0}, kExact},
      {ParamType::Choice, "choice", "", std::string(), std::string()},
      {ParamType::List, "list", "", NumberList(), NumberList()},
  };
  return types[static_cast<size_t>(type)];
}

std::string refusal(const Param& p, const Value& v) {
  if (p.type == ParamType::List) return refusal(p, std::get<NumberList>(v));
  if (p.type == ParamType::Choice &&
      std::find(p.choices.begin(), p.choices.end(), std::get<std::string>(v)) == p.choices.end()) {
    std::string known;
    for (const auto& c : p.choices) known += (known.empty() ? "" : ", ") + c;
    return "'" + toText(v) + "' is not one of " + known;
  }
  if (p.hasRange() && !(v >= p.min && v <= p.max)) {  // NaN included
    return toText(v) + " " + p.unit + " is outside " + toText(p.min) + " to " + toText(p.max);
  }
  return "";
}

namespace {

struct Unit {
  int64_t scale;
  const char* name;
};

/// In the largest unit that is not above the value.
std::string inUnits(int64_t value, std::initializer_list<Unit> units) {
  const auto* unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return value >= u.scale; });
  if (unit == units.end()) --unit;
  return shortest(static_cast<double>(value) / static_cast<double>(unit->scale)) + unit->name;
}

}  // namespace

std::string toText(Time t) {
  return inUnits(t.ps, {{1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}});
}

std::string toText(Rate r) {
  return inUnits(r.bps, {{1000000000, "Gbps"}, {1000000, "Mbps"}, {1000, "kbps"}, {1, "bps"}});
}

/// In the largest unit that needs at most one decimal, none of KiB and its like.
std::string toText(Bytes b) {
  constexpr Unit kUnits[] = {{1 << 30, "GiB"}, {1000000000, "GB"}, {1 << 20, "MiB"},
                             {1000000, "MB"},  {1 << 10, "KiB"},   {1000, "KB"}};
  for (const Unit& u : kUnits) {
    const int64_t least = u.scale % 10 == 0 ? u.scale / 10 : u.scale;
    if (b.n >= u.scale && b.n % least == 0) return inUnits(b.n, {u});
  }
  return std::to_string(b.n) + "B";
}

std::string toText(const Param& p, const Value& value) {
  switch (p.type) {
    case ParamType::Time: return toText(Time{std::get<int64_t>(value)});
    case ParamType::Rate: return toText(Rate{std::get<int64_t>(value)});
    case ParamType::Bytes: return toText(Bytes{std::get<int64_t>(value)});
    default: return toText(value);
  }
}

std::string toText(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value)) return shortest(*d);
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  std::string text;
  for (const auto& row : std::get<NumberList>(value)) {
    std::string entry;
    for (const double x : row) entry += (entry.empty() ? "" : ",") + shortest(x);
    text += (text.empty() ? "" : ",") + (row.size() == 1 ? entry : "[" + entry + "]");
  }
  return "[" + text + "]";
}

Value fromText(const Param& p, const std::string& text) {
  if (std::holds_alternative<std::string>(p.def)) return text;
  try {
    return fromJson(p, nlohmann::json::parse(text));
  } catch (const nlohmann::json::parse_error&) {
    throw ParamError("'" + text + "' is no list of numbers, such as [1,2] or [[0,0],[1,5]]");
  }
}

nlohmann::ordered_json toJson(const Value& value) {
  if (!std::holds_alternative<NumberList>(value)) {
    return std::visit([](const auto& x) { return nlohmann::ordered_json(x); }, value);
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : std::get<NumberList>(value)) {
    list.push_back(row.size() == 1 ? nlohmann::ordered_json(row[0]) : nlohmann::ordered_json(row));
  }
  return list;
}

Value fromJson(const Param& p, const nlohmann::json& json) {
  if (std::holds_alternative<bool>(p.def)) {
    if (!json.is_boolean()) mustBe("true or false", json);
    return json.get<bool>();
  }
  if (std::holds_alternative<int64_t>(p.def)) {
    if (!json.is_number_integer()) mustBe("a whole number", json);
    if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX}) mustBe("below 2^63", json);
    return json.get<int64_t>();
  }
  if (std::holds_alternative<double>(p.def)) return number(json);
  if (std::holds_alternative<std::string>(p.def)) {
    if (!json.is_string()) mustBe("a string", json);
    return json.get<std::string>();
  }
  return rows(json);
}

}  // namespace fabric
