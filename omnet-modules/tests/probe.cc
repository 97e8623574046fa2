// The modules of Probe.ned. They use nothing but OMNeT++ and what the fabric shows to its users.
#include <omnetpp.h>

#include <cstring>
#include <fstream>

#include "omnet-modules/src/names.h"
#include "omnet-modules/src/signals.h"
#include "tables.h"

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
    if (!gate.empty()) owner = target->gate(gate.c_str(), 0)->getChannel();
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
    for (const fabric::TableDesc* t : fabriclab::test::allTables()) {
      for (const fabric::Column& c : t->columns) {
        getParentModule()->subscribe(fabriclab::signalName(*t, c).c_str(), this);
      }
    }
    getParentModule()->subscribe("flowStarted", this);
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
    int64_t bits;
    std::memcpy(&bits, &v, sizeof bits);  // so that it is compared exactly
    write(source, signal, bits, d);
  }

 private:
  template <class T>
  void write(cComponent* source, simsignal_t signal, T value, cObject* details) {
    const auto* row = dynamic_cast<fabriclab::TraceRow*>(details);
    out_ << (row != nullptr ? row->table.name : "-") << " " << getSignalName(signal) << " " << simTime().raw() << " "
         << value << " " << source->getFullPath() << "\n";
  }
  std::ofstream out_;
};
Define_Module(SignalRecorder);
