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
  const NedForm& form = nedForm(p.type);
  switch (par.getType()) {
    case omnetpp::cPar::BOOL: return par.boolValue();
    case omnetpp::cPar::INT: return static_cast<int64_t>(par.intValue());
    case omnetpp::cPar::STRING: return fabric::fromText(p, par.stdstringValue());
    default:
      if (p.type == ParamType::Float) return par.doubleValue();
      return wholeNumber(par.doubleValue(), form.perUnit, form.modelUnit, par.getName());
  }
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
