// Senders that pace at a rate which the price of the path says: DGD and RCP*.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/numfabric/num_flows.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class PathRate : public CongestionControl {
 public:
  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onFlowEnd(Flow& flow) override;
  void onSample(int table) override;

 protected:
  template <class C>
  static Describe<C>& shared(Describe<C>& d);

  void onStart(Network& network) override;
  /// The rate in Mb/s at this price of the path.
  virtual double rateAt(double price, const Flow& flow) const = 0;

  bool waitCounts_ = false;  // a round trip begins when the window has room for the packet, not when it is paced out

 private:
  struct State {
    double price = 0;
    Time rtt;          // the last sample
    uint8_t hops = 0;  // 0: no ACK was here yet
    // Where waiting counts: packets that are acknowledged, and when the window had room for the next ones.
    uint64_t acked = 0;
    int32_t room = -1;  // of rooms_
  };

  void sampleRtt(State& s, const Flow& flow, const Packet& ack);
  void makeRoom(State& s);

  Network* network_ = nullptr;
  NumFlows::Id table_;
  PacketExtension<NumHeader> header_;
  FlowState<State> state_;
  // When the window had room for a packet, by its number modulo the window. Those of flows that are over serve others.
  std::vector<std::vector<Time>> rooms_;
  std::vector<int32_t> idleRooms_;
  int64_t window_ = 0, initialWindow_ = 0;
  Rate minRate_;
  Bytes headerBytes_;
};

template <class C>
Describe<C>& PathRate::shared(Describe<C>& d) {
  return d
      .param("min_rate", &C::minRate_, Rate::Mbps(120), "no flow is slower",
             "NUMFabric's authors' simulator: 120 Mb/s; the paper: none")
      .range(1, 1e15)
      .live()
      .param("window", &C::window_, 28, "packets that may be unacknowledged",
             "NUMFabric section 6: 2 BDP; its authors' simulator: 28 packets, 2 BDP at 10 Gb/s and 16 us")
      .range(1, 1 << 20)
      .live()
      .param("initial_window", &C::initialWindow_, 1,
             "packets that go, at line rate, before the first ACK says a price",
             "chosen; NUMFabric's authors' simulator learns it from TCP's handshake")
      .range(1, 1 << 20)
      .param("header_bytes", &C::headerBytes_, Bytes{0}, "wire bytes on data packets; 0: host.header_bytes has them",
             "NUMFabric's authors' simulator: 1410 B of 1500 B are payload, with all headers")
      .range(0, 256)
      .extension(NumHeader::kName, sizeof(NumHeader), 256, "header_bytes")
      .table(numFlows());
}

}  // namespace fabric
