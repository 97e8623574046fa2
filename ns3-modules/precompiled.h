// As mechanisms/precompiled.h, for the module.
#include <ns3/data-rate.h>
#include <ns3/names.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/object.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/traced-callback.h>
#include <ns3/uinteger.h>

#include "mechanisms/precompiled.h"
