// Prints what every component is and takes, for the harness and for people.
#include <iostream>

#include "mechanisms/runner/catalog.h"

int main() {
  std::cout << fabric::catalog().dump(1) << "\n";
  return std::cout.flush() ? 0 : 1;
}
