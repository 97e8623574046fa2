#include "own_types.h"

#include <dlfcn.h>

#include <algorithm>

#include "mechanisms/runner/scenario.h"
#include "omnet-modules/tools/ned_types.h"

namespace fabriclab {

using fabric::Description;
using fabric::InputError;
using fabric::Registry;

void printOwnTypes(std::ostream& out, const std::string& package, const std::vector<std::string>& libraries) {
  const std::vector<const Description*> before = Registry::all();
  for (const std::string& library : libraries) {
    // A plain name would be looked for in the system's folders.
    const std::string path = library.find('/') == std::string::npos ? "./" + library : library;
    if (dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
      throw InputError(std::string("--ned: ") + dlerror() + "; give the path of a shared library, such as libmine.so");
    }
  }
  std::vector<const Description*> own = Registry::all();
  own.erase(
      std::remove_if(own.begin(), own.end(),
                     [&](const Description* d) { return std::find(before.begin(), before.end(), d) != before.end(); }),
      own.end());
  if (own.empty()) {
    throw InputError("--ned: these libraries bring no mechanism; each has FABRIC_REGISTER in its .cc file");
  }
  out << "// Generated from the mechanisms' self-descriptions by fabric-omnet --ned; make it anew when they change.\n";
  if (!package.empty()) out << "package " << package << ";\n";
  for (const Description* d : own) printMechanism(out, *d, package);
}

}  // namespace fabriclab
