// FabricManager: puts the network together, runs it, records it.
#pragma once

#include <memory>
#include <vector>

#include "event_module.h"
#include "mechanisms/core/network.h"
#include "mechanisms/runner/recorder.h"
#include "nodes.h"
#include "signals.h"

namespace fabriclab {

class ManagerModule final : public EventModule {
 public:
  ManagerModule() = default;
  const fabric::Network& network() const { return *network_; }

 protected:
  int numInitStages() const override { return 2; }
  /// In the last stage, when all other modules are ready.
  void initialize(int stage) override;
  void finish() override;
  void preDelete(omnetpp::cComponent* root) override;

 private:
  void build();
  std::vector<NodeModule*> findNodes();
  void setRoutes();
  void setLinkEvents();
  void setFlows();
  /// A file parameter's value; relative paths start where the program does.
  std::string file(const char* parameter) const { return par(parameter).stdstringValue(); }

  std::unique_ptr<fabric::Network> network_;
  std::unique_ptr<FlowSources> flows_;
  uint64_t flowCount_ = 0;
  std::unique_ptr<fabric::Recorder> recorder_;
  std::unique_ptr<SignalSink> signals_;
  omnetpp::simsignal_t flowStarted_ = SIMSIGNAL_NULL;
};

}  // namespace fabriclab
