// Between a component's parameters and those of its module: the same by name (min_rate is minRate) and
// by value.
#pragma once

#include <omnetpp.h>

#include "mechanisms/core/component.h"
#include "mechanisms/core/types.h"

namespace fabriclab {

/// `value` * `perUnit` as a whole number of `unit`s; refuses what is none.
int64_t wholeNumber(double value, double perUnit, const char* unit, const char* what);

/// Sets all parameters of the component from the module's.
void readParameters(fabric::Component& component, omnetpp::cComponent& module);

/// A parameter of the module (all, where `name` is null) was set during the run: passes it on, or throws
/// with the parameter's name.
void changeParameter(fabric::Component& component, omnetpp::cComponent& module, const char* name);

}  // namespace fabriclab
