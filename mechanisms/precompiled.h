// Compiled once before all other files, most of whose time to compile it is. Every file includes what it needs all
// the same: `make warnings` and builds within other projects do without this one. Change what many files include in
// core/, and all of them are compiled anew; what few include does not belong here.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/switch.h"
