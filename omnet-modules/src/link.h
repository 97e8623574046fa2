// FabricLink: a datarate channel that stays as it is during a run.
#pragma once

#include <omnetpp.h>

#include "mechanisms/core/types.h"

namespace fabriclab {

class FabricLink final : public omnetpp::cDatarateChannel {
 public:
  explicit FabricLink(const char* name = nullptr) : cDatarateChannel(name) {}

  fabric::Rate rate() const;
  fabric::Time latency() const;

 protected:
  void initialize() override;
  void handleParameterChange(const char* name) override;

 private:
  bool started_ = false;
};

}  // namespace fabriclab
