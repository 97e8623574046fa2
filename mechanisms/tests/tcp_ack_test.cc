// What receiver agents are shown of TCP's packets, and above all of delayed ACKs.
#include <gtest/gtest.h>

#include "mechanisms/tcp/tcp.h"
#include "mechanisms/tests/tcp_path.h"

namespace fabric {
namespace {

using test::Config;
using test::kMss;
using test::Path;
using test::tcp;

/// What the sender writes into each data packet, as telemetry is.
struct Stamp {
  static constexpr const char* kName = "stamp";
  uint32_t flow = kNoFlow;
  uint64_t seq = 0;
};

/// A window that stays as it is.
class Stamper final : public CongestionControl {
 public:
  static const Description& describe() {
    static const Description d = Describe<Stamper>("stamper", Kind::CongestionControl, "stamper")
                                     .help("For tests.")
                                     .source("test")
                                     .param("segments", &Stamper::segments_, 1, "window", "test")
                                     .range(1, 100)
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onStart(Network& network) override { stamp_ = network.packets().reserve<Stamp>(Stamp::kName); }
  void onFlowStart(Flow& flow) override { flow.window = segments_ * kMss; }
  void onSend(Flow& flow, Packet& p) override { stamp_(p) = {flow.spec.id, p.seq}; }
  int64_t keptBytes() const override { return 0; }

 private:
  PacketExtension<Stamp> stamp_;
  int64_t segments_ = 1;
};
FABRIC_REGISTER(Stamper);

class Reader final : public ReceiverAgent {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Reader>("stamp_reader", Kind::ReceiverAgent, "reads stamps").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onStart(Network& network) override {
    stamp_ = network.packets().reserve<Stamp>(Stamp::kName);
    header_ = network.packets().reserve<TcpHeader>(TcpHeader::kName);
    network_ = &network;
  }
  void onData(Flow&, Packet& p) override { connections.push_back(header_(p).connection); }
  void onAck(Flow& flow, Packet& p) override {
    EXPECT_EQ(p.flowId, flow.spec.id);
    EXPECT_EQ(p.kind, PacketKind::Ack);
    acks.push_back({network_->engine().now(), p.seq, stamp_(p)});
    EXPECT_EQ(acks.back().stamp.flow, flow.spec.id);
  }

  struct Ack {
    Time at;
    uint64_t seq;
    Stamp stamp;
  };
  std::vector<Ack> acks;
  std::vector<uint32_t> connections;

 private:
  Network* network_ = nullptr;
  PacketExtension<Stamp> stamp_;
  PacketExtension<TcpHeader> header_;
};
FABRIC_REGISTER(Reader);

struct Stamped : Path {
  explicit Stamped(Config c = tcp("stamper")) : Path((c.receivers = {"stamp_reader"}, c)) {}
  Reader& reader() { return static_cast<Reader&>(*receiver().receiverAgents()[0]); }
};

/// With a window of one segment each ACK waits for its timer. While one flow's does, the other one's packets
/// come and go. An ACK carries what the data packet collected that it answers.
TEST(TcpAck, ADelayedOneCarriesWhatItsDataCollected) {
  Stamped net(tcp("stamper").set("host.ack_every", int64_t{2}));
  net.stream(0, 4 * kMss);
  net.stream(1, 4 * kMss, Time::Ms(15));
  net.finish(Time::Ms(500));
  const auto& acks = net.reader().acks;
  ASSERT_EQ(acks.size(), 8u);
  for (const auto& a : acks) EXPECT_EQ(a.stamp.seq + kMss, a.seq);
  EXPECT_GE(acks[0].at, Time::Ms(40)) << "the timer's";
  EXPECT_EQ(net.network.packets().live(), 0u);
}

/// An ACK for every three segments, and windows of two: the timer answers for both, with the second's packet.
TEST(TcpAck, TheLastOfThoseThatWaitAnswers) {
  Stamped net(tcp("stamper").set("host.ack_every", int64_t{3}).set("stamper.segments", int64_t{2}));
  net.stream(0, 4 * kMss);
  net.stream(1, 4 * kMss, Time::Ms(15));
  net.finish(Time::Ms(500));
  const auto& acks = net.reader().acks;
  ASSERT_EQ(acks.size(), 4u);
  for (const auto& a : acks) EXPECT_EQ(a.stamp.seq + kMss, a.seq);
  EXPECT_EQ(acks[0].seq, 2u * kMss);
}

/// Packets are used again. One of a flow that is no message does not say that it belongs to a connection.
TEST(TcpAck, PlainFlowsNameNoConnection) {
  Stamped net;
  net.message(7, 3 * kMss);
  net.stream(8, 3 * kMss, Time::Ms(10));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.reader().connections, (std::vector<uint32_t>{7, 7, 7, kNoFlow, kNoFlow, kNoFlow}));
}

}  // namespace
}  // namespace fabric
