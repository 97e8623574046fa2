#include "parameters.h"

#include <cmath>

#include "names.h"

namespace fabriclab {

using fabric::Param;
using fabric::ParamType;
using omnetpp::cRuntimeError;

int64_t wholeNumber(double value, double perUnit, const char* unit, const char* what) {
  const double scaled = value * perUnit;
  const double whole = std::round(scaled);
  // NED quantities are doubles: 1.5us arrives here as 1499999.9999999998 ps.
  if (!(std::fabs(scaled - whole) <= 0.25) || !(std::fabs(whole) < 0x1p62)) {
    throw cRuntimeError("%s: %.17g %s is not a whole number of %s", what, scaled, unit, unit);
  }
  return static_cast<int64_t>(whole);
}

namespace {

fabric::Value valueOf(const Param& p, const omnetpp::cPar& par) {
  switch (p.type) {
    case ParamType::Bool: return par.boolValue();
    case ParamType::Int:
    case ParamType::Bytes: return static_cast<int64_t>(par.intValue());
    case ParamType::Float: return par.doubleValue();
    case ParamType::Time: return wholeNumber(par.doubleValue(), 1e12, "ps", par.getName());
    case ParamType::Rate: return wholeNumber(par.doubleValue(), 1, "bps", par.getName());
    case ParamType::Choice: return par.stdstringValue();
  }
  return false;
}

void pass(fabric::Component& component, omnetpp::cComponent& module, const Param& p) {
  const std::string name = camelCase(p.name);
  try {
    component.set(p, valueOf(p, module.par(name.c_str())));
  } catch (const fabric::ParamError& e) {
    throw cRuntimeError(&module, "Parameter %s: %s", name.c_str(), e.what());
  }
}

}  // namespace

void readParameters(fabric::Component& component, omnetpp::cComponent& module) {
  for (const Param& p : component.description().params) pass(component, module, p);
}

void changeParameter(fabric::Component& component, omnetpp::cComponent& module, const char* name) {
  if (!component.started()) return;  // will be read when the network starts
  for (const Param& p : component.description().params) {
    if (name == nullptr ? p.live : camelCase(p.name) == name) pass(component, module, p);
  }
}

}  // namespace fabriclab
