// OMNeT++ writes an .sca file with every run, even if nothing is recorded in it. A run whose
// measurements go to the trace stream names this class as outputscalarmanager-class and writes none.
#include <omnetpp.h>

namespace fabriclab {

class NoScalarFile final : public omnetpp::cIOutputScalarManager {
 public:
  void startRun() override {}
  void endRun() override {}
  bool recordScalar(omnetpp::cComponent*, const char*, double, omnetpp::opp_string_map*) override { return false; }
  bool recordStatistic(omnetpp::cComponent*, const char*, omnetpp::cStatistic*, omnetpp::opp_string_map*) override {
    return false;
  }
  bool recordParameter(omnetpp::cPar*) override { return false; }
  bool recordComponentType(omnetpp::cComponent*) override { return false; }
  const char* getFileName() const override { return nullptr; }
  void flush() override {}
};

Register_Class(NoScalarFile);

}  // namespace fabriclab
