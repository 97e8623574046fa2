// Flowtune's allocator in the network: hears of flowlets, hands out rates.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/own_checks.h"
#include "mechanisms/flowtune/allocator.h"
#include "mechanisms/flowtune/flowtune_messages.h"
#include "mechanisms/flowtune/rate_ledger.h"

namespace fabric {

class Node;

class FlowtuneAllocator final : public Application, public OwnChecks {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

  void onMessage(const Message& message) override;
  void onDown() override;
  void addChecks(std::vector<Network::Check>& checks) const override;
  void onSample(int table) override;

  flowtune::RateLedger& ledger() { return ledger_; }
  /// Writes into the ledger what happens at a node now.
  template <class Deed>
  void record(const Host& at, Deed deed) {
    network_->inOrder(at.id(), [this, deed] { deed(ledger_); });
  }
  void expectLifetime(Time lifetime) { ledger_.expectLifetime(lifetime); }

  // For tests.
  size_t flowlets() const { return flowlets_.size(); }
  uint64_t iterations() const { return iterations_; }

 private:
  struct Flowlet {
    uint32_t number = 0, server = 0;
    flowtune::Handle handle = 0, optimal = 0;
    Rate told;                   // 0: none yet
    std::vector<uint32_t> back;  // links of its ACKs, where these are counted
  };
  struct Server {
    std::vector<uint64_t> rates;  // to be handed out
    Time toldAt;
  };
  struct Batch {
    uint32_t server;
    std::vector<uint64_t> rates;
  };
  /// Time, host; iterations, flowlets, starts, ends, updates; excess, allocated, U-NORM and optimal rates.
  using Progress =
      Table<Time, NodeId, uint64_t, uint32_t, uint64_t, uint64_t, uint64_t, double, double, double, double>;
  static const Progress& progress();
  void onStart(Network& network) override;
  void begin();
  void add(const flowtune::Notice& notice, uint32_t server);
  void remove(uint32_t number, uint32_t server);
  bool findPath(const flowtune::Notice& notice, uint32_t server);
  bool findPath(uint32_t src, uint32_t dst, uint64_t a, uint64_t b);
  std::vector<uint32_t> wayBack(const flowtune::Notice& notice, uint32_t server);
  void makeRoomForAcks();
  uint32_t longestPath() const;
  void iterate();
  void collect(Time now);
  void handOut();
  double optimum();

  Network* network_ = nullptr;
  Progress::Id table_;
  flowtune::Links links_;
  std::vector<uint32_t> firstLink_;  // by node: that of its first port
  std::vector<const Port*> ports_;   // by link
  std::vector<double> capacities_;   // by link, in Gbit/s
  std::vector<double> acks_;         // by link: what ACKs take
  std::unique_ptr<flowtune::Allocator> allocator_;
  std::unique_ptr<flowtune::Allocator> best_;  // has the same flows and goes on until it is at the optimum
  flowtune::RateLedger ledger_;

  std::vector<Flowlet> flowlets_;
  std::unordered_map<flowtune::RateLedger::Key, uint32_t> places_;  // of flowlets; never walked through
  std::vector<uint32_t> path_;                                      // the one that add() works on
  std::vector<Server> servers_;                                     // by node
  std::vector<uint32_t> addressees_;                                // servers with rates to be handed out
  std::vector<Batch> outbox_;                                       // of the iteration that is under way
  uint16_t life_ = 0;
  uint64_t iterations_ = 0, starts_ = 0, ends_ = 0, updates_ = 0;
  EventOf<FlowtuneAllocator, &FlowtuneAllocator::iterate> iterationTimer_{this};
  EventOf<FlowtuneAllocator, &FlowtuneAllocator::handOut> outboxTimer_{this};

  Time interval_, iterationTime_, refresh_;
  double threshold_ = 0, reserve_ = 0, ackShare_ = 0, rateBound_ = 1, gamma_ = 0, initialPrice_ = 0;
  Choice algorithm_, normaliser_;
  bool oneSided_ = false, optimum_ = false;
};

}  // namespace fabric
