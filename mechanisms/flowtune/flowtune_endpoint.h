// Flowtune at a server: it tells the allocator of flowlets, and paces them at the rates that come back.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"
#include "mechanisms/flowtune/flowtune_messages.h"
#include "mechanisms/flowtune/rate_ledger.h"

namespace fabric {

class FlowtuneAllocator;
class FlowtuneTcp;

/// A flowlet is the data of a flow, or of a persistent connection, without a break (section 6: coalesced). It ends when
/// all of it has been sent once (section 1: backlogged packets); TCP repairs losses.
class FlowtuneEndpoint final : public Application {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;

  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onMessage(const Message& message) override;
  /// For FlowtuneTcp: the last byte of this flow or connection is about to go.
  void onDrained(const Flow& flow);

  // For tests.
  size_t flowlets() const;
  /// What the flowlet is paced at; 0: it is not.
  Rate rate(uint32_t flow) const;

 private:
  struct Flowlet {
    uint32_t number = 0;   // another one whenever it starts: a rate that comes late finds none
    Flow* flow = nullptr;  // the connection
    uint32_t open = 0;     // messages, or the flow itself
    Rate rate;             // 0: none holds
    uint32_t told = 0;     // in which round the allocator was told of it
    bool ended = false;    // and of its end; its last bytes are not acknowledged
  };
  void onStart(Network& network) override;
  flowtune::RateLedger::Key key(const Flowlet& flowlet) const;
  void tell(const flowtune::Notice& notice);
  void send();
  void start(Flowlet& flowlet, double weight);
  void end(Flowlet& flowlet);
  void pace(Flowlet& flowlet, Rate rate);
  void letGo(Flowlet& flowlet);
  void apply(const Flowlet& flowlet, Rate rate);
  void beginAnew();
  void endDrained();

  Network* network_ = nullptr;
  FlowtuneTcp* tcp_ = nullptr;
  FlowtuneAllocator* allocator_ = nullptr;
  uint32_t allocatorId_ = 0;
  std::unordered_map<uint32_t, Flowlet> flowlets_;      // by the connection's number; walked through only to count
  std::unordered_map<uint32_t, uint32_t> connections_;  // by the number of a flowlet that has not ended
  uint32_t numbers_ = 0;                                // given out
  uint32_t round_ = 0;                                  // of telling everything anew
  uint16_t life_ = 0;                                   // of the allocator, that rates are from

  std::vector<Message> outbox_;  // none longer than a frame takes
  Time nextSend_;
  EventOf<FlowtuneEndpoint, &FlowtuneEndpoint::send> sendTimer_{this};
  std::vector<uint32_t> drained_;  // the event that ends them follows
  EventOf<FlowtuneEndpoint, &FlowtuneEndpoint::endDrained> drainTimer_{this};
  std::optional<LazyTimer<FlowtuneEndpoint>> expiry_;

  Time batch_, lifetime_;
};

}  // namespace fabric
