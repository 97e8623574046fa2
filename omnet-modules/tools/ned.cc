// Prints the NED types of all mechanisms, and the parameters of hosts, switches and ports, from the
// self-descriptions in mechanisms/.
#include <algorithm>
#include <iostream>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/slots.h"
#include "omnet-modules/src/names.h"
#include "omnet-modules/tools/ned_types.h"

namespace {

using fabric::Count;
using fabric::Description;
using fabric::Kind;
using fabric::Slot;
using fabric::Slots;
using fabric::TableDesc;
using fabric::Where;
using fabriclab::camelCase;
using fabriclab::hasColumn;
using fabriclab::isOfPort;
using fabriclab::nedComment;
using fabriclab::nedInterface;
using fabriclab::nedType;
using fabriclab::printMechanism;
using fabriclab::printParams;
using fabriclab::printSignals;

/// How many mechanisms a slot for several has. A switch or host tells its ports how many classes there are.
void printCounts(Where where) {
  for (const Slot& s : Slots::all()) {
    if (s.where != where) continue;
    if (s.count == Count::PerClass) std::cout << "\n        int numClasses = default(2);  // 0 the highest priority\n";
    if (s.count == Count::Many) {
      std::cout << "\n        int " << fabriclab::countName(s) << " = default(0);\n";
    }
  }
}

/// A submodule, or a vector of them, for each slot.
void printSlots(Where where) {
  int row = 0;
  std::cout << "    submodules:\n";
  for (const Slot& s : Slots::all()) {
    if (s.where != where) continue;
    const std::string name = camelCase(s.kind.name), type = s.standard.empty() ? "" : nedType(s.standard);
    const std::string place = "p=80," + std::to_string(60 + 80 * row++);
    std::cout << nedComment(s.help + ".", "        ") << "        " << name;
    switch (s.count) {
      case Count::One:
        std::cout << ": <default(\"" << type << "\")> like " << nedInterface(s.kind);
        if (type.empty()) std::cout << " if typename != \"\"";
        std::cout << " { @display(\"" << place << "\"); }\n";
        break;
      case Count::Many:
        std::cout << "[" << fabriclab::countName(s) << "]: <> like " << nedInterface(s.kind) << " { @display(\""
                  << place << ",row,100\"); }\n";
        break;
      case Count::PerClass:
        std::cout << "[numClasses]: <default(\"" << type << "\")> like " << nedInterface(s.kind) << " { @display(\""
                  << place << ",row,100\"); }\n";
        break;
    }
  }
}

void printInterfaces() {
  std::vector<Kind> printed;
  for (const Slot& s : Slots::all()) {
    if (std::find(printed.begin(), printed.end(), s.kind) != printed.end()) continue;
    printed.push_back(s.kind);
    std::cout << "\n// A mechanism in the slot " << s.key << ". It has no gates: its " << toString(s.where)
              << " calls it.\nmoduleinterface " << nedInterface(s.kind) << "\n{\n}\n";
  }
}

void printNode(const char* component, const char* type, const char* cls, Where where, bool (*shows)(const TableDesc&)) {
  const Description& d = *fabric::Registry::find(component);
  std::cout << "\n" << nedComment(d.title + ". " + d.help + " Source: " + d.source, "");
  std::cout << "module " << type << "\n{\n    parameters:\n        @class(" << cls << ");\n";
  printParams(std::cout, d);
  printCounts(where);
  printSignals(std::cout, shows);
  printSlots(where);
  std::cout << "}\n";
}

}  // namespace

int main() {
  std::cout << "// Generated from the self-descriptions in mechanisms/ (the same as fabric-describe); do not edit.\n"
               "package fabriclab;\n";
  printInterfaces();
  const auto ofPort = [](const TableDesc& t) { return isOfPort(t) && !hasColumn(t, "class"); };
  printNode("host", "HostBase", "HostModule", Where::Host, [](const TableDesc& t) { return !isOfPort(t); });
  printNode("switch", "SwitchBase", "SwitchModule", Where::Switch, [](const TableDesc&) { return false; });
  printNode("port", "NicBase", "PortModule", Where::Nic, ofPort);
  printNode("port", "PortBase", "PortModule", Where::SwitchPort, ofPort);
  for (const Description* d : fabric::Registry::all()) {
    if (d->kind != Kind::Node) printMechanism(std::cout, *d, fabriclab::kPackage);
  }
  return std::cout.flush() ? 0 : 1;
}
