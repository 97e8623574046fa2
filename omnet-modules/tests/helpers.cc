#include "helpers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace fabriclab::test {

using nlohmann::json;

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fabric-omnet-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Result::lastError() const {
  std::istringstream lines(err);
  std::string line, last;
  while (std::getline(lines, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

Result run(const std::vector<std::string>& command) {
  unsetenv("__OPPSIM_LOADED__");  // this process has the kernel, too, and that is not the child's business
  const Folder folder;
  std::vector<char*> argv;
  for (const std::string& c : command) argv.push_back(const_cast<char*>(c.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, (folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, 2, (folder / "err").c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error(command[0] + ": " + std::strerror(failed));
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read(folder / "out"), read(folder / "err")};
}

namespace {

/// Little-endian records behind the 32-byte header of flows.bin and routes.bin.
class Records {
 public:
  Records(const char* magic, uint32_t record, uint64_t count) {
    bytes_.append(magic, 8);
    put<uint32_t>(record);
    put<uint32_t>(0);
    put<uint64_t>(count);
    put<uint64_t>(0);
  }
  template <class T>
  Records& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  void write(const std::string& file) const { std::ofstream(file, std::ios::binary) << bytes_; }

 private:
  std::string bytes_;
};

void addFlow(Records& r, uint32_t id, uint32_t src, uint32_t dst, int64_t start) {
  r.put<uint32_t>(id).put(src).put(dst).put<uint32_t>(0).put<uint64_t>(0).put(start).put<int64_t>(-1);
  r.put<uint16_t>(static_cast<uint16_t>(49152 + id)).put<uint16_t>(4791).put<uint8_t>(1).put<uint8_t>(1);
  r.put<uint16_t>(0).put<double>(1).put<uint64_t>(0);
}

void addRoute(Records& r, uint32_t node, uint32_t dst, uint16_t port) {
  r.put(node).put(dst).put(port).put<uint16_t>(0).put<uint32_t>(0);
}

}  // namespace

void writeDumbbell(const Folder& folder, const std::string& congestionControl, const std::string& portAgent,
                   const std::string& receiverAgent, void (*change)(json&)) {
  const auto component = [](const std::string& type) { return json{{"type", type}, {"params", json::object()}}; };
  json s{{"format", "fabriclab-scenario"},
         {"version", 1},
         {"name", "dumbbell"},
         {"seed", 1},
         {"stop_ps", 700000000},
         {"stop_when_flows_finish", false},
         {"flows_file", "flows.bin"},
         {"routes_file", "routes.bin"}};
  const char* names[] = {"sender0", "sender1", "receiver0", "s1", "s2", "s3"};
  for (int i = 0; i < 6; ++i) {
    json node{{"id", i}, {"name", names[i]}, {"kind", i < 3 ? "host" : "switch"}};
    if (i >= 3) node["hash_salt"] = 0;
    s["nodes"].push_back(node);
  }
  const int links[][4] = {{0, 0, 3, 0}, {1, 0, 3, 1}, {2, 0, 5, 0}, {3, 2, 4, 0}, {4, 1, 5, 1}};
  for (int i = 0; i < 5; ++i) {
    s["links"].push_back({{"id", i},
                          {"a", links[i][0]},
                          {"a_port", links[i][1]},
                          {"b", links[i][2]},
                          {"b_port", links[i][3]},
                          {"rate_bps", 100000000000},
                          {"delay_ps", 1500000}});
  }
  s["components"] = {{"host", component("host")},
                     {"switch", component("switch")},
                     {"port", component("port")},
                     {"path_selector", component("ecmp")},
                     {"queues", {component("fifo"), component("fifo")}},
                     {"port_agents", json::array({component(portAgent)})},
                     {"congestion_control", component(congestionControl)},
                     {"receiver_agents", json::array({component(receiverAgent)})}};
  s["components"]["host"]["params"]["base_rtt"] = 12506880;
  const json at{{"interval_ps", 1000000}, {"ports", json::array({{{"node", 3}, {"port", 2}}})}};
  s["trace"]["tables"] = {
      {"flows", json::object()},  {"queues", at},           {"links", at}, {"rates", {{"interval_ps", 1000000}}},
      {"pauses", json::object()}, {"drops", json::object()}};
  if (change != nullptr) change(s);
  std::ofstream(folder / "scenario.json") << s.dump(1);

  Records flows("FABFLOW1", 64, 2);
  addFlow(flows, 0, 0, 2, 0);
  addFlow(flows, 1, 1, 2, 300000000);
  flows.write(folder / "flows.bin");
  Records routes("FABROUT1", 16, 9);
  const uint16_t port[3][3] = {{0, 1, 2}, {0, 0, 1}, {1, 1, 0}};  // of s1, s2, s3 towards the hosts
  for (uint32_t sw = 0; sw < 3; ++sw) {
    for (uint32_t host = 0; host < 3; ++host) addRoute(routes, 3 + sw, host, port[sw][host]);
  }
  routes.write(folder / "routes.bin");
}

std::map<std::string, Table> readTrace(const std::string& file) {
  const std::string bytes = read(file);
  size_t at = 8;
  const auto u32 = [&] {
    uint32_t v;
    std::memcpy(&v, bytes.data() + at, sizeof v);
    at += sizeof v;
    return v;
  };
  const uint32_t length = u32();
  const json header = json::parse(bytes.substr(at, length));
  at += length;
  static const std::map<std::string, size_t> widths{{"i64", 8}, {"u64", 8}, {"f64", 8}, {"u32", 4},
                                                    {"u16", 2}, {"u8", 1},  {"bool", 1}};
  std::map<std::string, Table> tables;
  while (bytes.compare(at, 4, "FBLK") == 0) {
    at += 4;
    const json& desc = header["tables"][u32()];
    const uint32_t rows = u32();
    u32();  // payload length
    u32();  // CRC
    for (const json& column : desc["columns"]) {
      const size_t width = widths.at(column["type"]);
      for (uint32_t r = 0; r < rows; ++r, at += width) {
        int64_t v = 0;
        std::memcpy(&v, bytes.data() + at, width);
        tables[desc["name"]][column["name"]].push_back(v);
      }
    }
  }
  return tables;
}

}  // namespace fabriclab::test
