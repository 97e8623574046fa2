// Counts the model's heap allocations in steady state, for the benchmark: six senders under HPCC and one receiver, the
// third millisecond.
#include <iostream>

#include "mechanisms/tests/count_new.h"
#include "mechanisms/tests/net.h"

int main() {
  using namespace fabric;
  test::Chain net(test::Config::hpcc(), 6, 2);
  for (int i = 0; i < 12; ++i) net.flow(i, net.sender(i % 6), net.receiver(), 0, Time::Ns(i));
  net.run(Time::Ms(2));
  const uint64_t allocations = test::allocations;
  const uint64_t packets = net.network.total().packetHops;
  net.engine.run(Time::Ms(3));
  std::cout << "{\"packet_hops\": " << net.network.total().packetHops - packets
            << ", \"allocations\": " << test::allocations - allocations << "}\n";
  return std::cout.flush() ? 0 : 1;
}
