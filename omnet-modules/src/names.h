// How the model's names and values are written in NED and ini files.
#pragma once

#include <string>

#include "mechanisms/core/component.h"
#include "mechanisms/core/slots.h"
#include "mechanisms/core/tables.h"

namespace fabriclab {

/// min_rate is minRate.
std::string camelCase(const std::string& name);
/// hpcc_int is HpccInt.
std::string nedType(const std::string& component);
/// The parameter that says how many mechanisms stand in a slot for several: numPortAgents.
std::string countName(const fabric::Slot& slot);
/// What values of a type are in NED.
struct NedForm {
  const char* type;  // bool, int, double or string
  const char* unit;  // of NED's; "" for plain numbers and what is no number
  double perUnit;    // the model's units in NED's
  const char* modelUnit;
};
/// Types that NED has no values of, such as choices and lists, are strings.
const NedForm& nedForm(fabric::ParamType type);
/// A value of a parameter of this type with its unit, exactly, in the largest unit that keeps it whole.
std::string nedValue(fabric::ParamType type, const fabric::Value& value);
/// "text" with what needs it escaped.
std::string quoted(const std::string& text);

/// Columns that say where and when a row was made are no signals: OMNeT++ has them in the time and the
/// emitting module.
bool isPlace(const fabric::Column& column);
/// queues.max_bytes is queuesMaxBytes.
std::string signalName(const fabric::TableDesc& table, const fabric::Column& column);

}  // namespace fabriclab
