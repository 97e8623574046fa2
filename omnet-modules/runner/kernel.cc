#include "kernel.h"

#include <omnetpp.h>
#include <sys/resource.h>

#include "mechanisms/runner/scenario.h"
#include "omnet-modules/src/messages.h"

namespace fabriclab {

namespace {

double cpuSeconds() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

/// Shared by all nodes: the second half of their events is measured.
struct Count {
  int64_t events = 0;
  int64_t measured = 0;
  double cpu = 0;  // at the start of the measurement, then its length
};
Count count;

}  // namespace

class BareNode final : public omnetpp::cSimpleModule {
 protected:
  void initialize() override {
    count = {};
    measure_ = par("measure").intValue();
    time_ = par("time");
    out_ = gate("link$o", 1);
    const std::string kind = par("kind").stdstringValue();
    const omnetpp::simtime_t first = time_ / getVectorSize() * getIndex();
    omnetpp::cMessage* message = nullptr;
    if (kind == "timer") {
      auto* timer = new FabricTimer();
      timer->key = static_cast<uint64_t>(getId());
      message = timer;
    } else if (kind == "packet") {
      message = packet_ = new omnetpp::cPacket("packet", 0, 8);
    } else {
      message = new omnetpp::cMessage("message");
    }
    scheduleAt(first, message);
  }

  void handleMessage(omnetpp::cMessage* message) override {
    if (packet_ != nullptr) {
      send(message, out_);
    } else {
      scheduleAt(omnetpp::simTime() + time_, message);
    }
    if (++count.events == measure_) count.cpu = cpuSeconds();
    if (count.events == 2 * measure_) {  // the message is on its way, so its end is the simulator's business
      count.cpu = cpuSeconds() - count.cpu;
      count.measured = measure_;
      endSimulation();
    }
  }

 private:
  int64_t measure_ = 0;
  omnetpp::simtime_t time_;
  omnetpp::cGate* out_ = nullptr;
  omnetpp::cPacket* packet_ = nullptr;  // the first, where packets are what goes round
};
Define_Module(BareNode);

std::vector<std::string> kernelArgs(const std::string& which) {
  const bool ours = which == "event";
  if (!ours && which != "stock" && which != "gates") {
    throw fabric::InputError("--kernel " + which + ": known are event, stock, gates");
  }
  return {"fabric-omnet",
          "-u",
          "Cmdenv",
          "-f",
          "/dev/null",
          "-n",
          ";",  // no folders: the NED files are inside the program
          "--network=fabriclab.BareKernel",
          "--simtime-resolution=ps",
          "--cmdenv-express-mode=true",
          "--print-undisposed=false",
          std::string("--futureeventset-class=") + (ours ? "fabriclab::FabricEventSet" : "omnetpp::cEventHeap"),
          std::string("--**.kind=\"") +
              (ours               ? "timer"
               : which == "stock" ? "message"
                                  : "packet") +
              "\"",
          "--outputscalarmanager-class=fabriclab::NoScalarFile",
          "--**.statistic-recording=false",
          "--**.param-recording=false"};
}

std::string kernelCost() {
  return R"({"events": )" + std::to_string(count.measured) + R"(, "cpu_s": )" + std::to_string(count.cpu) + "}";
}

}  // namespace fabriclab
