// The messages of applications that are under way.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "mechanisms/core/application.h"
#include "mechanisms/core/lane.h"

namespace fabric {

/// A message keeps its place until it is put back, often in another lane; the place serves the next one.
class MessagePool {
 public:
  const Message& get(Message message) {
    Lane& lane = lanes_.here();
    if (lane.free.empty()) lane.free.push_back(&lane.all.emplace_back());
    Message* place = lane.free.back();
    lane.free.pop_back();
    *place = std::move(message);
    return *place;
  }
  void put(const Message& message) { lanes_.here().free.push_back(const_cast<Message*>(&message)); }
  /// Between windows: as PacketPool's.
  void evenOut(uint32_t lanes) {
    fabric::evenOut(lanes_, lanes, [](Lane& lane) -> std::vector<Message*>& { return lane.free; });
  }

 private:
  struct Lane {
    std::deque<Message> all;
    std::vector<Message*> free;
  };
  PerLane<Lane> lanes_;
};

}  // namespace fabric
