// What queues with CoDel's law have in common.
#pragma once

#include "mechanisms/codel/codel_law.h"
#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/port.h"

namespace fabric {

class CoDelSettings : public Queue {
 public:
  int64_t dropsAbove() const override { return 0; }  // by how long they wait

 protected:
  /// When a packet joined the queue that it waits in.
  struct Joined {
    static constexpr const char* kName = "codel";
    Time at;
  };

  void onStart(Network& network) override {
    engine_ = &network.engine();
    joined_ = network.packets().reserve<Joined>(Joined::kName);
    onChange();
  }
  void onChange() override { settings_ = {target_, interval_, minBytes_.n, arithmetic_.index == 1}; }
  Time now() const { return engine_->now(); }

  template <class C>
  static Describe<C>& law(Describe<C>& d) {
    return d
        .param("target", &C::target_, Time::Ms(5), "packets are to wait no longer than this for long",
               "RFC 8289 section 4 (recalled): 5 ms")
        .range(0, 60e12)
        .live()
        .param("interval", &C::interval_, Time::Ms(100),
               "drops begin when all packets of so long have waited longer than target; the n-th comes interval / "
               "sqrt(n) behind the one before",
               "RFC 8289 section 4 (recalled): 100 ms, a worst-case round trip")
        .range(1, 60e12)
        .live()
        .param("min_bytes", &C::minBytes_, Bytes{1518}, "no drop if at most this stays in the queue",
               "RFC 8289 section 5: the largest packet")
        .live()
        .param("arithmetic", &C::arithmetic_, {"exact", "linux"}, "exact",
               "linux: times in units of 1024 ns, 1 / sqrt(n) in 16 bits, one Newton step for each n",
               "exact: RFC 8289 section 5; linux: Linux's codel, which ns-3 has, too")
        .extension(Joined::kName, sizeof(Joined), 0, "nothing on the wire");
  }

  Engine* engine_ = nullptr;
  PacketExtension<Joined> joined_;
  CoDelLaw::Settings settings_;
  Time target_, interval_;
  Bytes minBytes_;
  Choice arithmetic_;
};

}  // namespace fabric
