// The checks of a run's start, without a run: for `fabriclab validate`.
#pragma once

#include <iosfwd>

namespace fabric {

/// Reads questions, one a line, and answers each with a line (docs/formats.md, Checks).
void answerChecks(std::istream& in, std::ostream& out);

}  // namespace fabric
