#include "mechanisms/fncc/fncc.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/fncc/fncc_receiver.h"

namespace fabric {

const Description& Fncc::describe() {
  static const Description d = [] {
    Describe<Fncc> b("fncc", Kind::CongestionControl, "FNCC: fast notification congestion control");
    b.help(
         "HPCC's window computed from telemetry that ACKs collect on their way back. When the last hop is the most "
         "loaded one, last-hop congestion speed-up (LHCS) sets the reference window to the fair share at once.")
        .source("FNCC, Algorithms 2 and 3")
        .needs("fncc_int")
        .needs("fncc_receiver");
    shared(b)
        .param("lhcs", &Fncc::lhcs_, true, "last-hop congestion speed-up", "FNCC Algorithm 2")
        .live()
        .param("alpha", &Fncc::alpha_, 1.05, "LHCS acts when the last hop's load is above this",
               "FNCC section 3.2.2: 1.05")
        .range(0.1, 10)
        .live()
        .param("beta", &Fncc::beta_, 0.9, "LHCS gives each flow this share of the fair rate, to drain the queue",
               "FNCC section 3.2.2: 0.9")
        .range(0.01, 1)
        .live()
        .param("lhcs_every_ack", &Fncc::lhcsEveryAck_, true,
               "LHCS sets the reference window at each ACK; false: only where a new window begins, once a round trip",
               "FNCC Algorithm 3 has it at each ACK; section 3.2.2 updates W^c once a round trip")
        .added()
        .live()
        .param("average_in_loop", &Fncc::averageInLoop_, false,
               "U is averaged at each hop that is more loaded than those before it; false: once, as in HPCC",
               "FNCC Algorithm 3 has the average inside the loop; its description has it after the loop")
        .added()
        .live()
        .extension(FnccCount::kName, sizeof(FnccCount), 2, "2 B on the ACK");
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(Fncc);

void Fncc::onStart(Network& network) {
  IntControl::onStart(network);
  n_ = network.packets().reserve<FnccCount>(FnccCount::kName);
}

/// Says to receiver and switches whose packet it is; it takes no bytes.
void Fncc::onSend(Flow&, Packet& packet) { n_.fill(packet); }

void Fncc::beforeWindow(State& s, const Measure& m, const IntStack& telemetry, const Packet& ack, bool updateWc) {
  // Record 0 is the last hop of the data path: the ACK met it first.
  if (!lhcs_ || m.hop != 0 || m.max <= alpha_ || (!updateWc && !lhcsEveryAck_)) return;
  const double bdp = static_cast<double>(telemetry.hops[0].rate.bps) * static_cast<double>(host_->baseRtt().ps) / 8e12;
  s.wc = bdp * beta_ / n_(ack).n;
}

}  // namespace fabric
