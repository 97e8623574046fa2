#include "mechanisms/core/flow.h"

#include <stdexcept>

namespace fabric {

FlowPool::~FlowPool() = default;

size_t FlowPool::reserve(const std::string& name, size_t bytes) {
  for (const Slot& s : slots_) {
    if (s.name == name) return s.offset;
  }
  if (!chunks_.empty()) throw std::logic_error("flow state " + name + " was asked for after the first flow");
  slots_.push_back({name, size_});
  size_ += (bytes + 7) / 8 * 8;
  return slots_.back().offset;
}

Flow* FlowPool::get(const Flow::Handlers& handlers) {
  if (free_.empty()) {
    constexpr size_t kPerChunk = 64;
    chunks_.push_back(std::make_unique<CacheLine[]>(lines() * kPerChunk));
    for (size_t i = kPerChunk; i-- > 0;) free_.push_back(chunks_.back().get() + i * lines());
  }
  CacheLine* at = free_.back();
  free_.pop_back();
  return new (at) Flow(handlers);
}

void FlowPool::put(Flow* flow) {
  flow->spec.id = ~uint32_t{0};  // packets that still name this flow no longer find it
  free_.push_back(reinterpret_cast<CacheLine*>(flow));
}

}  // namespace fabric
