#include "mechanisms/runner/scenario.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {

using nlohmann::json;

/// A place in the scenario file, to say where something is wrong.
class At {
 public:
  At(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& why) const { throw InputError(path_ + ": " + why); }
  const json& raw() const { return value_; }

  At operator[](const std::string& key) const {
    need(value_.is_object(), "an object");
    const auto it = value_.find(key);
    if (it == value_.end()) fail("key '" + key + "' is missing");
    return At(*it, path_ + "/" + key);
  }
  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }

  void keys(const std::vector<std::string>& known) const {
    need(value_.is_object(), "an object");
    for (const auto& [key, unused] : value_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        std::string list;
        for (const std::string& n : known) list += (list.empty() ? "" : ", ") + n;
        fail("unknown key '" + key + "'; known are " + list);
      }
    }
  }

  std::vector<At> items() const {
    need(value_.is_array(), "a list");
    std::vector<At> list;
    for (size_t i = 0; i < value_.size(); ++i) list.emplace_back(value_[i], path_ + "/" + std::to_string(i));
    return list;
  }

  int64_t integer(int64_t min, int64_t max) const {
    need(value_.is_number_integer(), "a whole number");
    if (value_.is_number_unsigned() && value_.get<uint64_t>() > static_cast<uint64_t>(max)) {
      fail("must be at most " + std::to_string(max));
    }
    const auto v = value_.get<int64_t>();
    if (v < min || v > max) {
      fail(std::to_string(v) + " is outside " + std::to_string(min) + " to " + std::to_string(max));
    }
    return v;
  }
  bool boolean() const {
    need(value_.is_boolean(), "true or false");
    return value_.get<bool>();
  }
  std::string string() const {
    need(value_.is_string(), "a string");
    return value_.get<std::string>();
  }

 private:
  void need(bool ok, const char* what) const {
    if (!ok) fail(std::string("must be ") + what + ", is " + value_.dump().substr(0, 60));
  }
  const json& value_;
  std::string path_;
};

constexpr int64_t kMaxNodes = 0xfffff0;

Value paramValue(const At& at, const Param& p) {
  try {
    return fromJson(p, at.raw());
  } catch (const ParamError& e) {
    at.fail(e.what());
  }
}

ComponentSpec component(const At& at, Kind kind) {
  at.keys({"type", "params"});
  ComponentSpec spec;
  spec.type = at["type"].string();
  const Description* d = Registry::find(spec.type);
  if (d == nullptr || d->kind != kind) {
    std::string known;
    for (const Description* k : Registry::all()) {
      if (k->kind == kind) known += (known.empty() ? "" : ", ") + k->name;
    }
    at.fail("there is no " + std::string(kind.name) + " '" + spec.type + "'; there are " + known);
  }
  if (!at.has("params")) return spec;
  const At params = at["params"];
  for (const auto& [key, unused] : params.raw().items()) {
    const Param* p = d->find(key);
    if (p == nullptr) params.fail(spec.type + " has no parameter '" + key + "'");
    spec.params.emplace_back(key, paramValue(params[key], *p));
  }
  // Ranges are checked where the component is; here on a copy, so that the place is known.
  const auto probe = d->create();
  for (const auto& [name, value] : spec.params) {
    try {
      probe->set(name, value);
    } catch (const ParamError& e) {
      params.fail(e.what());
    }
  }
  return spec;
}

/// The section `components`, or what of it a set has: node kinds and slots by key.
using Section = std::map<std::string, std::vector<ComponentSpec>>;

Section section(const At& at) {
  std::vector<std::string> known{"host", "switch", "port"};
  for (const Slot& slot : Slots::all()) known.push_back(slot.key);
  at.keys(known);
  Section found;
  for (const std::string& key : known) {
    if (!at.has(key)) continue;
    const At value = at[key];
    std::vector<ComponentSpec>& list = found[key];
    const Slot* slot = Slots::find(key);
    if (slot == nullptr) {
      list.push_back(component(value, Kind::Node));
    } else if (slot->count == Count::One) {
      list.push_back(component(value, slot->kind));
    } else {
      for (const At& item : value.items()) list.push_back(component(item, slot->kind));
      if (slot->count == Count::PerClass && (list.empty() || list.size() > kMaxClasses)) {
        value.fail("there must be 1 to " + std::to_string(kMaxClasses) + " classes");
      }
    }
  }
  return found;
}

int64_t classesOf(const ComponentSpec& host) {
  for (const auto& [name, value] : host.params) {
    if (name == "classes") return std::get<int64_t>(value);
  }
  return std::get<int64_t>(Host::describe().find("classes")->def);
}

bool ofHosts(const Slot& slot) { return slot.where == Where::Host || slot.where == Where::Nic; }

/// Refuses what a node of this kind has no place for.
void requirePlaces(const At& components, const Section& section, const ScenarioNode& node) {
  for (const auto& [key, unused] : section) {
    const Slot* slot = Slots::find(key);
    const bool host = key == "host" || (slot != nullptr && ofHosts(*slot));
    if (key == "port" || host == node.isHost) continue;
    components[key].fail(node.name + " is a " + (node.isHost ? "host" : "switch") + ", and only " +
                         (host ? "hosts" : "switches") + " have this; name it in a set of " +
                         (host ? "hosts" : "switches") + " alone");
  }
}

/// What stands at a node of a kind: as the section says, by default elsewhere.
NodeComponents resolve(const Section& section, bool isHost, int64_t classes) {
  NodeComponents n;
  n.node = section.at(isHost ? "host" : "switch").front();
  n.port = section.at("port").front();
  for (const Slot& slot : Slots::all()) {
    if (ofHosts(slot) != isHost) continue;
    std::vector<ComponentSpec> stand;
    const auto said = section.find(slot.key);
    if (said != section.end()) {
      stand = said->second;
    } else if (!slot.standard.empty()) {
      stand.assign(slot.count == Count::PerClass ? static_cast<size_t>(classes) : 1, {slot.standard, {}});
    }
    n.slots.emplace_back(&slot, stand);
  }
  return n;
}

ScenarioTable table(const At& at, const std::string& name, size_t nodes) {
  at.keys({"interval_ps", "ports", "flows", "classes", "from_ps", "to_ps"});
  ScenarioTable t;
  t.name = name;
  if (at.has("interval_ps")) t.filter.interval = Time{at["interval_ps"].integer(1, kLongestTime.ps)};
  if (at.has("from_ps")) t.filter.from = Time{at["from_ps"].integer(0, kLongestTime.ps)};
  if (at.has("to_ps")) t.filter.to = Time{at["to_ps"].integer(0, kLongestTime.ps)};
  if (at.has("ports")) {
    for (const At& p : at["ports"].items()) {
      p.keys({"node", "port"});
      t.filter.ports.push_back({static_cast<uint32_t>(p["node"].integer(0, static_cast<int64_t>(nodes) - 1)),
                                static_cast<uint16_t>(p["port"].integer(0, 0xfffe))});
    }
  }
  if (at.has("flows")) {
    for (const At& f : at["flows"].items()) t.filter.flows.insert(static_cast<uint32_t>(f.integer(0, 0xfffffffe)));
  }
  if (at.has("classes")) {
    for (const At& c : at["classes"].items()) t.filter.classes.insert(static_cast<uint32_t>(c.integer(0, 7)));
  }
  return t;
}

std::string resolve(const std::string& scenario, const std::string& file) {
  return (std::filesystem::path(scenario).parent_path() / file).string();
}

template <class T>
T read(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

constexpr size_t kFileHeader = 32;
constexpr size_t kRecordBatch = 1024;  // records of a file that are read at once

struct RecordCounts {
  uint64_t all;
  uint64_t measured;  // of a flow list; 0 elsewhere
  uint32_t more;      // records of a flow list that continue the one before; 0 elsewhere
};

/// Opens a record file, checks its header and length; the number of records.
RecordCounts openRecords(std::ifstream& in, const std::string& file, const char* magic, uint32_t recordSize) {
  in.open(file, std::ios::binary);
  if (!in) throw InputError(file + ": cannot be opened");
  char header[kFileHeader];
  if (!in.read(header, sizeof header) || std::memcmp(header, magic, 8) != 0) {
    throw InputError(file + ": does not begin with " + magic);
  }
  if (read<uint32_t>(header + 8) != recordSize) {
    throw InputError(file + ": records of " + std::to_string(read<uint32_t>(header + 8)) + " B, expected " +
                     std::to_string(recordSize));
  }
  const auto count = read<uint64_t>(header + 16);
  const auto more = read<uint32_t>(header + 12);
  const uint64_t size = std::filesystem::file_size(file);
  if (size != kFileHeader + (count + more) * recordSize) {
    throw InputError(file + ": has " + std::to_string(size) + " B, but " + std::to_string(count + more) +
                     " records need " + std::to_string(kFileHeader + (count + more) * recordSize) +
                     "; it is cut short or damaged");
  }
  return {count, read<uint64_t>(header + 24), more};
}

}  // namespace

Scenario Scenario::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(file + ": cannot be opened");
  try {
    return parse(json::parse(in), file);
  } catch (const json::parse_error& e) {
    throw InputError(file + ": " + e.what());
  }
}

Scenario Scenario::parse(const json& document, const std::string& file) {
  const At root(document, file + ": ");
  root.keys({"format", "version", "name", "seed", "stop_ps", "stop_when_flows_finish", "stop_at_deadlock", "nodes",
             "links", "components", "flows_file", "routes_file", "trace", "link_events", "route_changes", "sets",
             "host_events", "rate_events"});
  if (root["format"].string() != "fabriclab-scenario") root["format"].fail("must be fabriclab-scenario");
  const bool differs = root.has("sets") || root.has("host_events");
  const bool changes = root.has("link_events") || root.has("route_changes");
  if (root["version"].integer(1, 4) < (root.has("rate_events") ? 4 : differs ? 3 : changes ? 2 : 1)) {
    root["version"].fail(
        "scenarios with rate_events are of version 4, others with sets or host_events of version 3, others with "
        "link_events or route_changes of version 2");
  }

  Scenario s;
  s.name = root["name"].string();
  s.seed = static_cast<uint64_t>(root["seed"].integer(0, std::numeric_limits<int64_t>::max()));
  s.stop = Time{root["stop_ps"].integer(1, kLongestTime.ps)};
  s.stopWhenFlowsFinish = root.has("stop_when_flows_finish") && root["stop_when_flows_finish"].boolean();
  s.stopAtDeadlock = root.has("stop_at_deadlock") && root["stop_at_deadlock"].boolean();
  for (const At& n : root["nodes"].items()) {
    n.keys({"id", "name", "kind", "hash_salt"});
    if (n["id"].integer(0, kMaxNodes) != static_cast<int64_t>(s.nodes.size())) n["id"].fail("must count from 0");
    ScenarioNode node;
    node.name = n["name"].string();
    const std::string kind = n["kind"].string();
    if (kind != "host" && kind != "switch") n["kind"].fail("must be host or switch");
    node.isHost = kind == "host";
    if (n.has("hash_salt")) node.hashSalt = static_cast<uint64_t>(n["hash_salt"].integer(0, INT64_MAX));
    s.nodes.push_back(node);
  }
  const int64_t lastNode = static_cast<int64_t>(s.nodes.size()) - 1;
  for (const At& l : root["links"].items()) {
    l.keys({"id", "a", "a_port", "b", "b_port", "rate_bps", "delay_ps"});
    if (l["id"].integer(0, INT32_MAX) != static_cast<int64_t>(s.links.size())) l["id"].fail("must count from 0");
    ScenarioLink link;
    link.a = static_cast<uint32_t>(l["a"].integer(0, lastNode));
    link.b = static_cast<uint32_t>(l["b"].integer(0, lastNode));
    if (link.a == link.b) l["b"].fail("a link joins two different nodes");
    link.aPort = static_cast<uint16_t>(l["a_port"].integer(0, 0xfffe));
    link.bPort = static_cast<uint16_t>(l["b_port"].integer(0, 0xfffe));
    link.rate = Rate{l["rate_bps"].integer(1, kFastestLink)};
    link.delay = Time{l["delay_ps"].integer(0, kLongestTime.ps)};
    s.links.push_back(link);
  }

  const Section general = section(root["components"]);
  for (const char* key : {"host", "switch", "port"}) root["components"][key];  // throws where it is missing
  // A switch has queues for all classes that some host has.
  int64_t classes = classesOf(general.at("host").front());
  std::vector<std::pair<At, Section>> sets;
  if (root.has("sets")) {
    for (const At& set : root["sets"].items()) {
      set.keys({"nodes", "components"});
      sets.emplace_back(set, section(set["components"]));
      const auto host = sets.back().second.find("host");
      if (host != sets.back().second.end()) classes = std::max(classes, classesOf(host->second.front()));
    }
  }
  s.components.push_back(resolve(general, true, classesOf(general.at("host").front())));
  s.components.push_back(resolve(general, false, classes));
  std::vector<std::vector<size_t>> setsOf(s.nodes.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto& [set, section] = sets[i];
    for (const At& item : set["nodes"].items()) {
      const auto node = static_cast<size_t>(item.integer(0, lastNode));
      requirePlaces(set["components"], section, s.nodes[node]);
      setsOf[node].push_back(i);
    }
  }
  std::map<std::pair<bool, std::vector<size_t>>, size_t> known;
  for (size_t n = 0; n < s.nodes.size(); ++n) {
    const bool isHost = s.nodes[n].isHost;
    if (setsOf[n].empty()) {
      s.componentsOf.push_back(isHost ? kHost : kSwitch);
      continue;
    }
    const auto [it, isNew] = known.try_emplace({isHost, setsOf[n]}, s.components.size());
    if (isNew) {
      Section all = general;
      for (const size_t set : setsOf[n]) {
        for (const auto& [key, list] : sets[set].second) all[key] = list;
      }
      s.components.push_back(resolve(all, isHost, isHost ? classesOf(all.at("host").front()) : classes));
    }
    s.componentsOf.push_back(it->second);
  }

  const At trace = root["trace"];
  trace.keys({"tables"});
  for (const auto& [name, unused] : trace["tables"].raw().items()) {
    s.tables.push_back(table(trace["tables"][name], name, s.nodes.size()));
  }
  s.flowsFile = resolve(file, root["flows_file"].string());
  s.routesFile = resolve(file, root["routes_file"].string());
  if (root.has("link_events")) {
    for (const At& e : root["link_events"].items()) {
      e.keys({"at_ps", "link", "up"});
      s.linkEvents.push_back({Time{e["at_ps"].integer(0, kLongestTime.ps)},
                              static_cast<uint32_t>(e["link"].integer(0, static_cast<int64_t>(s.links.size()) - 1)),
                              e["up"].boolean()});
    }
  }
  if (root.has("rate_events")) {
    for (const At& e : root["rate_events"].items()) {
      e.keys({"at_ps", "link", "rate_bps"});
      const auto link = static_cast<uint32_t>(e["link"].integer(0, static_cast<int64_t>(s.links.size()) - 1));
      for (const uint32_t end : {s.links[link].a, s.links[link].b}) {
        if (s.nodes[end].isHost) e["link"].fail("is a link of host " + s.nodes[end].name + ", which keeps its rate");
      }
      s.rateEvents.push_back(
          {Time{e["at_ps"].integer(0, kLongestTime.ps)}, link, Rate{e["rate_bps"].integer(1, kFastestLink)}});
    }
  }
  if (root.has("host_events")) {
    for (const At& e : root["host_events"].items()) {
      e.keys({"at_ps", "node", "up"});
      const auto node = static_cast<uint32_t>(e["node"].integer(0, lastNode));
      if (!s.nodes[node].isHost) e["node"].fail("must be a host");
      s.hostEvents.push_back({Time{e["at_ps"].integer(0, kLongestTime.ps)}, node, e["up"].boolean()});
    }
  }
  if (root.has("route_changes")) {
    for (const At& r : root["route_changes"].items()) {
      r.keys({"at_ps", "routes_file"});
      s.routeChanges.push_back(
          {Time{r["at_ps"].integer(0, kLongestTime.ps)}, resolve(file, r["routes_file"].string())});
    }
  }
  return s;
}

const std::vector<ComponentSpec>& NodeComponents::in(const std::string& slot) const {
  for (const auto& [s, stand] : slots) {
    if (s->key == slot) return stand;
  }
  throw std::logic_error("a " + node.type + " has no slot " + slot);
}

void eachRoute(const std::string& file, const std::function<void(ScenarioRoute&)>& visit) {
  constexpr uint32_t kRecord = 16;
  std::ifstream in;
  const uint64_t count = openRecords(in, file, "FABROUT1", kRecord).all;
  ScenarioRoute route{};
  std::vector<char> buffer;
  for (uint64_t i = 0; i < count; ++i) {
    // A large network has half a million records: a batch at a time.
    const size_t at = static_cast<size_t>(i % kRecordBatch) * kRecord;
    if (at == 0) {
      buffer.resize(static_cast<size_t>(std::min<uint64_t>(count - i, kRecordBatch)) * kRecord);
      if (!in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
        throw InputError(file + ": cannot be read at record " + std::to_string(i));
      }
    }
    const char* record = buffer.data() + at;
    const auto node = read<uint32_t>(record);
    const auto dst = read<uint32_t>(record + 4);
    if (i == 0 || route.node != node || route.dst != dst) {
      if (i > 0) visit(route);
      route.node = node;
      route.dst = dst;
      route.ports.clear();
    }
    if (read<uint16_t>(record + 10) != route.ports.size()) {
      throw InputError(file + ": record " + std::to_string(i) + ": records must be sorted by node, dst, order");
    }
    route.ports.push_back(read<uint16_t>(record + 8));
  }
  if (count > 0) visit(route);
}

std::vector<ScenarioRoute> loadRoutes(const std::string& file) {
  std::vector<ScenarioRoute> routes;
  eachRoute(file, [&](ScenarioRoute& r) { routes.push_back(r); });
  return routes;
}

std::vector<std::vector<size_t>> linkEnds(const Scenario& s) {
  std::vector<std::vector<size_t>> ends(s.nodes.size());
  for (size_t i = 0; i < s.links.size(); ++i) {
    const ScenarioLink& l = s.links[i];
    if (ends[l.a].size() != l.aPort || ends[l.b].size() != l.bPort) {
      throw InputError("link " + s.nodes[l.a].name + " - " + s.nodes[l.b].name +
                       ": the ports of a node must be numbered in the order of their links");
    }
    ends[l.a].push_back(2 * i);
    ends[l.b].push_back(2 * i + 1);
  }
  return ends;
}

void setRoutes(Network& network, const std::string& routesFile) {
  Switch* at = nullptr;
  size_t node = network.nodes().size();  // its number
  eachRoute(routesFile, [&](const ScenarioRoute& r) {
    if (r.node != node) {
      node = r.node;
      at = node < network.nodes().size() ? dynamic_cast<Switch*>(network.nodes()[node]) : nullptr;
    }
    if (at == nullptr) {
      throw InputError(routesFile + ": node " + std::to_string(r.node) + " is not a switch of this network");
    }
    at->setRoute(r.dst, r.ports);
  });
}

void addRouteChange(Network& network, Time at, const std::string& routesFile) {
  std::vector<Network::RouteEntry> routes;
  eachRoute(routesFile, [&](ScenarioRoute& r) { routes.push_back({r.node, r.dst, std::move(r.ports)}); });
  try {
    network.addRouteChange(at, std::move(routes));
  } catch (const std::invalid_argument& e) {
    throw InputError(routesFile + ": " + e.what());
  }
}

struct FlowFile::Impl {
  static constexpr size_t kRecord = 64;
  std::ifstream in;
  std::string file;
  std::vector<char> buffer;
  size_t at = 0;
  uint64_t all = 0;      // flows and tasks
  uint64_t flows = 0;    // those left
  uint64_t records = 0;  // left in the file behind the buffer
  uint64_t index = 0;
  FlowSpec spec;
  std::vector<Dependency> after;
  bool hasDependencies = false;
  bool decoded = false;
  Time lastStart = Time{-1};

  /// The next record.
  const char* next() {
    if (at == buffer.size()) {
      buffer.resize(static_cast<size_t>(std::min<uint64_t>(records, kRecordBatch)) * kRecord);
      if (buffer.empty() || !in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
        throw InputError(file + ": cannot be read at record " + std::to_string(index));
      }
      records -= buffer.size() / kRecord;
      at = 0;
    }
    at += kRecord;
    ++index;
    return buffer.data() + at - kRecord;
  }

  /// The records behind a flow's own one have what it waits for.
  void decodeAfter(size_t count) {
    constexpr size_t kEach = 16;
    after.clear();
    for (const char* r = nullptr; after.size() < count; r += kEach) {
      if (after.size() % (kRecord / kEach) == 0) r = next();
      after.push_back({read<uint32_t>(r), Time{read<int64_t>(r + 8)}});
      if (after.back().delay.ps < 0 || after.back().delay > kLongestTime) {
        fail("waits a time that is not between 0 and 100 days");
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file + ": flow " + std::to_string(spec.id) + ": " + what);
  }

  void decode() {
    const char* r = next();
    const auto waitsFor = read<uint16_t>(r + 46);
    spec.id = read<uint32_t>(r);
    spec.src = read<uint32_t>(r + 4);
    spec.dst = read<uint32_t>(r + 8);
    spec.group = read<uint32_t>(r + 12);
    spec.size = read<uint64_t>(r + 16);
    spec.start = Time{read<int64_t>(r + 24)};
    spec.stop = Time{read<int64_t>(r + 32)};
    spec.srcPort = read<uint16_t>(r + 40);
    spec.dstPort = read<uint16_t>(r + 42);
    spec.cls = read<uint8_t>(r + 44);
    const auto flags = read<uint8_t>(r + 45);
    spec.measured = (flags & 1u) != 0;
    spec.persistent = (flags & 2u) != 0;
    spec.closedLoop = (flags & 4u) != 0;
    spec.weight = read<double>(r + 48);
    if (spec.start < lastStart || spec.start.ps < 0) fail("flows must be sorted by start, from 0");
    const bool task = hasDependencies && spec.size == 0 && !spec.measured;
    if (spec.src == spec.dst && !task) fail("source and destination are the same host");
    if ((flags & ~7u) != 0) {
      fail("flags that this program does not know; it is of another build than fabriclab: run fabriclab build");
    }
    if (spec.stop.ps >= 0 && spec.stop < spec.start) fail("stops before it starts");
    if (spec.start > kLongestTime || spec.stop > kLongestTime) fail("lies beyond 100 days");
    lastStart = spec.start;
    decodeAfter(waitsFor);
    decoded = true;
  }
};

FlowFile::FlowFile(const std::string& file) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  const RecordCounts counts = openRecords(impl_->in, file, "FABFLOW1", Impl::kRecord);
  impl_->flows = impl_->all = counts.all;
  impl_->records = counts.all + counts.more;
  impl_->hasDependencies = counts.more > 0;
  measured_ = counts.measured;
}

FlowFile::~FlowFile() = default;

uint64_t FlowFile::count() const {
  if (!impl_->hasDependencies) return impl_->all;
  uint64_t n = 0;
  const std::unique_ptr<FlowFeed> all = again();
  for (const FlowSpec* f = all->peek(); f != nullptr; all->pop(), f = all->peek()) n += !Dependencies::isTask(*f);
  return n;
}

const FlowSpec* FlowFile::peek() {
  if (impl_->flows == 0) return nullptr;
  if (!impl_->decoded) impl_->decode();
  return &impl_->spec;
}

std::unique_ptr<FlowFeed> FlowFile::again() const { return std::make_unique<FlowFile>(impl_->file); }

void FlowFile::pop() {
  --impl_->flows;
  impl_->decoded = false;
}

bool FlowFile::hasDependencies() const { return impl_->hasDependencies; }

const std::vector<Dependency>& FlowFile::after() const { return impl_->after; }

std::unique_ptr<FlowFeed> FlowList::again() const {
  auto copy = std::make_unique<FlowList>(*this);
  copy->next_ = 0;
  return copy;
}

const FlowSpec* FlowList::peek() {
  if (!sorted_) {
    std::sort(flows_.begin(), flows_.end(), [](const Entry& a, const Entry& b) {
      return a.spec.start < b.spec.start || (a.spec.start == b.spec.start && a.spec.id < b.spec.id);
    });
    sorted_ = true;
  }
  return next_ < flows_.size() ? &flows_[next_].spec : nullptr;
}

}  // namespace fabric
