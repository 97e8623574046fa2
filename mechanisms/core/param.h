// Parameters: their types, values and limits. A type is one row of the table in param.cc, and one ParamOf in
// component.cc. ns-3 and OMNeT++ have native forms for bools, numbers and quantities; any other type they pass as
// text.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric {

class Component;

enum class ParamType { Bool, Int, Float, Time, Rate, Bytes, Choice, List };

/// A list's entries, each of as many numbers as the list has axes.
using NumberList = std::vector<std::vector<double>>;

/// A parameter's value outside of its component: times in ps, rates in bit/s, sizes in bytes.
using Value = std::variant<bool, int64_t, double, std::string, NumberList>;

struct ParamTypeInfo {
  ParamType type;
  const char* name;  // in the catalog
  const char* unit;  // of its values, "" where there is none
  Value min, max;    // limits where a parameter declares none; of the form of its values
};
const ParamTypeInfo& info(ParamType type);
inline const char* toString(ParamType type) { return info(type).name; }

/// An index into a parameter's list of choices.
struct Choice {
  int index = 0;
};

/// A point of a curve; a list with two axes.
struct Point {
  double x = 0, y = 0;
};
using Curve = std::vector<Point>;

/// What one column of a list holds.
struct Axis {
  std::string name;
  ParamType type = ParamType::Float;  // of numbers and quantities
  std::string unit;
  double min = 0, max = 0;  // inclusive
  bool increasing = false;  // each entry's number is above the one before
};

/// A parameter's value is not above that of another one of its component.
struct Relation {
  std::string other;
  std::string why;  // ends the message about a value that is
};

struct Param {
  std::string name;
  ParamType type = ParamType::Int;
  std::string unit;
  Value def;
  Value min, max;  // inclusive; where it has a range
  std::vector<std::string> choices;
  std::vector<Axis> axes;  // of a List, at least one
  size_t minEntries = 1, maxEntries = 1000;
  std::vector<Relation> relations;
  std::string help;
  std::string source;
  bool live = false;
  bool added = false;  // behind others: see Describe::added()
  std::function<void(Component&, const Value&)> store;
  std::function<Value(const Component&)> load;

  /// Numbers and quantities have limits.
  bool hasRange() const { return std::holds_alternative<int64_t>(def) || std::holds_alternative<double>(def); }
};

/// Raised for a value that a parameter does not take; the text names both.
class ParamError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// What is wrong with the value, "" if nothing.
std::string refusal(const Param& param, const Value& value);

/// A value without blanks, which ns-3 does not read: quantities as numbers in the unit of the type, a list as JSON.
std::string toText(const Value& value);
/// Values with their units, for people.
std::string toText(Time t);
std::string toText(Rate r);
std::string toText(Bytes b);
std::string toText(const Param& param, const Value& value);
/// The value of a parameter whose type has no native form in a simulator, from such a text.
Value fromText(const Param& param, const std::string& text);

/// A list with one axis is [1, 2, 4], one with two is [[0, 0], [1, 5]].
nlohmann::ordered_json toJson(const Value& value);
/// Only the form of the value is checked; limits are where a component is set. Throws ParamError.
Value fromJson(const Param& param, const nlohmann::json& json);

}  // namespace fabric
