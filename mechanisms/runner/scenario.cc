#include "mechanisms/runner/scenario.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace fabric {

namespace {

using nlohmann::json;

/// A place in the scenario file, to say where something is wrong.
class At {
 public:
  At(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& why) const { throw InputError(path_ + ": " + why); }
  const json& raw() const { return value_; }

  At operator[](const char* key) const {
    need(value_.is_object(), "an object");
    const auto it = value_.find(key);
    if (it == value_.end()) fail(std::string("key '") + key + "' is missing");
    return At(*it, path_ + "/" + key);
  }
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }

  void keys(std::initializer_list<const char*> known) const {
    need(value_.is_object(), "an object");
    for (const auto& [key, unused] : value_.items()) {
      if (std::none_of(known.begin(), known.end(), [&, k = key](const char* n) { return k == n; })) {
        std::string list;
        for (const char* n : known) list += (list.empty() ? "" : ", ") + std::string(n);
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
    at.fail("there is no " + std::string(toString(kind)) + " '" + spec.type + "'; there are " + known);
  }
  if (!at.has("params")) return spec;
  const At params = at["params"];
  for (const auto& [key, unused] : params.raw().items()) {
    const Param* p = d->find(key);
    if (p == nullptr) params.fail(spec.type + " has no parameter '" + key + "'");
    spec.params.emplace_back(key, paramValue(params[key.c_str()], *p));
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

std::vector<ComponentSpec> components(const At& at, Kind kind) {
  std::vector<ComponentSpec> list;
  for (const At& item : at.items()) list.push_back(component(item, kind));
  return list;
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

struct RecordCounts {
  uint64_t all;
  uint64_t measured;  // of a flow list; 0 elsewhere
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
  const uint64_t size = std::filesystem::file_size(file);
  if (size != kFileHeader + count * recordSize) {
    throw InputError(file + ": has " + std::to_string(size) + " B, but " + std::to_string(count) + " records need " +
                     std::to_string(kFileHeader + count * recordSize) + "; it is cut short or damaged");
  }
  return {count, read<uint64_t>(header + 24)};
}

}  // namespace

Scenario Scenario::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(file + ": cannot be opened");
  json document;
  try {
    document = json::parse(in);
  } catch (const json::parse_error& e) {
    throw InputError(file + ": " + e.what());
  }
  const At root(document, file + ": ");
  root.keys({"format", "version", "name", "seed", "stop_ps", "stop_when_flows_finish", "nodes", "links", "components",
             "flows_file", "routes_file", "trace", "link_events", "route_changes"});
  if (root["format"].string() != "fabriclab-scenario") root["format"].fail("must be fabriclab-scenario");
  const bool changes = root["version"].integer(1, 2) == 2;
  if (changes != (root.has("link_events") || root.has("route_changes"))) {
    root["version"].fail("scenarios with link_events or route_changes are of version 2, others of version 1");
  }

  Scenario s;
  s.name = root["name"].string();
  s.seed = static_cast<uint64_t>(root["seed"].integer(0, std::numeric_limits<int64_t>::max()));
  s.stop = Time{root["stop_ps"].integer(1, kLongestTime.ps)};
  s.stopWhenFlowsFinish = root.has("stop_when_flows_finish") && root["stop_when_flows_finish"].boolean();
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
    link.rate = Rate{l["rate_bps"].integer(1, INT64_C(100000000000000))};
    link.delay = Time{l["delay_ps"].integer(0, kLongestTime.ps)};
    s.links.push_back(link);
  }

  const At c = root["components"];
  c.keys({"host", "switch", "port", "path_selector", "queues", "port_agents", "transport", "congestion_control",
          "receiver_agents"});
  s.host = component(c["host"], Kind::Node);
  s.switchNode = component(c["switch"], Kind::Node);
  s.port = component(c["port"], Kind::Node);
  s.pathSelector = component(c["path_selector"], Kind::PathSelector);
  s.queues = components(c["queues"], Kind::Queue);
  s.portAgents = components(c["port_agents"], Kind::PortAgent);
  if (c.has("transport")) s.transport = component(c["transport"], Kind::Transport);
  s.congestionControl = component(c["congestion_control"], Kind::CongestionControl);
  s.receiverAgents = components(c["receiver_agents"], Kind::ReceiverAgent);
  if (s.queues.empty() || s.queues.size() > 8) c["queues"].fail("there must be 1 to 8 classes");

  const At trace = root["trace"];
  trace.keys({"tables"});
  for (const auto& [name, unused] : trace["tables"].raw().items()) {
    s.tables.push_back(table(trace["tables"][name.c_str()], name, s.nodes.size()));
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
  if (root.has("route_changes")) {
    for (const At& r : root["route_changes"].items()) {
      r.keys({"at_ps", "routes_file"});
      s.routeChanges.push_back(
          {Time{r["at_ps"].integer(0, kLongestTime.ps)}, resolve(file, r["routes_file"].string())});
    }
  }
  return s;
}

std::vector<ScenarioRoute> loadRoutes(const std::string& file) {
  constexpr uint32_t kRecord = 16;
  std::ifstream in;
  const uint64_t count = openRecords(in, file, "FABROUT1", kRecord).all;
  std::vector<ScenarioRoute> routes;
  char record[kRecord];
  for (uint64_t i = 0; i < count; ++i) {
    in.read(record, kRecord);
    const auto node = read<uint32_t>(record);
    const auto dst = read<uint32_t>(record + 4);
    if (routes.empty() || routes.back().node != node || routes.back().dst != dst) routes.push_back({node, dst, {}});
    if (read<uint16_t>(record + 10) != routes.back().ports.size()) {
      throw InputError(file + ": record " + std::to_string(i) + ": records must be sorted by node, dst, order");
    }
    routes.back().ports.push_back(read<uint16_t>(record + 8));
  }
  return routes;
}

void addRouteChange(Network& network, Time at, const std::string& routesFile) {
  std::vector<Network::RouteEntry> routes;
  for (ScenarioRoute& r : loadRoutes(routesFile)) routes.push_back({r.node, r.dst, std::move(r.ports)});
  try {
    network.addRouteChange(at, std::move(routes));
  } catch (const std::invalid_argument& e) {
    throw InputError(routesFile + ": " + e.what());
  }
}

struct FlowFile::Impl {
  static constexpr size_t kRecord = 64;
  static constexpr size_t kBatch = 1024;
  std::ifstream in;
  std::string file;
  std::vector<char> buffer;
  size_t at = 0;
  uint64_t left = 0;
  uint64_t index = 0;
  FlowSpec spec;
  bool decoded = false;
  Time lastStart = Time{-1};

  void decode() {
    if (at == buffer.size()) {
      buffer.resize(static_cast<size_t>(std::min<uint64_t>(left, kBatch)) * kRecord);
      if (!in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
        throw InputError(file + ": cannot be read at record " + std::to_string(index));
      }
      at = 0;
    }
    const char* r = buffer.data() + at;
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
    const std::string where = file + ": flow " + std::to_string(spec.id) + ": ";
    if (spec.start < lastStart || spec.start.ps < 0) throw InputError(where + "flows must be sorted by start, from 0");
    if (spec.src == spec.dst) throw InputError(where + "source and destination are the same host");
    if ((flags & ~7u) != 0) {
      throw InputError(where + "flags that this program does not know; it is of another build than fabriclab: run " +
                       "fabriclab build");
    }
    if (spec.stop.ps >= 0 && spec.stop < spec.start) throw InputError(where + "stops before it starts");
    if (spec.start > kLongestTime || spec.stop > kLongestTime) throw InputError(where + "lies beyond 100 days");
    lastStart = spec.start;
    decoded = true;
  }
};

FlowFile::FlowFile(const std::string& file) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  const RecordCounts counts = openRecords(impl_->in, file, "FABFLOW1", Impl::kRecord);
  count_ = impl_->left = counts.all;
  measured_ = counts.measured;
}

FlowFile::~FlowFile() = default;

const FlowSpec* FlowFile::peek() {
  if (impl_->left == 0) return nullptr;
  if (!impl_->decoded) impl_->decode();
  return &impl_->spec;
}

void FlowFile::pop() {
  impl_->at += Impl::kRecord;
  --impl_->left;
  ++impl_->index;
  impl_->decoded = false;
}

const FlowSpec* FlowList::peek() {
  if (!sorted_) {
    std::stable_sort(flows_.begin(), flows_.end(), [](const FlowSpec& a, const FlowSpec& b) {
      return a.start < b.start || (a.start == b.start && a.id < b.id);
    });
    sorted_ = true;
  }
  return next_ < flows_.size() ? &flows_[next_] : nullptr;
}

}  // namespace fabric
