#include "mechanisms/dart/dasr_receiver.h"

#include <algorithm>
#include <utility>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

namespace {

/// Of announced messages.
uint64_t key(uint32_t group, uint32_t host) { return uint64_t{group} << 32 | host; }

}  // namespace

const DasrReceiver::Known& DasrReceiver::known() {
  static const Known table{"dasr",
                           "what DASR's receivers know, sampled",
                           Scope::Node,
                           true,
                           {"time_ps", "simulated time"},
                           {"node", "the receiver"},
                           {"senders", "1", "hosts in the set of active senders"},
                           {"n", "1", "what ACKs say"},
                           {"state", "", "0 no congestion, 1 receiver congestion, 2 other congestion"},
                           {"suppressed", "1", "marks taken away so far"},
                           {"passed", "1", "marks let through so far"},
                           {"told", "1", "packets sent so far that tell a host n ahead"},
                           {"told_bytes", "B", "their bytes"}};
  return table;
}

const Description& DasrReceiver::describe() {
  static const Description d =
      Describe<DasrReceiver>("dasr_receiver", Kind::ReceiverAgent,
                             "Direct apportioning of sending rates, at the receiver")
          .help(
              "Keeps the set of hosts with messages under way and says its size, n, in every ACK, and to all hosts of "
              "a group when its first message comes. Marks that come "
              "while data arrives at line rate are the receiver's own congestion, which n takes care of: they are "
              "taken away. Marks at a lower rate come from elsewhere: they pass, and n is 1.")
          .source("Dart, sections III-A to III-D and Figure 5")
          .param("timeout", &DasrReceiver::timeout_, Time::Ms(2000),
                 "a sender that is silent for this time counts as dead", "Dart section III-B: 2 s")
          .range(1, 1e15)
          .live()
          .param("packets", &DasrReceiver::packets_, 8, "data packets over which the rate of arrival is measured",
                 "chosen: fewer than wait before the first mark of a queue")
          .range(1, kMostPackets - 1)
          .live()
          .param(
              "line_share", &DasrReceiver::lineShare_, 0.9,
              "share of the link's rate that counts as line rate; ACKs of the host's own data take the rest. It stays "
              "below dasr.share, or what its senders share counts as other congestion once the queue has drained",
              "chosen")
          .range(0.01, 1)
          .live()
          .param("calm", &DasrReceiver::calm_, Time::Us(50), "no congestion after this time without a mark",
                 "chosen: DCQCN's shortest time between two notices")
          .live()
          .param("says", &DasrReceiver::says_, {"always", "receiver_congestion"}, "always",
                 "when ACKs say n: but in other congestion, or in receiver congestion only, and 1 otherwise",
                 "Dart sections III-A and III-D: continuously; section III-C: in receiver congestion")
          .param("suppress", &DasrReceiver::suppress_, true, "whether marks are taken away in receiver congestion",
                 "Dart section III-C")
          .added()
          .live()
          .param("tell_ahead", &DasrReceiver::tellAhead_, true,
                 "the first message of a group makes the receiver send n to every host that it names, in a packet of "
                 "an ACK's size",
                 "Dart section III-D")
          .live()
          .param("ack_bytes", &DasrReceiver::ackBytes_, Bytes{2}, "n on an ACK, or told ahead",
                 "chosen: as much as a sender's number")
          .range(0, 8)
          .extension(DasrHeader::kName, sizeof(DasrHeader), DasrHeader::kMostMembers * DasrHeader::kIdBytes,
                     DasrHeader::kOnWire)
          .table(known())
          .done();
  return d;
}
FABRIC_REGISTER(DasrReceiver);

void DasrReceiver::check(const Network&, Report& report) const {
  for (const ReceiverAgent* before : host_->receiverAgents()) {
    if (before == this) return;
    if (before->description().name != "cnp_generator") continue;
    report.refuse(
        "receiver_agents has cnp_generator before dasr_receiver, and it would see marks that dasr_receiver "
        "takes away; put dasr_receiver first",
        {*before, *this});
  }
}

/// It sees a message begin and end with the flow of its packets.
void DasrReceiver::checkFlow(const FlowSpec& f, const Host&, Report& report) const {
  if (!f.persistent || !host_->transport().staysOpen()) return;
  report.refuse(
      "dasr_receiver counts messages by their queue pairs, and the workload has messages that share one; leave "
      "connections or dasr_receiver out",
      {Spot::flow("connections"), *this});
}

void DasrReceiver::onStart(Network& network) {
  network_ = &network;
  engine_ = &network.engine();
  header_ = network.packets().reserve<DasrHeader>(DasrHeader::kName);
  message_ = network.flows().reserve<Message>("dasr_receiver", FlowEnd::Receiver);
  table_ = network.trace().find(known());
  ahead_ = network.controlTypes().add(DasrHeader::kAhead);
}

void DasrReceiver::onChange() {
  bytes_ = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(arrived_, packets_); ++i) {
    bytes_ += arrivals_[(arrived_ - 1 - i) % kMostPackets].bytes;
  }
}

// ---------------------------------------------------------------- the set

uint32_t DasrReceiver::messagesOf(uint32_t host) const {
  const uint32_t place = senders_.find(host);
  return place == kNobody ? 0 : senders_[place].messages;
}

uint32_t DasrReceiver::n() const {
  if (state_ == State::OtherCongestion) return 1;
  if (says_.index == 1 && state_ != State::ReceiverCongestion) return 1;
  return std::max(senders(), uint32_t{1});
}

uint32_t DasrReceiver::enter(uint32_t host) {
  const uint32_t place = senders_.add(host);
  senders_[place].stay = ++stays_;
  senders_[place].lastAt = engine_->now();
  silent_.append(place);
  return place;
}

void DasrReceiver::leave(uint32_t place) {
  silent_.remove(place);
  senders_.remove(place);
}

/// Only who is looked at is said to anybody, so there is no timer.
void DasrReceiver::forgetSilent() {
  const Time now = engine_->now();
  const auto due = [&](Time since) { return since + timeout_ <= now; };
  while (silent_.first() != kNobody && due(senders_[silent_.first()].lastAt)) leave(silent_.first());
  while (awaited_.first() != kNobody && due(groups_[awaited_.first()].since)) expire(awaited_.first());
}

// ---------------------------------------------------------------- messages

void DasrReceiver::onFlowStart(Flow& flow) { message_.make(flow); }

/// The sender is done. The set knows already, unless the message was stopped.
void DasrReceiver::onFlowEnd(Flow& flow) { endMessage(flow, message_(flow)); }

/// The message is under way: it begins, or its sender was taken for dead and is not, or it is counted already.
void DasrReceiver::count(const Flow& flow, Message& m) {
  uint32_t place = senders_.find(flow.spec.src);
  if (place == kNobody) place = enter(flow.spec.src);
  Sender& s = senders_[place];
  if (m.stay != s.stay) {
    ++s.messages;
    m.stay = s.stay;
  }
  s.lastAt = engine_->now();
  silent_.moveToEnd(place);
}

void DasrReceiver::endMessage(Flow& flow, Message& m) {
  if (!m.met && flow.spec.group != 0) meetGroup(flow, m, {});  // its first packet never came
  m.over = true;
  uncount(flow.spec.src, std::exchange(m.stay, 0), 1);
}

/// Does nothing if the host has left since these messages were counted: it took them with it.
void DasrReceiver::uncount(uint32_t host, uint64_t stay, uint32_t messages) {
  const uint32_t place = senders_.find(host);
  if (place == kNobody || senders_[place].stay != stay) return;
  senders_[place].messages -= messages;
  if (senders_[place].messages == 0) leave(place);
}

// ---------------------------------------------------------------- look-ahead

/// A message that has begun and counts itself need not be announced any more. Where the first packet was lost, this is
/// found out with a later one, as soon as any message of the group has named its members.
bool DasrReceiver::meetGroup(const Flow& flow, Message& m, const FlowGroups::Members& members) {
  const uint32_t number = flow.spec.group;
  uint32_t place = groups_.find(number);
  const bool isNew = place == kNobody;
  if (isNew) {
    if (members.count == 0) return false;
    place = announce(number, members);
  }
  m.met = true;
  takeBack(number, flow.spec.src, 1);
  Group& group = groups_[place];
  if (--group.missing > 0) return isNew;
  if (group.awaited) expire(place);  // messages of hosts that the list did not name have begun in place of others
  groups_.remove(place);
  return isNew;
}

/// Members are sorted, so a host with several messages is told once.
void DasrReceiver::tell(const FlowGroups::Members& members) {
  const auto bytes = static_cast<uint32_t>(host_->ackBytes() + ackBytes_.n);
  for (uint32_t i = 0; i < members.count; ++i) {
    if (i > 0 && members.ids[i] == members.ids[i - 1]) continue;
    Packet* p = host_->controlTo(members.ids[i], ahead_, bytes);
    header_.fill(*p).senders = n();
    ++told_;
    toldBytes_ += p->wireBytes;
    host_->sendControl(p);
  }
}

/// All members' messages count from now on.
uint32_t DasrReceiver::announce(uint32_t number, const FlowGroups::Members& members) {
  for (uint32_t i = 0; i < members.count; ++i) {
    const uint32_t host = members.ids[i];
    uint32_t sender = senders_.find(host);
    if (sender == kNobody) sender = enter(host);
    ++senders_[sender].messages;
    uint32_t entry = announced_.find(key(number, host));
    if (entry == kNobody) entry = announced_.add(key(number, host));
    ++announced_[entry].messages;
    announced_[entry].stay = senders_[sender].stay;
  }
  const uint32_t place = groups_.add(number);
  Group& group = groups_[place];
  group.members = members;
  group.missing = members.count;
  group.since = engine_->now();
  awaited_.append(place);
  return place;
}

/// Announced messages of a host count no longer, up to `most` of them.
void DasrReceiver::takeBack(uint32_t number, uint32_t host, uint32_t most) {
  const uint32_t entry = announced_.find(key(number, host));
  if (entry == kNobody) return;  // the group has timed out
  Announced& a = announced_[entry];
  const uint32_t messages = std::min(a.messages, most);
  a.messages -= messages;
  uncount(host, a.stay, messages);
  if (a.messages == 0) announced_.remove(entry);
}

/// What was announced and has not begun is not waited for any longer, whatever else its sender sends.
void DasrReceiver::expire(uint32_t place) {
  Group& group = groups_[place];
  for (uint32_t i = 0; i < group.members.count; ++i) {
    takeBack(groups_.number(place), group.members.ids[i], group.members.count);
  }
  awaited_.remove(place);
  group.awaited = false;
}

// ---------------------------------------------------------------- packets

void DasrReceiver::onData(Flow& flow, Packet& packet) {
  forgetSilent();
  Message& m = message_(flow);
  FlowGroups::Members named;
  bool isNew = false;
  if (!m.over) {
    count(flow, m);
    if (!m.met && flow.spec.group != 0) {
      const DasrHeader* h = header_.of(packet);
      if (packet.seq == 0 && h != nullptr) named = h->members;
      isNew = meetGroup(flow, m, named);
    }
    const bool inOrder = packet.seq <= flow.rcvNxt && packet.seq + packet.payload > flow.rcvNxt;
    if (packet.last && inOrder) endMessage(flow, m);
  }
  observe(packet);
  if (isNew && tellAhead_) tell(named);
  if (!packet.marked) return;
  if (suppress_ && state_ == State::ReceiverCongestion) {
    packet.marked = false;
    ++suppressed_;
  } else {
    ++passed_;
  }
}

/// Figure 5, by what this packet changes.
void DasrReceiver::observe(const Packet& packet) {
  const Time now = engine_->now();
  if (arrived_ >= static_cast<uint64_t>(packets_)) {
    bytes_ -= arrivals_[(arrived_ - static_cast<uint64_t>(packets_)) % kMostPackets].bytes;
  }
  arrivals_[arrived_++ % kMostPackets] = {now, packet.wireBytes};
  bytes_ += packet.wireBytes;
  if (packet.marked) {
    seesMarks_ = true;
    lastMark_ = now;
  } else if (seesMarks_ && now - lastMark_ >= calm_) {
    seesMarks_ = false;
  }
  if (!seesMarks_) {
    state_ = State::NoCongestion;
  } else {
    state_ = atLineRate() ? State::ReceiverCongestion : State::OtherCongestion;
  }
}

/// Whether the last packets came one right behind the other.
bool DasrReceiver::atLineRate() const {
  const auto packets = static_cast<uint64_t>(packets_);
  if (arrived_ <= packets) return false;
  const Time since = engine_->now() - arrivals_[(arrived_ - 1 - packets) % kMostPackets].at;
  const double atLine = static_cast<double>(host_->lineRate().bps) * static_cast<double>(since.ps) / 8e12;
  return static_cast<double>(bytes_) >= lineShare_ * atLine;
}

void DasrReceiver::onAck(Flow&, Packet& packet) {
  DasrHeader* h = header_.of(packet);
  if (h == nullptr) return;  // the sender has another congestion control
  h->senders = n();
  packet.wireBytes += static_cast<uint32_t>(ackBytes_.n);
}

void DasrReceiver::onSample(int) {
  network_->trace().emit(table_, engine_->now(), NodeId{host_->id()}, senders(), n(), static_cast<uint8_t>(state_),
                         suppressed_, passed_, told_, toldBytes_);
}

}  // namespace fabric
