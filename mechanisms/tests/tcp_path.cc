#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Bandit;

FABRIC_REGISTER(Bandit);

}  // namespace fabric
