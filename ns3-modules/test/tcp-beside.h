/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One load on two TCPs: ns-3's own and the project's, over the same fabric.
 */
#ifndef TCP_BESIDE_H
#define TCP_BESIDE_H

#include "leaf-spine.h"

#include "ns3/socket.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/// Whose TCP; the congestion control by its name here: newreno, cubic, dctcp.
struct Tcp
{
    bool ns3;
    std::string control;
    bool alphaStays{false}; //!< DCTCP's alpha is 1 all the time
};

struct Transfer
{
    uint32_t from, to;
    uint64_t bytes; //!< 0: without end
    Time start;
};

/// A fabric whose hosts run one of the two, and what became of its transfers.
class Beside
{
  public:
    /// `queue` bytes wait at most at a port of a switch. DCTCP has marks from 65 packets on, its
    /// paper's threshold for 10 Gb/s (SIGCOMM 2010, section 3.4).
    Beside(const Tcp& tcp, LeafSpineOptions options, uint32_t queue);
    ~Beside();

    /// Transfers start LEAD later than they say. ns-3's connections are made before that, one by
    /// one in an empty network: the project has no handshake, and one that had to pass the queues
    /// first would let transfers begin only when the queues have room.
    void Start(const std::vector<Transfer>& transfers);
    static const Time LEAD;
    /// The check results of the model, as FabricHelper::Run.
    int Run(Time until);

    /// Payload that has reached the receiver's application.
    uint64_t Delivered(uint32_t transfer) const;
    /// From the start of the transfer to the last byte that the receiver got; -1: not finished.
    double Seconds(uint32_t transfer) const;

    /// The port towards a host drops `count` data packets from number `first` on, counted from 0.
    void DropTowards(uint32_t host, uint32_t first, uint32_t count);

    LeafSpine net;

  private:
    struct Progress
    {
        uint64_t bytes{0};
        uint64_t delivered{0};
        Time end{-1};
        Ptr<Socket> socket; //!< ns-3's sender
        uint64_t left{0};   //!< what it has not been given yet
    };

    void Connect(uint32_t transfer);
    void Fill(uint32_t transfer);

    class DropNth;

    Tcp m_tcp;
    std::unique_ptr<DropNth> m_dropper;
    std::vector<Transfer> m_transfers;
    std::vector<Progress> m_progress;
};

} // namespace fabric
} // namespace ns3

#endif /* TCP_BESIDE_H */
