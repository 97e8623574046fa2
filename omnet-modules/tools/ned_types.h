// NED text of what mechanisms/ describes.
#pragma once

#include <ostream>
#include <string>

#include "mechanisms/core/component.h"
#include "mechanisms/core/tables.h"

namespace fabriclab {

/// Text as // comment lines, none too long.
std::string nedComment(const std::string& text, const std::string& indent);
/// The NED interface of a kind.
std::string nedInterface(fabric::Kind kind);
void printParams(std::ostream& out, const fabric::Description& d);
/// The signals of those of the standard tables that a module shows; a mechanism's own tables are shown by the
/// mechanism.
void printSignals(std::ostream& out, bool (*shows)(const fabric::TableDesc&));
bool hasColumn(const fabric::TableDesc& t, const char* column);
bool isOfPort(const fabric::TableDesc& t);
/// The NED type of a mechanism, as it is written in a package.
void printMechanism(std::ostream& out, const fabric::Description& d, const std::string& package);

/// The package of the fabric's own types.
constexpr const char* kPackage = "fabriclab";

}  // namespace fabriclab
