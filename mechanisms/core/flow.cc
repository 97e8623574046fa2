#include "mechanisms/core/flow.h"

#include <stdexcept>

namespace fabric {

FlowPool::~FlowPool() = default;

size_t FlowPool::reserve(const std::string& name, std::type_index type, size_t bytes, void (*destroy)(void*)) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].name != name) continue;
    if (slots_[i].type != type) {
      throw std::logic_error("flow state " + name + " is asked for with two types; give one of them another name");
    }
    return i;
  }
  if (!chunks_.empty()) throw std::logic_error("flow state " + name + " was asked for after the first flow");
  if (slots_.size() == 8 * sizeof(Flow::made)) throw std::logic_error("flow state " + name + ": there are too many");
  slots_.push_back({name, type, size_, destroy});
  size_ += (bytes + 7) / 8 * 8;
  return slots_.size() - 1;
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
  for (uint32_t made = flow->made; made != 0; made &= made - 1) {
    const Slot& slot = slots_[static_cast<size_t>(__builtin_ctz(made))];
    slot.destroy(flow->raw(slot.offset));
  }
  flow->spec.id = ~uint32_t{0};  // packets that still name this flow no longer find it
  free_.push_back(reinterpret_cast<CacheLine*>(flow));
}

}  // namespace fabric
