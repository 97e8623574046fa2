#include "objects.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "nodes.h"
#include "parameters.h"

namespace fabriclab {

using fabric::InputError;
using omnetpp::cValue;
using omnetpp::cValueArray;
using omnetpp::cValueMap;

namespace {

/// One {key: value, …} of a parameter, which knows its place.
class Fields {
 public:
  Fields(const cValue& value, std::string place, std::initializer_list<const char*> known)
      : map_(value.containsObject() ? dynamic_cast<const cValueMap*>(value.objectValue()) : nullptr),
        place_(std::move(place)) {
    if (map_ == nullptr) throw InputError(place_ + ": must be {key: value, ...}, is " + value.str());
    for (const auto& field : map_->getFields()) {
      if (std::none_of(known.begin(), known.end(), [&](const char* k) { return field.first == k; })) {
        std::string list;
        for (const char* k : known) list += (list.empty() ? "" : ", ") + std::string(k);
        throw InputError(place_ + ": unknown key '" + field.first + "'; known are " + list);
      }
    }
  }

  bool has(const char* key) const { return map_->containsKey(key); }
  std::string place(const char* key) const { return place_ + "." + key; }

  /// A quantity in whole `unit`s; "" is a plain number.
  int64_t quantity(const char* key, const char* unit, int64_t min, int64_t max) const {
    return read(key, [&](const cValue& v) { return number(v, unit, place(key), min, max); });
  }
  std::string text(const char* key) const {
    return read(key, [](const cValue& v) { return v.stdstringValue(); });
  }
  bool flag(const char* key) const {
    return read(key, [](const cValue& v) { return v.boolValue(); });
  }
  double real(const char* key) const {
    return read(key, [](const cValue& v) { return v.doubleValue(); });
  }
  /// Calls `each` with every element of a list.
  void list(const char* key, const std::function<void(const cValue&, const std::string& place)>& each) const {
    read(key, [&](const cValue& v) {
      const auto* array = omnetpp::check_and_cast<const cValueArray*>(v.objectValue());
      for (int i = 0; i < array->size(); ++i) each(array->get(i), place(key) + "[" + std::to_string(i) + "]");
      return 0;
    });
  }

  static int64_t number(const cValue& v, const char* unit, const std::string& place, int64_t min, int64_t max) {
    const int64_t n =
        v.getType() == cValue::INT && std::string_view(unit) == (v.getUnit() != nullptr ? v.getUnit() : "")
            ? v.intValueInUnit(v.getUnit())
            : wholeNumber(*unit == '\0' ? v.doubleValue() : v.doubleValueInUnit(unit), 1, unit, place.c_str());
    if (n < min || n > max) {
      throw InputError(place + ": " + std::to_string(n) + unit + " is outside " + std::to_string(min) + " to " +
                       std::to_string(max));
    }
    return n;
  }

 private:
  template <class Read>
  auto read(const char* key, Read&& read) const -> decltype(read(std::declval<const cValue&>())) {
    if (!has(key)) throw InputError(place_ + ": key '" + key + "' is missing");
    try {
      return read(map_->get(key));
    } catch (const omnetpp::cException& e) {
      throw InputError(place(key) + ": " + e.what());
    }
  }

  const cValueMap* map_;
  std::string place_;
};

constexpr int64_t kMax32 = 0xffffffff;
constexpr int64_t kMaxBytes = int64_t{1} << 53;

}  // namespace

uint32_t NodeNames::node(const std::string& path) const {
  auto* found = dynamic_cast<NodeModule*>(network_.getModuleByPath(("." + path).c_str()));
  if (found == nullptr)
    throw InputError("there is no host or switch '" + path + "' in network " + network_.getFullPath());
  return found->node().id();
}

fabric::TraceFilter::PortId NodeNames::port(const std::string& path) const {
  auto* found = dynamic_cast<PortModule*>(network_.getModuleByPath(("." + path).c_str()));
  if (found == nullptr) {
    throw InputError("there is no port '" + path + "' in network " + network_.getFullPath() +
                     "; ports are written like s1.port[2], those of hosts like h1.nic[0]");
  }
  return {found->port().node().id(), found->port().index()};
}

std::vector<fabric::FlowSpec> parseFlows(const omnetpp::cPar& flows, const NodeNames& names) {
  const auto* array = dynamic_cast<const cValueArray*>(flows.objectValue());
  if (array == nullptr) throw InputError("flows: must be a list, [{src: ..., dst: ...}, ...]");
  std::vector<fabric::FlowSpec> list;
  for (int i = 0; i < array->size(); ++i) {
    const Fields f(array->get(i), "flows[" + std::to_string(i) + "]",
                   {"id", "src", "dst", "size", "start", "stop", "class", "group", "weight", "measured", "srcPort",
                    "dstPort", "persistent", "closedLoop"});
    constexpr uint32_t kFirstPort = 49152, kDestinationPort = 4791;  // as the harness numbers them
    fabric::FlowSpec s;
    s.id = f.has("id") ? static_cast<uint32_t>(f.quantity("id", "", 0, kMax32 - 1)) : static_cast<uint32_t>(i);
    s.src = names.node(f.text("src"));
    s.dst = names.node(f.text("dst"));
    s.size = static_cast<uint64_t>(f.quantity("size", "B", 0, kMaxBytes));
    s.start = fabric::Time{f.quantity("start", "ps", 0, fabric::kLongestTime.ps)};
    if (f.has("stop")) s.stop = fabric::Time{f.quantity("stop", "ps", s.start.ps, fabric::kLongestTime.ps)};
    if (f.has("class")) s.cls = static_cast<uint8_t>(f.quantity("class", "", 0, fabric::kMaxClasses - 1));
    if (f.has("group")) s.group = static_cast<uint32_t>(f.quantity("group", "", 0, kMax32));
    if (f.has("weight")) s.weight = f.real("weight");
    if (f.has("measured")) s.measured = f.flag("measured");
    if (f.has("persistent")) s.persistent = f.flag("persistent");
    if (f.has("closedLoop")) s.closedLoop = f.flag("closedLoop");
    s.srcPort = static_cast<uint16_t>(f.has("srcPort") ? f.quantity("srcPort", "", 0, 0xffff)
                                                       : kFirstPort + s.id % (0x10000 - kFirstPort));
    s.dstPort = static_cast<uint16_t>(f.has("dstPort") ? f.quantity("dstPort", "", 0, 0xffff) : kDestinationPort);
    if (s.src == s.dst) throw InputError(f.place("dst") + ": source and destination are the same host");
    list.push_back(s);
  }
  return list;
}

namespace {

/// Calls `each` with every {…} of a list parameter.
template <class Each>
void eachOf(const omnetpp::cPar& list, const char* name, std::initializer_list<const char*> known, Each&& each) {
  const auto* array = dynamic_cast<const cValueArray*>(list.objectValue());
  if (array == nullptr) throw InputError(std::string(name) + ": must be a list, [{...}, ...]");
  for (int i = 0; i < array->size(); ++i) {
    each(Fields(array->get(i), std::string(name) + "[" + std::to_string(i) + "]", known));
  }
}

}  // namespace

std::vector<LinkEvent> parseLinkEvents(const omnetpp::cPar& events, const NodeNames& names) {
  std::vector<LinkEvent> list;
  eachOf(events, "linkEvents", {"at", "port", "up"}, [&](const Fields& f) {
    list.push_back(
        {fabric::Time{f.quantity("at", "ps", 0, fabric::kLongestTime.ps)}, names.port(f.text("port")), f.flag("up")});
  });
  return list;
}

std::vector<RateEvent> parseRateEvents(const omnetpp::cPar& events, const NodeNames& names) {
  std::vector<RateEvent> list;
  eachOf(events, "rateEvents", {"at", "port", "rate"}, [&](const Fields& f) {
    list.push_back({fabric::Time{f.quantity("at", "ps", 0, fabric::kLongestTime.ps)}, names.port(f.text("port")),
                    fabric::Rate{f.quantity("rate", "bps", 1, fabric::kFastestLink)}});
  });
  return list;
}

std::vector<HostEvent> parseHostEvents(const omnetpp::cPar& events, const NodeNames& names) {
  std::vector<HostEvent> list;
  eachOf(events, "hostEvents", {"at", "host", "up"}, [&](const Fields& f) {
    list.push_back(
        {fabric::Time{f.quantity("at", "ps", 0, fabric::kLongestTime.ps)}, names.node(f.text("host")), f.flag("up")});
  });
  return list;
}

std::vector<RouteChange> parseRouteChanges(const omnetpp::cPar& changes) {
  std::vector<RouteChange> list;
  eachOf(changes, "routeChanges", {"at", "file"}, [&](const Fields& f) {
    list.push_back({fabric::Time{f.quantity("at", "ps", 0, fabric::kLongestTime.ps)}, f.text("file")});
  });
  return list;
}

std::vector<fabric::ScenarioTable> parseTables(const omnetpp::cPar& tables, const NodeNames& names) {
  const auto* map = dynamic_cast<const cValueMap*>(tables.objectValue());
  if (map == nullptr) throw InputError("tables: must be {name: {...}, ...}");
  std::vector<fabric::ScenarioTable> list;
  for (const auto& [name, value] : map->getFields()) {
    const Fields f(value, "tables." + name, {"interval", "ports", "flows", "classes", "from", "to"});
    fabric::ScenarioTable t;
    t.name = name;
    if (f.has("interval")) t.filter.interval = fabric::Time{f.quantity("interval", "ps", 1, fabric::kLongestTime.ps)};
    if (f.has("from")) t.filter.from = fabric::Time{f.quantity("from", "ps", 0, fabric::kLongestTime.ps)};
    if (f.has("to")) t.filter.to = fabric::Time{f.quantity("to", "ps", 0, fabric::kLongestTime.ps)};
    if (f.has("ports")) {
      f.list("ports",
             [&](const cValue& v, const std::string&) { t.filter.ports.push_back(names.port(v.stdstringValue())); });
    }
    if (f.has("flows")) {
      f.list("flows", [&](const cValue& v, const std::string& place) {
        t.filter.flows.insert(static_cast<uint32_t>(Fields::number(v, "", place, 0, kMax32 - 1)));
      });
    }
    if (f.has("classes")) {
      f.list("classes", [&](const cValue& v, const std::string& place) {
        t.filter.classes.insert(static_cast<uint32_t>(Fields::number(v, "", place, 0, fabric::kMaxClasses - 1)));
      });
    }
    list.push_back(std::move(t));
  }
  return list;
}

}  // namespace fabriclab
