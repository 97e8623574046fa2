#include "mechanisms/core/tables.h"

#include <stdexcept>

namespace fabric {

const char* toString(ColumnType type) {
  switch (type) {
    case ColumnType::I64: return "i64";
    case ColumnType::U64: return "u64";
    case ColumnType::F64: return "f64";
    case ColumnType::U32: return "u32";
    case ColumnType::U16: return "u16";
    case ColumnType::U8: return "u8";
    case ColumnType::Bool: return "bool";
  }
  return "";
}

size_t width(ColumnType type) {
  switch (type) {
    case ColumnType::I64:
    case ColumnType::U64:
    case ColumnType::F64: return 8;
    case ColumnType::U32: return 4;
    case ColumnType::U16: return 2;
    case ColumnType::U8:
    case ColumnType::Bool: return 1;
  }
  return 0;
}

const char* toString(Scope scope) {
  switch (scope) {
    case Scope::Flow: return "flow";
    case Scope::Port: return "port";
    case Scope::Node: return "node";
  }
  return "";
}

namespace {

std::vector<TableDesc> makeStandardTables() {
  const ColumnOf<Time> time{"time_ps", "simulated time"};
  const ColumnOf<NodeId> node{"node", "the node whose port it is"};
  const ColumnOf<uint16_t> port{"port", "", "number of the port at its node"};
  const ColumnOf<uint8_t> cls{"class", "", "priority class, 0 the highest"};
  const ColumnOf<uint32_t> flow{"flow", "", "number of the flow"};
  const ColumnOf<uint8_t> kind{
      "kind", "", "kind of packet", {"data", "ack", "nack", "cnp", "pause", "control", "foreign"}};
  std::vector<TableDesc> list;
  const auto add = [&list](auto id, const auto& table) {
    static_assert(std::is_same_v<decltype(id), typename std::decay_t<decltype(table)>::Id>);
    if (static_cast<size_t>(id.number) != list.size()) throw std::logic_error("standard table " + table.name);
    list.push_back(table);
  };
  add(kFlows,
      FlowsTable{"flows",
                 "flows, in the order in which they ended, then the unfinished ones",
                 Scope::Flow,
                 false,
                 flow,
                 {"group", "", "job, incast or coflow the flow belongs to, 0 = none"},
                 {"src", "sending host"},
                 {"dst", "receiving host"},
                 cls,
                 {"measured", "its start in the flow list is inside the measuring window"},
                 {"size_bytes", "B", "payload to send, 0 = unlimited"},
                 {"start_ps", "when the flow started, -1 = not yet, it waits for other messages"},
                 {"end_ps", "when its last payload byte reached the receiver, -1 = unfinished"},
                 {"sender_end_ps", "when the sender knew, or was stopped, -1 = unfinished"},
                 {"delivered_bytes", "B", "payload received in order"},
                 {"sent_bytes", "B", "payload sent, retransmissions included"},
                 {"retransmitted_bytes", "B", "payload sent again"},
                 {"packets", "1", "data packets sent"},
                 {"finished", "all payload reached the receiver"},
                 {"timeouts", "1", "retransmission timeouts at the sender"},
                 {"reordered", "1",
                  "data packets that came to the receiver while an earlier byte was missing; what it had already does "
                  "not count"},
                 {"connection_end_ps",
                  "when the tear-down of its connection was over at both ends, -1 = there was none, or not yet"}});
  add(kQueues, QueuesTable{"queues",
                           "egress queues, sampled",
                           Scope::Port,
                           true,
                           time,
                           node,
                           port,
                           cls,
                           {"bytes", "B", "waiting, without the frame being sent"},
                           {"packets", "1", "waiting"},
                           {"max_bytes", "B", "largest since the last sample"}});
  add(kLinks, LinksTable{"links",
                         "what ports have sent, sampled",
                         Scope::Port,
                         true,
                         time,
                         node,
                         port,
                         {"sent_bytes", "B", "on the wire since the start, all frames"},
                         {"data_bytes", "B", "payload of data packets since the start"},
                         {"paused_ps", "time some class was paused since the start"}});
  add(kRates, RatesTable{"rates",
                         "active flows at their senders, sampled",
                         Scope::Flow,
                         true,
                         time,
                         flow,
                         {"node", "sending host"},
                         {"rate_bps", "pacing rate"},
                         {"window_bytes", "window, -1 = none"},
                         {"sent_bytes", "B", "wire bytes of data packets since the start"},
                         {"acked_bytes", "B", "payload acknowledged since the start"}});
  add(kPauses, PausesTable{"pauses",
                           "PFC frames",
                           Scope::Port,
                           false,
                           time,
                           node,
                           port,
                           cls,
                           {"xoff", "pause (true) or resume"},
                           {"sent", "sent (true) or received by this port"}});
  add(kDrops, DropsTable{"drops",
                         "dropped packets",
                         Scope::Port,
                         false,
                         time,
                         node,
                         port,
                         cls,
                         flow,
                         kind,
                         {"bytes", "B", "wire length"},
                         {"reason",
                          "",
                          "why",
                          {"buffer_full", "queue_full", "no_route", "link_down", "queue_management", "flow_stopped"}}});
  add(kPackets, PacketsTable{"packets",
                             "single packets on their way",
                             Scope::Port,
                             false,
                             time,
                             node,
                             port,
                             {"event", "", "what happened", {"enqueue", "dequeue", "mark", "drop", "receive"}},
                             flow,
                             kind,
                             {"seq", "B", "first payload byte; of an ACK the next byte expected"},
                             {"bytes", "B", "wire length"},
                             cls,
                             {"marked", "congestion experienced"}});
  add(kArrivals, ArrivalsTable{"arrivals",
                               "what has come to receivers of active flows, sampled",
                               Scope::Flow,
                               true,
                               time,
                               flow,
                               {"node", "receiving host"},
                               {"bytes", "B", "wire bytes of data packets since the start, repeated ones too"},
                               {"packets", "1", "those packets"},
                               {"last_ps", "when the last of them came, -1 = none yet"}});
  return list;
}

}  // namespace

const std::vector<TableDesc>& standardTables() {
  static const std::vector<TableDesc> tables = makeStandardTables();
  return tables;
}

}  // namespace fabric
