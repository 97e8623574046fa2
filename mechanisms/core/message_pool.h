// The messages of applications that are under way.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "mechanisms/core/application.h"

namespace fabric {

/// A message keeps its place until it is put back; the place serves the next one.
class MessagePool {
 public:
  const Message& get(Message message) {
    if (free_.empty()) {
      all_.emplace_back();
      free_.push_back(&all_.back());
    }
    Message* place = free_.back();
    free_.pop_back();
    *place = std::move(message);
    return *place;
  }
  void put(const Message& message) { free_.push_back(const_cast<Message*>(&message)); }

 private:
  std::deque<Message> all_;
  std::vector<Message*> free_;
};

}  // namespace fabric
