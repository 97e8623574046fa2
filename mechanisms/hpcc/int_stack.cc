#include "mechanisms/hpcc/int_stack.h"

#include "mechanisms/core/port.h"

namespace fabric {

IntRecord IntRecord::of(const Port& port, Time now, bool quantised) {
  IntRecord r{port.rate(), now, static_cast<int64_t>(port.sentWireBytes()), port.dataQueueBytes()};
  if (quantised) {
    // HPCC's public simulator: 128 B and 80 B times the rate in units of 25 Gb/s.
    const int64_t factor = r.rate.bps / Rate::Gbps(25).bps > 1 ? r.rate.bps / Rate::Gbps(25).bps : 1;
    r.ts.ps -= r.ts.ps % 1000;
    r.txBytes -= r.txBytes % (128 * factor);
    r.qlen -= r.qlen % (80 * factor);
  }
  return r;
}

}  // namespace fabric
