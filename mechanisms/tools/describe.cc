// Prints what every component is and takes, for the harness and for people. With --check it checks what scenarios come
// by standard input.
#include <cstring>
#include <iostream>

#include "mechanisms/runner/catalog.h"
#include "mechanisms/runner/check.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--check") == 0) {
    fabric::answerChecks(std::cin, std::cout);
  } else {
    std::cout << fabric::catalog().dump(1) << "\n";
  }
  return std::cout.flush() ? 0 : 1;
}
