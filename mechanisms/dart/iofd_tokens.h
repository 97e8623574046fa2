// IOFD at the sender's NIC: which messages may be deflected, and how often.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/dart/iofd_header.h"

namespace fabric {

class IofdTokens final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
  bool hooksEnqueue() const override { return true; }
  void onEnqueue(Packet& packet) override;

 private:
  void onStart(Network& network) override;
  bool mayDeflect(const FlowSpec& flow) const;

  PacketExtension<IofdHeader> header_;
  int64_t tokens_ = 0;
  Bytes shortMessage_;
};

}  // namespace fabric
