/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUNNER_KERNEL_H
#define FABRIC_RUNNER_KERNEL_H

#include <ostream>
#include <string>

namespace ns3
{
namespace fabric
{

/// Measures what an event costs in ns-3 itself and prints `{"events": N, "cpu_s": S}`: `event` is
/// one in the fabric's event list, `stock` one in ns-3's own. `barrier` is a window in which the
/// threads of all cores have nothing to do but to wait for each other; its seconds are not CPU time.
void MeasureKernel(const std::string& which, std::ostream& out);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_RUNNER_KERNEL_H */
