// Lengths of queues at which something happens, and whether queues get so long.
#pragma once

#include <cstdint>

namespace fabric {

class Component;
class Network;
class Port;
class Report;

/// What happens at a length: a mechanism begins to act, or acts in full.
enum class Acts : uint8_t { FromHere, InFull };

/// For check(): refuses a parameter that is such a length (0: none) if no full-size packet ever finds so much waiting.
/// Queues drop earlier, at their limits or when the switch's buffer is full, or PFC pauses what comes in. PFC may well
/// act before a mechanism acts in full, so that is a warning. `length` is the value at this port.
/// Of the queue of one class, and of all classes of data together, see Port::dataQueueBytes().
void refuseUnreached(const Component& component, const char* param, int64_t length, Acts acts, const Port& port,
                     uint8_t cls, const Network& network, Report& report);
void refuseUnreached(const Component& component, const char* param, int64_t length, Acts acts, const Port& port,
                     const Network& network, Report& report);

}  // namespace fabric
