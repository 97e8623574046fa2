/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_TEST_H
#define FABRIC_TEST_H

#include "fabric-helper.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ns3
{
namespace fabric
{

/// First in every test: times below are made in picoseconds. ns-3 bears one change of it in a process.
inline void
UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

/// The FNCC dumbbell at 100 Gb/s, small enough for a test; mechanisms by the name of a preset.
struct Dumbbell
{
    explicit Dumbbell(const std::string& preset);

    FabricHelper helper;
    NodeContainer senders, receiver, switches;
    NetDeviceContainer bottleneck; //!< s1 -> s2 first
};

/// Collects the rows of one table, the way the trace stream gets them.
class Rows : public core::RowSink
{
  public:
    explicit Rows(const std::string& table);
    void row(int table, const core::Cell* cells) override;
    /// One line of numbers per row.
    std::string text;

  private:
    size_t m_columns;
};

std::string ReadFile(const std::string& name);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_TEST_H */
