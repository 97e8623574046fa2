#include "mechanisms/runner/recorder.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "mechanisms/core/host.h"
#include "mechanisms/runner/catalog.h"

namespace fabric {

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void printLine(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

/// In bytes. What the system counts of a process goes back to before exec(), to the memory of whoever started it, so
/// this is what it says of the memory that the program itself has.
int64_t peakMemory(const rusage& usage) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr size_t kName = sizeof "VmHWM:" - 1;
    if (line.compare(0, kName, "VmHWM:") == 0) return std::stoll(line.substr(kName)) * 1024;
  }
  return usage.ru_maxrss * 1024;
}

/// Null where everything could have got on.
Json toJson(const Standstill& s) {
  if (!s.any()) return nullptr;
  const auto names = [](const std::vector<Place>& places) {
    Json list = Json::array();
    for (const Place& p : places) list.push_back(nameOf(p));
    return list;
  };
  Json cycles = Json::array(), dead = Json::array(), starving = Json::array();
  for (const Deadlock::Cycle& c : s.cycles()) cycles.push_back({{"since_ps", c.since.ps}, {"ports", names(c.places)}});
  for (const Standstill::Dead& d : s.dead()) dead.push_back({{"host", d.host->name()}, {"since_ps", d.since.ps}});
  for (const Standstill::Starving& d : s.starving()) {
    starving.push_back({{"port", nameOf(d.place)}, {"since_ps", d.since.ps}});
  }
  return Json{
      {"deadlocks", cycles}, {"paused_for_good", names(s.paused())}, {"dead_hosts", dead}, {"starving", starving}};
}

}  // namespace

void enableTables(TraceBus& bus, const std::vector<ScenarioTable>& tables) {
  for (const ScenarioTable& t : tables) {
    const int table = bus.find(t.name);
    if (table < 0) {
      std::string known;
      for (int i = 0; i < bus.size(); ++i) known += (known.empty() ? "" : ", ") + bus.desc(i).name;
      throw InputError("trace table '" + t.name + "' is not known; there are " + known);
    }
    bus.enable(table, t.filter);
  }
}

Recorder::Recorder(Network& network, RecorderOptions options, Time stop, uint64_t flows)
    : network_(network), options_(std::move(options)), stop_(stop), flows_(flows), startedNs_(nowNs()) {
  if (!options_.traceFile.empty()) trace_ = std::make_unique<TraceStream>(options_.traceFile, network.trace());
  if (options_.progressMs > 0) {
    printLine({{"event", "start"}, {"stop_ps", stop_.ps}, {"flows", flows_}});
    watcher_ = std::thread(&Recorder::watch, this);
  }
}

Recorder::~Recorder() { stopWatching(); }

void Recorder::stopWatching() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void Recorder::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(options_.progressMs), [this] { return over_; })) {
    printProgress();
  }
}

void Recorder::printProgress() const {
  const Engine::Progress p = network_.engine().progress();
  printLine({{"event", "progress"},
             {"sim_ps", p.now},
             {"stop_ps", stop_.ps},
             {"events", p.events},
             {"flows_done", p.flowsDone},
             {"flows_total", flows_},
             {"wall_s", static_cast<double>(nowNs() - startedNs_) * 1e-9}});
}

void Recorder::warn(const std::string& text) const {
  if (options_.progressMs > 0) {
    printLine({{"event", "warning"}, {"text", text.substr(0, 2000)}});
  } else {
    std::fprintf(stderr, "warning: %s\n", text.c_str());
  }
}

int Recorder::finish() {
  stopWatching();  // no line of progress behind the end
  network_.finish();
  if (trace_) trace_->close();

  bool ok = true;
  const Network::Counters c = network_.total();
  Json checks = Json::array();
  for (const Network::Check& check : network_.checks()) {
    ok &= check.ok;
    checks.push_back({{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
  }
  Json warnings = Json::array();
  for (const std::string& w : network_.warnings()) {
    warnings.push_back(w);
    warn(w);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const uint64_t inFlight = c.dataBytesSent - c.dataBytesReceived - c.dataBytesDropped;
  const Json summary{{"status", ok ? "ok" : "check-failed"},
                     {"sim_ps", network_.engine().now().ps},
                     {"events", network_.engine().progress().events},
                     {"packet_hops", c.packetHops},
                     {"flows",
                      {{"total", flows_},
                       {"started", c.flowsStarted},
                       {"finished", c.flowsFinished},
                       {"measured", c.measuredLimited},
                       {"measured_finished", c.measuredFinished}}},
                     {"counters",
                      {{"data_packets_sent", c.dataPacketsSent},
                       {"data_bytes_sent", c.dataBytesSent},
                       {"data_bytes_received", c.dataBytesReceived},
                       {"data_bytes_delivered", c.dataBytesDelivered},
                       {"data_bytes_dropped", c.dataBytesDropped},
                       {"data_bytes_in_flight", inFlight},
                       {"acks_sent", c.acksSent},
                       {"cnps_sent", c.cnpsSent},
                       {"drops", c.drops},
                       {"marks", c.marks},
                       {"xoff_sent", c.xoffSent},
                       {"xon_sent", c.xonSent},
                       {"retransmitted_bytes", c.retransmittedBytes}}},
                     {"checks", checks},
                     {"warnings", warnings},
                     {"standstill", toJson(network_.standstill())},
                     {"resources",
                      {{"wall_s", static_cast<double>(nowNs() - startedNs_) * 1e-9},
                       {"cpu_user_s", seconds(usage.ru_utime)},
                       {"cpu_sys_s", seconds(usage.ru_stime)},
                       {"peak_rss_bytes", peakMemory(usage)}}}};
  if (!options_.summaryFile.empty()) {
    std::ofstream out(options_.summaryFile);
    out << summary.dump(1) << "\n";
    if (!out.flush()) throw std::runtime_error("summary " + options_.summaryFile + ": cannot be written");
  }
  if (options_.progressMs > 0) printLine({{"event", "end"}, {"status", ok ? "ok" : "check-failed"}});
  return ok ? kExitOk : kExitCheckFailed;
}

}  // namespace fabric
