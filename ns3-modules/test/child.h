/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CHILD_H
#define CHILD_H

#include <functional>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Runs a simulation in a process of its own, because ns-3 keeps it in globals, and returns its
/// numbers; none if it failed.
std::vector<double> InChild(const std::function<std::vector<double>()>& simulation);

} // namespace fabric
} // namespace ns3

#endif /* CHILD_H */
