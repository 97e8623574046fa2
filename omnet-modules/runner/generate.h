// From a scenario to what an OMNeT++ user would write: network.ned and omnetpp.ini.
#pragma once

#include <string>

#include "mechanisms/runner/scenario.h"

namespace fabriclab {

/// The topology. `scenarioFile` is named in the comment at the top.
std::string networkNed(const fabric::Scenario& scenario, const std::string& scenarioFile);

/// Mechanisms, parameters, measurements, with the flow list and routes as files beside the ini.
std::string omnetppIni(const fabric::Scenario& scenario, const std::string& scenarioFile);

}  // namespace fabriclab
