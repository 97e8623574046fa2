// Counts every call of operator new in a program that is linked with count_new.cc.
#pragma once

#include <cstdint>

namespace fabric::test {

extern uint64_t allocations;

}  // namespace fabric::test
