// What the port agents of NUMFabric, DGD and RCP* have in common: a price that data packets add up on their way, and
// that all ports of the network renew at the same instants.
#pragma once

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/port.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class PriceAgent : public PortAgent {
 public:
  void attach(Port& port, uint8_t index) override;
  bool hooksEnqueue() const override { return true; }
  bool hooksDequeue() const override { return true; }
  void onEnqueue(Packet& packet) override;
  void onDequeue(Packet& packet) override;
  void onSample(int table) override;

  /// What the link adds to a path's price, in utility per Mb/s.
  double price() const { return price_; }

 protected:
  template <class C>
  static Describe<C>& shared(Describe<C>& d, Time interval, const char* help, const char* source) {
    return d.param("interval", &C::interval_, interval, help, source)
        .range(1000, 1e12)
        .extension(NumHeader::kName, sizeof(NumHeader), 0, "in the header of the sender")
        .table(prices());
  }
  /// Time, node, port; price, load.
  using Prices = Table<Time, NodeId, uint16_t, double, double>;
  static const Prices& prices();

  void onStart(Network& network) override;
  /// What was settled need not be any more.
  void onChange() override { startTimer(); }
  /// A packet joins its queue; `header` is null where it is no data with a price.
  virtual void arrives(const Packet& packet, const NumHeader* header) = 0;
  /// A packet goes on the wire.
  virtual void leaves(const Packet&) {}
  /// The interval is over: price_ and utilisation_ become those of the next one.
  virtual void update() = 0;
  /// Whether an update without traffic would change nothing.
  virtual bool settled() const = 0;

  Time now() const { return engine_->now(); }
  double capacity() const { return static_cast<double>(port_->rate().bps) * 1e-6; }  // Mb/s
  /// The rate of so many bytes in a time, in Mb/s.
  static double rateOf(int64_t bytes, Time in) { return static_cast<double>(bytes) * 8e6 / static_cast<double>(in.ps); }

  double price_ = 0;
  double load_ = 0;  // over the last interval, as a share of the capacity
  Time interval_;

 private:
  void startTimer();
  void tick();

  Network* network_ = nullptr;
  Engine* engine_ = nullptr;
  PacketExtension<NumHeader> header_;
  Prices::Id table_;
  bool quiet_ = true;  // nothing has come since the last update
  EventOf<PriceAgent, &PriceAgent::tick> timer_{this};
};

}  // namespace fabric
