#include "mechanisms/core/component.h"

#include <algorithm>
#include <map>

#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

namespace {

[[noreturn]] void refuse(const Component& c, const Param& p, const std::string& why) {
  throw ParamError(c.description().name + "." + p.name + ": " + why);
}

/// An integer given for a float is meant as one.
Value convert(const Component& c, const Param& p, const Value& v) {
  if (v.index() == p.def.index()) return v;
  if (p.type == ParamType::Float && std::holds_alternative<int64_t>(v)) {
    return static_cast<double>(std::get<int64_t>(v));
  }
  refuse(c, p, "'" + toText(v) + "' is not a value of type " + toString(p.type));
}

/// Says of a component's member of type T which type of parameter it is, and turns it into a Value and back.
template <class T>
struct ParamOf;

template <class T, ParamType P>
struct PlainParam {
  static constexpr ParamType type = P;
  static Value value(const T& v) { return v; }
  static T member(const Value& v) { return std::get<T>(v); }
};
template <>
struct ParamOf<bool> : PlainParam<bool, ParamType::Bool> {};
template <>
struct ParamOf<int64_t> : PlainParam<int64_t, ParamType::Int> {};
template <>
struct ParamOf<double> : PlainParam<double, ParamType::Float> {};

template <class T, ParamType P, int64_t T::*number>
struct QuantityParam {
  static constexpr ParamType type = P;
  static Value value(const T& v) { return v.*number; }
  static T member(const Value& v) { return T{std::get<int64_t>(v)}; }
};
template <>
struct ParamOf<Time> : QuantityParam<Time, ParamType::Time, &Time::ps> {};
template <>
struct ParamOf<Rate> : QuantityParam<Rate, ParamType::Rate, &Rate::bps> {};
template <>
struct ParamOf<Bytes> : QuantityParam<Bytes, ParamType::Bytes, &Bytes::n> {};

template <>
struct ParamOf<std::vector<double>> {
  static constexpr ParamType type = ParamType::List;
  static Value value(const std::vector<double>& v) {
    NumberList rows;
    for (const double x : v) rows.push_back({x});
    return rows;
  }
  static std::vector<double> member(const Value& v) {
    std::vector<double> list;
    for (const auto& row : std::get<NumberList>(v)) list.push_back(row[0]);
    return list;
  }
};
template <>
struct ParamOf<Curve> {
  static constexpr ParamType type = ParamType::List;
  static Value value(const Curve& v) {
    NumberList rows;
    for (const Point& p : v) rows.push_back({p.x, p.y});
    return rows;
  }
  static Curve member(const Value& v) {
    Curve curve;
    for (const auto& row : std::get<NumberList>(v)) curve.push_back({row[0], row[1]});
    return curve;
  }
};

std::map<std::string, const Description*>& components() {
  static std::map<std::string, const Description*> all;
  return all;
}

}  // namespace

Description::Description() = default;
Description::Description(Description&&) noexcept = default;
Description::~Description() = default;

const Param* Description::find(const std::string& param) const {
  const auto it = std::find_if(params.begin(), params.end(), [&](const Param& p) { return p.name == param; });
  return it == params.end() ? nullptr : &*it;
}

DescriptionBuilder::DescriptionBuilder(const char* name, Kind kind, const char* title) {
  d_.name = name;
  d_.kind = kind;
  d_.title = title;
}

DescriptionBuilder::~DescriptionBuilder() = default;

void DescriptionBuilder::setHelp(const char* text) { d_.help = text; }
void DescriptionBuilder::setSource(const char* text) { d_.source = text; }
void DescriptionBuilder::setUnit(const char* text) { last().unit = text; }
void DescriptionBuilder::addNeed(const char* what) { d_.needs.emplace_back(what); }
void DescriptionBuilder::addNeedWhile(const char* param, const char* value, const char* what) {
  d_.needsWhile.push_back({param, value, what});
}

Param& DescriptionBuilder::add(const char* name, ParamType type, const Value& def, const char* help,
                               const char* source) {
  Param& p = d_.params.emplace_back();
  p.name = name;
  p.type = type;
  p.unit = info(type).unit;
  p.def = def;
  p.min = info(type).min;
  p.max = info(type).max;
  p.help = help;
  p.source = source;
  return p;
}

template <class T>
void DescriptionBuilder::add(const char* name, T Component::*m, const T& def, const char* help, const char* source) {
  using Of = ParamOf<T>;
  Param& p = add(name, Of::type, Of::value(def), help, source);
  p.store = [m](Component& c, const Value& v) { c.*m = Of::member(v); };
  p.load = [m](const Component& c) { return Of::value(c.*m); };
}

#define FABRIC_PARAM(T) \
  template void DescriptionBuilder::add(const char*, T Component::*, const T&, const char*, const char*)
FABRIC_PARAM(bool);
FABRIC_PARAM(int64_t);
FABRIC_PARAM(double);
FABRIC_PARAM(Time);
FABRIC_PARAM(Rate);
FABRIC_PARAM(Bytes);
FABRIC_PARAM(std::vector<double>);
FABRIC_PARAM(Curve);
#undef FABRIC_PARAM

void DescriptionBuilder::addChoice(const char* name, Choice Component::*m, std::initializer_list<const char*> choices,
                                   const char* def, const char* help, const char* source) {
  Param& p = add(name, ParamType::Choice, std::string(def), help, source);
  p.choices.assign(choices.begin(), choices.end());
  p.store = [m, of = p.choices](Component& c, const Value& v) {
    const auto it = std::find(of.begin(), of.end(), std::get<std::string>(v));
    if (it != of.end()) (c.*m).index = static_cast<int>(it - of.begin());
  };
  p.load = [m, of = p.choices](const Component& c) { return Value(of[(c.*m).index]); };
}

void DescriptionBuilder::addRange(double lo, double hi) {
  if (last().type == ParamType::Float) {
    last().min = lo;
    last().max = hi;
  } else {
    last().min = static_cast<int64_t>(lo);
    last().max = static_cast<int64_t>(hi);
  }
}

void DescriptionBuilder::addAxis(const char* name, ParamType type, double lo, double hi) {
  last().axes.push_back({name, type, info(type).unit, lo, hi, false});
}

void DescriptionBuilder::addRelation(const char* other, const char* why) { last().relations.push_back({other, why}); }

void DescriptionBuilder::addExtension(const char* name, size_t memoryBytes, int64_t wireBytes, const char* wire) {
  d_.extensions.push_back({name, memoryBytes, wireBytes, wire});
}

void DescriptionBuilder::addTable(const TableDesc& table) { d_.tables.push_back(table); }

void Component::set(const Param& param, const Value& value) {
  const Value v = convert(*this, param, value);
  if (const std::string why = refusal(param, v); !why.empty()) refuse(*this, param, why);
  if (started() && !param.live) {
    refuse(*this, param, "cannot change during a run; set it before the simulation starts");
  }
  if (!started()) {
    param.store(*this, v);
    return;
  }
  const Network* network = Network::of(startedIn_);
  if (network == nullptr) refuse(*this, param, "its network has gone; change it before the network goes");
  const Value before = param.load(*this);
  param.store(*this, v);
  try {
    Report report;
    checkAll(*network, report);
    if (!report.empty()) refuse(*this, param, report.problems().front().text);
    onChange();
  } catch (...) {  // it does not go with the other parameters: as if nothing had been asked
    param.store(*this, before);
    onChange();
    throw;
  }
}

void Component::set(const std::string& param, const Value& value) {
  const Param* p = description().find(param);
  if (p == nullptr) throw ParamError(description().name + " has no parameter '" + param + "'");
  set(*p, value);
}

Value Component::get(const std::string& param) const {
  const Param* p = description().find(param);
  if (p == nullptr) throw ParamError(description().name + " has no parameter '" + param + "'");
  return p->load(*this);
}

void Component::applyDefaults() {
  for (const Param& p : description().params) p.store(*this, p.def);
}

void Component::checkAll(const Network& network, Report& report) const {
  const std::string& name = description().name;
  for (const Param& p : description().params) {
    for (const Relation& r : p.relations) {
      const Value value = get(p), most = get(r.other);
      if (value <= most) continue;
      report.refuse(name + "." + p.name + " is " + toText(p, value) + ", above " + name + "." + r.other +
                        ", which is " + toText(*description().find(r.other), most) + "; " + r.why,
                    {{*this, p.name.c_str()}, {*this, r.other.c_str()}});
    }
  }
  check(network, report);
}

void Component::eachNeed(
    const std::function<void(const std::string& who, const char* param, const std::string& need)>& tell) const {
  const Description& d = description();
  for (const std::string& need : d.needs) tell(d.name, "", need);
  for (const NeedWhile& n : d.needsWhile) {
    if (toText(get(n.param)) == n.value) tell(d.name + "." + n.param + ": " + n.value, n.param.c_str(), n.what);
  }
}

void Component::start(Network& network) {
  if (started()) return;
  startedIn_ = network.number();
  onStart(network);
}

void Registry::add(const Description& (*describe)()) {
  const Description& d = describe();
  if (!components().emplace(d.name, &d).second) {
    throw std::logic_error("two components are called " + d.name);
  }
}

std::vector<const Description*> Registry::all() {
  std::vector<const Description*> list;
  for (const auto& [name, d] : components()) list.push_back(d);
  return list;
}

const Description* Registry::find(const std::string& name) {
  const auto it = components().find(name);
  return it == components().end() ? nullptr : it->second;
}

}  // namespace fabric
