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

void DescriptionBuilder::add(const char* name, ParamType type, const Value& def, const char* help, const char* source) {
  Param& p = d_.params.emplace_back();
  p.name = name;
  p.type = type;
  p.unit = info(type).unit;
  p.def = def;
  p.min = info(type).min;
  p.max = info(type).max;
  p.help = help;
  p.source = source;
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
