// The modules that hold the model: hosts, switches, their ports, and the mechanisms in them. The
// manager puts them together; they bring the parameters.
#pragma once

#include <omnetpp.h>

#include <memory>
#include <vector>

#include "event_module.h"
#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/switch.h"
#include "outcome.h"
#include "wire.h"

namespace fabriclab {

/// Any mechanism: which one is the @component property of its NED type.
class MechanismModule final : public Quiet<omnetpp::cSimpleModule> {
 public:
  /// Made with its parameters; `engine` lives as long as it.
  fabric::Component& component(const std::shared_ptr<OmnetEngine>& engine);
  const fabric::Description& description() const { return component_->description(); }

 protected:
  void handleParameterChange(const char* name) override;

 private:
  std::shared_ptr<OmnetEngine> engine_;
  std::unique_ptr<fabric::Component> component_;
};

/// The mechanisms at a host, a switch or a port, in the order of their slots.
using Mechanisms = std::vector<MechanismModule*>;

/// FabricNic and FabricPort.
class PortModule final : public Quiet<omnetpp::cModule> {
 public:
  fabric::Port& port() { return port_; }
  /// Reads parameters, queues and agents.
  void build(const std::shared_ptr<OmnetEngine>& engine);
  /// Lays the wire from `gate` of `node` to the port at the link's other end.
  void connect(EventModule& node, omnetpp::cGate& gate);
  /// Where rows about `cls` are shown: its queue.
  omnetpp::cModule& classModule(size_t cls);
  const Mechanisms& mechanisms() const { return mechanisms_; }

 protected:
  void handleParameterChange(const char* name) override;
  /// The bytes that wait, at the port and at its queues.
  void refreshDisplay() const override;

 private:
  std::shared_ptr<OmnetEngine> engine_;
  fabric::Port port_;
  Wire wire_;
  std::vector<omnetpp::cModule*> queues_;
  Mechanisms mechanisms_;
};

/// FabricHost and FabricSwitch. They have submodules and handle messages themselves: every module that a
/// frame crosses between two nodes costs time.
class NodeModule : public EventModule {
 public:
  virtual fabric::Node& node() = 0;
  PortModule& portModule(size_t index) { return *ports_[index]; }
  size_t numPorts() const { return ports_.size(); }
  /// Those of its ports are at the ports.
  const Mechanisms& mechanisms() const { return mechanisms_; }

  /// Joins the network with everything inside this module. `path` is the module's below the network's: two modules of
  /// one name are told apart by it.
  virtual void build(fabric::Network& network, uint32_t id, const std::string& path,
                     const std::shared_ptr<OmnetEngine>& engine);
  /// When all nodes have joined.
  void connect();

 protected:
  void arrived(omnetpp::cMessage* message, omnetpp::cGate* gate, const omnetpp::SendOptions& options,
               omnetpp::simtime_t t) override;
  void handleParameterChange(const char* name) override;
  /// What its ports are called.
  virtual const char* portName() const = 0;

 private:
  /// The way out of port number `index`.
  omnetpp::cGate& out(size_t index);

  std::vector<PortModule*> ports_;
  Mechanisms mechanisms_;
};

class HostModule final : public NodeModule {
 public:
  fabric::Host& node() override { return host_; }

 protected:
  const char* portName() const override { return "nic"; }

 private:
  fabric::Host host_;
};

class SwitchModule final : public NodeModule {
 public:
  fabric::Switch& node() override { return switch_; }
  void build(fabric::Network& network, uint32_t id, const std::string& path,
             const std::shared_ptr<OmnetEngine>& engine) override;

 protected:
  const char* portName() const override { return "port"; }
  /// The bytes in the shared buffer.
  void refreshDisplay() const override;

 private:
  fabric::Switch switch_;
};

}  // namespace fabriclab
