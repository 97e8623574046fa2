#include "mechanisms/dre/dre.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/headers/conga_header.h"

namespace fabric {

const Description& Dre::describe() {
  static const Description d =
      Describe<Dre>("dre", Kind::PortAgent, "Discounting rate estimator of a fabric link (DRE)")
          .help(
              "X grows by the bytes of every packet sent to another switch and loses the share alpha every period, "
              "so that X = rate * tau with tau = period / alpha. A packet in CONGA's overlay leaves with the larger "
              "of its CE and the link's metric, itself included.")
          .source("CONGA, SIGCOMM 2014, section 3.2")
          .param("period", &Dre::period_, Time::Us(16), "Tdre: time between two decays; tau = period / alpha = 160 us",
                 "chosen; tau: CONGA (recalled)")
          .range(1000, 1e12)
          .param("alpha", &Dre::alpha_, 0.1, "share that X loses every period", "chosen; tau: CONGA (recalled)")
          .range(0.001, 1)
          .param("bits", &Dre::bits_, 3, "Q: bits of the metric, which is 2^Q X / (C tau) cut to a whole number",
                 "CONGA sections 3.1 and 3.2: 3")
          .range(1, 8)
          .extension(CongaHeader::kName, sizeof(CongaHeader), 0, "none: CE lies in the overlay header")
          .done();
  return d;
}
FABRIC_REGISTER(Dre);

void Dre::onStart(Network& network) {
  engine_ = &network.engine();
  header_ = network.packets().reserve<CongaHeader>(CongaHeader::kName);
  onFabric_ = port_->leadsToSwitch();
  rate_.configure(period_, alpha_);
  most_ = static_cast<double>(1 << bits_) - 1;
  onChange();
}

void Dre::onChange() {
  // C tau in bytes = C / 8 * period / 1e12 / alpha
  perByte_ = (most_ + 1) * 8e12 * alpha_ / (static_cast<double>(port_->rate().bps) * static_cast<double>(period_.ps));
}

double Dre::load() { return rate_.at(engine_->now()); }

uint8_t Dre::metric() { return static_cast<uint8_t>(std::min(load() * perByte_, most_)); }

void Dre::onDequeue(Packet& packet) {
  if (packet.kind == PacketKind::Pause) return;  // of the link, not of the network's traffic
  rate_.add(engine_->now(), packet.wireBytes);
  if (!packet.encapsulated) return;
  uint8_t& ce = header_(packet).ce;
  ce = std::max(ce, metric());
}

void Dre::checkFabricPorts(const Component& user, const Switch& node, Report& report) {
  for (const Port* p : node.ports()) {
    if (!p->leadsToSwitch() || p->agent<Dre>() != nullptr) continue;
    report.refuse(user.description().name +
                      " needs dre at every port between switches, and one has none; add the port "
                      "agent dre",
                  {Spot::slot("port_agents"), user});
  }
}

std::vector<Dre*> Dre::ofFabricPorts(const Switch& node) {
  std::vector<Dre*> found;
  for (const Port* p : node.ports()) {
    found.push_back(nullptr);
    if (!p->leadsToSwitch()) continue;
    found.back() = p->agent<Dre>();
  }
  return found;
}

}  // namespace fabric
