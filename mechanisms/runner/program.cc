#include "mechanisms/runner/program.h"

#include <iostream>

#include "mechanisms/runner/catalog.h"
#include "mechanisms/runner/recorder.h"

namespace fabric {

std::string versionLine(const std::string& engine, const std::string& engineVersion) {
  return Json{{"engine", engine},
              {"engine_version", engineVersion},
              {"compiler", FABRIC_COMPILER},
              {"build_type", FABRIC_BUILD_TYPE},
              {"flags", FABRIC_FLAGS}}
      .dump();
}

int runProgram(const std::string& program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const InputError& e) {
    std::cerr << e.what() << std::endl;
    return kExitRefused;
  } catch (const std::invalid_argument& e) {  // a parameter or a limit that only the built network knows
    std::cerr << e.what() << std::endl;
    return kExitRefused;
  } catch (const std::exception& e) {
    std::cerr << program << ": " << e.what() << std::endl;
    return 1;
  }
}

}  // namespace fabric
