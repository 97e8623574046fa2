#include "generate.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "omnet-modules/src/names.h"

namespace fabriclab {

using fabric::ComponentSpec;
using fabric::Count;
using fabric::Param;
using fabric::ParamType;
using fabric::Scenario;
using fabric::Slot;
using fabric::Time;
using fabric::Where;

namespace {

std::string time(Time t) { return nedValue(ParamType::Time, t.ps); }

/// NED keeps quantities as doubles: above this a time is no longer exact to the picosecond.
constexpr Time kLongestExact = Time{int64_t{1} << 50};

void requireExact(Time t, const std::string& what) {
  if (t > kLongestExact) {
    throw fabric::InputError(what + ": " + time(t) + " is above " + time(kLongestExact) +
                             ", beyond which NED cannot hold picoseconds; use the engine ns3");
  }
}

/// The words of NED (src/nedxml/ned2.lex of OMNeT++ 6), none of which a module can be called.
constexpr const char* kNedWords =
    "allowunconnected ask bool channel channelinterface connections const default double exists extends "
    "false for gates if import index inf inout input int like module moduleinterface nan network null "
    "nullptr object output package parameters parent property simple sizeof string submodules this true "
    "typename types undefined volatile xml xmldoc";

/// The nodes' names as NED identifiers, each once. The manager and the types of channels have theirs, too.
std::vector<std::string> moduleNames(const Scenario& s) {
  std::istringstream words(kNedWords);
  std::set<std::string> used{std::istream_iterator<std::string>(words), {}};
  used.insert({"fabric", "Cable"});
  for (size_t i = 1; i <= s.links.size(); ++i) used.insert("Cable" + std::to_string(i));
  std::vector<std::string> names;
  for (const auto& node : s.nodes) {
    std::string name;
    for (const char c : node.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "n");
    const std::string base = name;
    for (int i = 2; !used.insert(name).second; ++i) name = base + "_" + std::to_string(i);
    names.push_back(name);
  }
  return names;
}

/// Lines `prefix.parameter = value` for the parameters that the scenario gives, or for all of them.
void writeParams(std::ostream& out, const std::string& prefix, const ComponentSpec& spec, bool all) {
  const fabric::Description& d = *fabric::Registry::find(spec.type);
  std::vector<std::pair<std::string, fabric::Value>> params = spec.params;
  for (const Param& p : d.params) {
    const auto same = [&](const auto& given) { return given.first == p.name; };
    if (all && std::none_of(params.begin(), params.end(), same)) params.emplace_back(p.name, p.def);
  }
  for (const auto& [name, value] : params) {
    const Param& p = *d.find(name);
    fabric::Value v = value;
    if (p.type == ParamType::Time) requireExact(Time{std::get<int64_t>(v)}, spec.type + "." + name);
    if (p.type == ParamType::Float && std::holds_alternative<int64_t>(v)) v = static_cast<double>(std::get<int64_t>(v));
    out << prefix << "." << camelCase(name) << " = " << nedValue(p.type, v) << "\n";
  }
}

bool isOfPort(const Slot& slot) { return slot.where == Where::Nic || slot.where == Where::SwitchPort; }

/// What stands at nodes: hosts or switches below `node`, whose ports are below `port`. All parameters are written
/// where other lines follow that would give them other values.
void writeComponents(std::ostream& out, const fabric::NodeComponents& components, const std::string& node,
                     const std::string& port, bool all) {
  writeParams(out, node, components.node, all);
  writeParams(out, port, components.port, all);
  for (const auto& [slot, specs] : components.slots) {
    const std::string place = (isOfPort(*slot) ? port : node) + "." + camelCase(slot->kind.name);
    for (size_t i = 0; i < specs.size(); ++i) {
      const std::string module = slot->count == Count::One ? place : place + "[" + std::to_string(i) + "]";
      out << module << ".typename = " << quoted(nedType(specs[i].type)) << "\n";
      writeParams(out, module, specs[i], all);
    }
    if (slot->count == Count::Many && (all || !specs.empty())) {
      out << (isOfPort(*slot) ? port : node) << "." << countName(*slot) << " = " << specs.size() << "\n";
    }
    // A host's classes are a parameter of its own.
    if (slot->count == Count::PerClass && slot->where == Where::SwitchPort) {
      out << port << ".numClasses = " << specs.size() << "\n";
    }
  }
}

bool isSampled(const std::string& table) {
  const auto named = [&](const fabric::TableDesc& t) { return t.name == table && t.sampled; };
  const auto& standard = fabric::standardTables();
  if (std::any_of(standard.begin(), standard.end(), named)) return true;
  for (const fabric::Description* d : fabric::Registry::all()) {
    if (std::any_of(d->tables.begin(), d->tables.end(), named)) return true;
  }
  return false;
}

/// The path of a port, as NodeNames reads it.
std::string portName(const Scenario& s, const std::vector<std::string>& names, uint32_t node, uint16_t port) {
  return quoted(names[node] + (s.nodes[node].isHost ? ".nic[" : ".port[") + std::to_string(port) + "]");
}

std::string table(const Scenario& s, const fabric::ScenarioTable& t, const std::vector<std::string>& names) {
  static const fabric::TraceFilter defaults;
  const fabric::TraceFilter& f = t.filter;
  std::vector<std::string> fields;
  if (isSampled(t.name)) fields.push_back("interval: " + time(f.interval));
  if (f.from != defaults.from) fields.push_back("from: " + time(f.from));
  if (f.to != defaults.to) fields.push_back("to: " + time(f.to));
  const auto list = [&](const char* key, const std::vector<std::string>& items) {
    if (items.empty()) return;
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
    fields.push_back(std::string(key) + ": [" + text + "]");
  };
  std::vector<std::string> ports;
  for (const auto& p : f.ports) ports.push_back(portName(s, names, p.node, p.port));
  list("ports", ports);
  const auto sorted = [](const std::unordered_set<uint32_t>& set) {
    std::vector<std::string> items;
    for (const uint32_t n : std::set<uint32_t>(set.begin(), set.end())) items.push_back(std::to_string(n));
    return items;
  };
  list("flows", sorted(f.flows));
  list("classes", sorted(f.classes));
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + field;
  return t.name + ": {" + text + "}";
}

std::string fileName(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// What fails and comes back during the run; nothing where nothing does.
void writeLinkEvents(std::ostream& out, const Scenario& s, const std::vector<std::string>& names) {
  const auto list = [&out](const char* parameter, const std::vector<std::string>& items) {
    if (items.empty()) return;
    out << "*.fabric." << parameter << " = [";
    for (size_t i = 0; i < items.size(); ++i) out << (i == 0 ? "\n    {" : ",\n    {") << items[i] << "}";
    out << " ]\n";
  };
  std::vector<std::string> events, rates, hosts, changes;
  for (const auto& e : s.linkEvents) {
    requireExact(e.at, "link_events, at_ps");
    const auto& l = s.links[e.link];
    events.push_back("at: " + time(e.at) + ", port: " + portName(s, names, l.a, l.aPort) +
                     ", up: " + (e.up ? "true" : "false"));
  }
  for (const auto& e : s.rateEvents) {
    requireExact(e.at, "rate_events, at_ps");
    const auto& l = s.links[e.link];
    rates.push_back("at: " + time(e.at) + ", port: " + portName(s, names, l.a, l.aPort) +
                    ", rate: " + std::to_string(e.rate.bps) + "bps");
  }
  for (const auto& e : s.hostEvents) {
    requireExact(e.at, "host_events, at_ps");
    hosts.push_back("at: " + time(e.at) + ", host: " + quoted(names[e.node]) + ", up: " + (e.up ? "true" : "false"));
  }
  for (const auto& r : s.routeChanges) {
    requireExact(r.at, "route_changes, at_ps");
    changes.push_back("at: " + time(r.at) + ", file: absFilePath(" + quoted(fileName(r.routesFile)) + ")");
  }
  list("linkEvents", events);
  list("rateEvents", rates);
  list("hostEvents", hosts);
  list("routeChanges", changes);
}

}  // namespace

std::string networkNed(const Scenario& s, const std::string& scenarioFile) {
  const std::vector<std::string> names = moduleNames(s);
  std::vector<int> ports(s.nodes.size(), 0);
  std::map<std::pair<int64_t, int64_t>, std::string> cables;
  for (const auto& l : s.links) {
    ++ports[l.a];
    ++ports[l.b];
    requireExact(l.delay, "link " + s.nodes[l.a].name + " - " + s.nodes[l.b].name);
    cables.emplace(std::make_pair(l.rate.bps, l.delay.ps), "");
  }

  std::ostringstream out;
  out << "// " << s.name << ", written from " << scenarioFile << " by fabric-omnet.\n"
      << "import fabriclab.FabricHost;\nimport fabriclab.FabricLink;\nimport fabriclab.FabricManager;\n"
      << "import fabriclab.FabricSwitch;\n\n"
      << "network Fabric\n{\n    types:\n";
  size_t number = 0;
  for (auto& [cable, name] : cables) {
    name = cables.size() == 1 ? "Cable" : "Cable" + std::to_string(++number);
    out << "        channel " << name
        << " extends FabricLink {\n            datarate = " << nedValue(ParamType::Rate, cable.first)
        << ";\n            delay = " << time(Time{cable.second}) << ";\n        }\n";
  }
  out << "    submodules:\n        fabric: FabricManager;\n";
  for (size_t i = 0; i < s.nodes.size(); ++i) {
    const fabric::ScenarioNode& node = s.nodes[i];
    out << "        " << names[i] << ": " << (node.isHost ? "FabricHost" : "FabricSwitch") << " { nodeId = " << i
        << "; ";
    if (node.name != names[i]) out << "nodeName = " << quoted(node.name) << "; ";
    if (!node.isHost) out << "hashSalt = " << node.hashSalt << "; ";
    out << "gates: link[" << ports[i] << "]; }\n";
  }
  const auto gate = [&](uint32_t node, uint16_t port) { return names[node] + ".link[" + std::to_string(port) + "]"; };
  out << "    connections:\n";
  for (const auto& l : s.links) {
    out << "        " << gate(l.a, l.aPort) << " <--> " << cables.at({l.rate.bps, l.delay.ps}) << " <--> "
        << gate(l.b, l.bPort) << ";\n";
  }
  out << "}\n";
  return out.str();
}

std::string omnetppIni(const Scenario& s, const std::string& scenarioFile) {
  requireExact(s.stop, "stop_ps");
  const std::vector<std::string> names = moduleNames(s);
  std::ostringstream out;
  out << "# " << s.name << ", written from " << scenarioFile << " by fabric-omnet.\n"
      << "# To run it by hand, in this folder: fabric-omnet -u Cmdenv -f omnetpp.ini\n"
      << "[General]\nnetwork = Fabric\n"
      << "sim-time-limit = " << time(s.stop) << "\n\n"
      << "# The fabric counts picoseconds and has its own order of simultaneous events.\n"
      << "simtime-resolution = ps\nfutureeventset-class = \"fabriclab::FabricEventSet\"\n\n"
      << "# Fast by default: the trace stream (traceFile) holds the measurements. For .sca and .vec files take\n"
      << "# the next six lines out; for a sequence chart set record-eventlog.\n"
      << "outputscalarmanager-class = \"fabriclab::NoScalarFile\"\n"
      << "**.statistic-recording = false\n**.scalar-recording = false\n**.vector-recording = false\n"
      << "**.param-recording = false\n*.fabric.nodeByNode = true\n"
      << "record-eventlog = false\ncmdenv-express-mode = true\n\n"
      << "*.fabric.seed = " << s.seed << "\n"
      << "*.fabric.flowsFile = absFilePath(" << quoted(fileName(s.flowsFile)) << ")\n"
      << "*.fabric.routesFile = absFilePath(" << quoted(fileName(s.routesFile)) << ")\n"
      << "*.fabric.stopWhenFlowsFinish = " << (s.stopWhenFlowsFinish ? "true" : "false") << "\n";
  if (s.stopAtDeadlock) out << "*.fabric.stopAtDeadlock = true\n";
  writeLinkEvents(out, s, names);
  out << "*.fabric.tables = {";
  for (size_t i = 0; i < s.tables.size(); ++i) {
    const fabric::TraceFilter& f = s.tables[i].filter;
    if (f.to != Time::Max()) requireExact(f.to, "trace table " + s.tables[i].name + ", to_ps");
    requireExact(f.interval, "trace table " + s.tables[i].name + ", interval_ps");
    out << (i == 0 ? "\n" : ",\n") << "    " << table(s, s.tables[i], names);
  }
  out << " }\n";

  // The first line that matches holds.
  for (size_t n = 0; n < s.nodes.size(); ++n) {
    if (s.componentsOf[n] == Scenario::kHost || s.componentsOf[n] == Scenario::kSwitch) continue;
    const std::string node = "*." + names[n];
    out << "\n# " << s.nodes[n].name << "\n";
    writeComponents(out, s.components[s.componentsOf[n]], node, node + (s.nodes[n].isHost ? ".nic[*]" : ".port[*]"),
                    true);
  }
  out << "\n# hosts and their ports\n";
  writeComponents(out, s.components[Scenario::kHost], "*.*", "**.nic[*]", false);
  out << "\n# switches and their ports\n";
  writeComponents(out, s.components[Scenario::kSwitch], "*.*", "**.port[*]", false);
  return out.str();
}

}  // namespace fabriclab
