// The places where a mechanism plugs in, one interface each. Which slot takes which is in slots.h.
#pragma once

#include "mechanisms/core/application.h"
#include "mechanisms/core/congestion_control.h"
#include "mechanisms/core/flow_scheduler.h"
#include "mechanisms/core/path_selector.h"
#include "mechanisms/core/port_agent.h"
#include "mechanisms/core/queue.h"
#include "mechanisms/core/receiver_agent.h"
#include "mechanisms/core/transport.h"
