// A persistent connection in a closed loop: who uses it waits for each message before thinking of the next.
#pragma once

#include <list>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/flow.h"

namespace fabric {

class Host;

/// Holds back the messages of one connection. The connection has a clock for their starts, which stands still while a
/// message is under way. So the time from the end of a message, when all of it is acknowledged, to the start of the
/// next is the time between their starts in the flow list.
class ClosedLoop final : public Event {
 public:
  ClosedLoop(Engine& engine, Host& sender, Host& receiver) : engine_(engine), sender_(sender), receiver_(receiver) {}

  /// The start that the flow list gives for this message has come.
  void arrive(const FlowSpec& message);
  /// The message that was under way is done. Its start is the one that it really had.
  void onFinish(const FlowSpec& message);
  void fire() override;
  /// Messages that are due by the flow list but have not begun. Their starts are those of the list.
  const std::list<FlowSpec>& waiting() const { return waiting_; }

 private:
  void scheduleNext();

  Engine& engine_;
  Host& sender_;
  Host& receiver_;
  Time behind_;  // by how much the connection's clock is slow
  bool underWay_ = false;
  std::list<FlowSpec> waiting_;  // the first one is scheduled if none is under way; empty it costs nothing
};

}  // namespace fabric
