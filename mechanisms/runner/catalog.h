// The self-descriptions of all components as JSON (docs/formats.md, Catalog).
#pragma once

#include <nlohmann/json.hpp>

#include "mechanisms/core/component.h"

namespace fabric {

using Json = nlohmann::ordered_json;

Json toJson(const TableDesc& table);
Json catalog();

}  // namespace fabric
