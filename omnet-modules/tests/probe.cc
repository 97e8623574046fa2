// The modules of Probe.ned. They use nothing but OMNeT++ and what the fabric shows to its users.
#include <omnetpp.h>

#include <fstream>

#include "omnet-modules/src/names.h"
#include "omnet-modules/src/signals.h"

using namespace omnetpp;

class ParameterChanger : public cSimpleModule {
 protected:
  void initialize() override {
    if (!par("target").stdstringValue().empty()) scheduleAt(par("at"), new cMessage("change"));
  }
  void handleMessage(cMessage* message) override {
    delete message;
    cModule* target = getModuleByPath(("^." + par("target").stdstringValue()).c_str());
    const std::string gate = par("gate").stdstringValue();
    cComponent* owner = target;
    if (!gate.empty()) owner = target->gate(gate.c_str())->getChannel();
    owner->par(par("parameter").stringValue()).parse(par("value").stringValue());
  }
};
Define_Module(ParameterChanger);

/// Hears every signal of the network and writes: table column time value, and where it came from.
class SignalRecorder : public cSimpleModule, public cListener {
 protected:
  void initialize() override {
    const std::string file = par("file").stdstringValue();
    if (file.empty()) return;
    out_.open(file);
    for (const fabric::TableDesc& t : fabric::standardTables()) {
      for (const fabric::Column& c : t.columns) getParentModule()->subscribe(fabriclab::signalName(t, c).c_str(), this);
    }
  }
  void receiveSignal(cComponent* source, simsignal_t signal, intval_t v, cObject* d) override {
    write(source, signal, v, d);
  }
  void receiveSignal(cComponent* source, simsignal_t signal, uintval_t v, cObject* d) override {
    write(source, signal, v, d);
  }
  void receiveSignal(cComponent* source, simsignal_t signal, bool v, cObject* d) override {
    write(source, signal, v, d);
  }
  void receiveSignal(cComponent* source, simsignal_t signal, double v, cObject* d) override {
    write(source, signal, v, d);
  }

 private:
  template <class T>
  void write(cComponent* source, simsignal_t signal, T value, cObject* details) {
    const auto* row = check_and_cast<fabriclab::TraceRow*>(details);
    out_ << row->table.name << " " << getSignalName(signal) << " " << simTime().raw() << " " << value << " "
         << source->getFullPath() << "\n";
  }
  std::ofstream out_;
};
Define_Module(SignalRecorder);
