#include "mechanisms/dart/dasr.h"

#include <algorithm>
#include <string>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& Dasr::describe() {
  static const Description d = [] {
    Describe<Dasr> description("dasr", Kind::CongestionControl, "Direct apportioning of sending rates, at the sender");
    description
        .help(
            "Messages start at line rate, or at line rate / n where the receiver has announced them with n. Each ACK "
            "says how many hosts send to the receiver now, n, and the sender's messages to it together go no faster "
            "than line rate / n from then on. DCQCN answers the notices that the receiver lets through; the smaller of "
            "the two rates holds.")
        .source("Dart, sections III-A to III-D")
        .needs("dasr_receiver")
        .param(
            "look_ahead", &Dasr::lookAhead_, true,
            "the first packet of a message that belongs to a group names the senders of the group's messages, 2 B each",
            "Dart section III-D")
        .param("patience", &Dasr::patience_, Time::Ms(2000),
               "lifetime of an n told ahead while this host has no message for the receiver",
               "chosen: as long as the receiver waits for an announced message")
        .range(0, 1e15)
        .live()
        .param(
            "share", &Dasr::lineShare_, 1.0,
            "part of the line rate that two or more senders share; below 1 what queued before they knew n drains. It "
            "stays above dasr_receiver.line_share: below, the receiver takes it for other congestion once the queue "
            "has drained, and says n = 1",
            "Dart section III-A: all of it")
        .range(0.01, 1)
        .added()
        .live()
        .extension(DasrHeader::kName, sizeof(DasrHeader), DasrHeader::kMostMembers * DasrHeader::kIdBytes,
                   DasrHeader::kOnWire);
    return shared(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Dasr);

void Dasr::check(const Network& network, Report& report) const {
  RateControl::check(network, report);
  const Transport& transport = host_->transport();
  if (transport.description().name == "go_back_n") return;
  report.refuse("dasr needs the transport go_back_n, whose ends of messages it sees, and the transport is " +
                    transport.description().name + "; take go_back_n",
                {transport, *this});
}

void Dasr::checkFlow(const FlowSpec& f, const Host&, Report& report) const {
  if (!lookAhead_ || f.group == 0) return;
  const uint32_t members = host_->network().groups().of(f.group, f.dst).count;
  if (members <= DasrHeader::kMostMembers) return;
  report.refuse("a group has more than " + std::to_string(DasrHeader::kMostMembers) +
                    " flows to one receiver, and dasr takes no more: a look-ahead names each of them on one packet; "
                    "make the groups smaller, or set dasr.look_ahead to false",
                {Spot::flow("group"), {*this, "look_ahead"}});
}

void Dasr::onStart(Network& network) {
  RateControl::onStart(network);
  network_ = &network;
  header_ = network.packets().reserve<DasrHeader>(DasrHeader::kName);
  share_ = network.flows().reserve<Share>("dasr");
  host_->onControl(network.controlTypes().add(DasrHeader::kAhead), controlHandler<&Dasr::onAhead>(*this));
}

uint32_t Dasr::placeOf(uint32_t receiver) {
  const uint32_t place = receivers_.find(receiver);
  return place == receivers_.kNone ? receivers_.add(receiver) : place;
}

/// n, before this host's message of the group begins, or when it has just begun.
void Dasr::onAhead(Flow*, Packet& packet) {
  const uint32_t place = placeOf(packet.src);
  Receiver& r = receivers_[place];
  r.n = header_(packet).senders;
  if (r.grouped == 0) {  // else its message of the group is under way
    r.ahead = true;
    r.until = network_->engine().now() + patience_;
  }
  if (r.messages == 0) return;
  host_->forEachActive([&](Flow& flow) {
    if (share_(flow).receiver != place) return;
    limit(flow);
    host_->rateChanged(flow);
  });
}

/// Nothing is known of a receiver but what it said ahead, if that is not too long ago.
bool Dasr::forgotten(const Receiver& r) const {
  return r.messages == 0 && (!r.ahead || r.until <= network_->engine().now());
}

void Dasr::onFlowStart(Flow& flow) {
  RateControl::onFlowStart(flow);
  const uint32_t place = placeOf(flow.spec.dst);
  Receiver& r = receivers_[place];
  if (forgotten(r)) r = {};
  ++r.messages;
  ++r.sending;
  if (flow.spec.group != 0) {
    ++r.grouped;
    r.ahead = false;
  }
  share_.make(flow, Share{place, true});
  limit(flow);
}

void Dasr::onFlowEnd(Flow& flow) {
  setSending(flow, false);
  const uint32_t place = share_(flow).receiver;
  Receiver& r = receivers_[place];
  if (flow.spec.group != 0) --r.grouped;
  --r.messages;
  if (forgotten(r)) receivers_.remove(place);
  RateControl::onFlowEnd(flow);
}

void Dasr::onSend(Flow& flow, Packet& packet) {
  RateControl::onSend(flow, packet);
  DasrHeader& h = header_.fill(packet);
  if (lookAhead_ && packet.seq == 0 && packet.payload != 0 && flow.spec.group != 0) {
    h.members = network_->groups().of(flow.spec.group, flow.spec.dst);
    packet.wireBytes += h.members.count * static_cast<uint32_t>(DasrHeader::kIdBytes);
  }
  if (packet.last) setSending(flow, false);
}

void Dasr::onLoss(Flow& flow) { setSending(flow, true); }

/// Two messages for one receiver share what it has given this host, unless one of them only waits for ACKs.
void Dasr::setSending(Flow& flow, bool sending) {
  Share& s = share_(flow);
  if (s.sending == sending) return;
  s.sending = sending;
  uint32_t& count = receivers_[s.receiver].sending;
  sending ? ++count : --count;
}

void Dasr::onAck(Flow& flow, const Packet& ack) {
  RateControl::onAck(flow, ack);
  receivers_[share_(flow).receiver].n = header_(ack).senders;
  limit(flow);
}

/// Others of the receiver's messages follow with their own next ACK.
void Dasr::limit(Flow& flow) {
  const Receiver& r = receivers_[share_(flow).receiver];
  const double parts = static_cast<double>(r.n) * std::max(r.sending, uint32_t{1});
  State& s = state(flow);
  const double shared = (r.n > 1 ? lineShare_ : 1) * static_cast<double>(host_->lineRate().bps);
  const double ceiling = std::max(1.0, shared / parts);
  if (ceiling == s.ceiling) return;
  s.ceiling = ceiling;
  apply(s);
}

}  // namespace fabric
