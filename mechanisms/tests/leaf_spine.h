// A leaf-spine network for tests of path selectors.
#pragma once

#include "mechanisms/tests/net.h"

namespace fabric::test {

/// `hosts` at each of `leaves` switches, each of which has `parallel` links to each of `spines` ones. The
/// rate of a fabric link is what `rate(leaf, spine)` says.
struct LeafSpine : Net {
  struct Shape {
    int leaves = 2, spines = 2, hosts = 2, parallel = 1;
    Rate host = Rate::Gbps(10), fabric = Rate::Gbps(40);
  };
  template <class RateOf>
  LeafSpine(const Config& c, const Shape& s, RateOf&& rate) : Net(c), shape(s) {
    for (int i = 0; i < s.leaves * s.hosts; ++i) host();
    for (int i = 0; i < s.leaves; ++i) sw(0);
    for (int i = 0; i < s.spines; ++i) sw(1);
    for (int l = 0; l < s.leaves; ++l) {
      for (int h = 0; h < s.hosts; ++h) link(at(l, h), leaf(l), s.host, Time::Ns(500));
      for (int p = 0; p < s.spines; ++p) {
        for (int i = 0; i < s.parallel; ++i) link(leaf(l), spine(p), rate(l, p), Time::Ns(500));
      }
    }
  }
  LeafSpine(const Config& c, const Shape& s) : LeafSpine(c, s, [&](int, int) { return s.fabric; }) {}

  Host& at(int leaf, int i) { return *hosts[leaf * shape.hosts + i]; }
  Switch& leaf(int i) { return *switches[i]; }
  Switch& spine(int i) { return *switches[shape.leaves + i]; }
  /// The port of a leaf towards a spine.
  Port& uplink(int l, int s, int i = 0) {
    return leaf(l).port(static_cast<uint16_t>(shape.hosts + s * shape.parallel + i));
  }

  Shape shape;
};

/// A configuration with a path selector and what it needs.
inline Config with(Config c, const std::string& selector) {
  c.selector = selector;
  c.agents.push_back("dre");
  if (selector == "iofd") {  // a lane to escape to
    c.nicAgents.push_back("iofd_tokens");
    c.queues.push_back(c.queues.back());
    if (!c.nicQueues.empty()) c.nicQueues.push_back(c.nicQueues.back());
    c.set("host.classes", int64_t{3});
  }
  return c;
}

}  // namespace fabric::test
