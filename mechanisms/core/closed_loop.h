// A persistent connection in a closed loop: who uses it waits for each message before thinking of the next.
#pragma once

#include <list>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/flow.h"

namespace fabric {

class Host;

/// Holds back the messages of one connection: the clock by which their starts are given stands still while
/// one of them is under way. Between the end of one, when all of it is acknowledged, and the start of the
/// next there is so always the time that lies between their starts in the flow list.
class ClosedLoop final : public Event {
 public:
  ClosedLoop(Engine& engine, Host& sender, Host& receiver) : engine_(engine), sender_(sender), receiver_(receiver) {}

  /// The time is there that the flow list gives for this message.
  void arrive(const FlowSpec& message);
  /// The message that was under way, whose start is the one that it really had, is done.
  void onFinish(const FlowSpec& message);
  void fire() override;
  /// Messages whose time in the flow list was there, and which have not begun; their starts are those of the list.
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
