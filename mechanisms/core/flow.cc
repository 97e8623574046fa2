#include "mechanisms/core/flow.h"

#include <stdexcept>

#include "mechanisms/core/packet.h"

namespace fabric {

FlowPool::~FlowPool() = default;

size_t FlowPool::reserve(const std::string& name, FlowEnd end, std::type_index type, size_t bytes,
                         void (*destroy)(void*)) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].name != name) continue;
    if (slots_[i].type != type) {
      throw std::logic_error("flow state " + name + " is asked for with two types; give one of them another name");
    }
    return i;
  }
  bool begun = false;
  lanes_.forEach([&begun](const Lane& lane) { begun |= !lane.chunks.empty(); });
  if (begun) throw std::logic_error("flow state " + name + " was asked for after the first flow");
  if (slots_.size() == 8 * sizeof(Flow::made)) throw std::logic_error("flow state " + name + ": there are too many");
  size_t& size = end == FlowEnd::Sender ? size_ : receivers_;
  const auto before = static_cast<std::ptrdiff_t>(size);
  size += (bytes + 7) / 8 * 8;
  const auto behind = static_cast<std::ptrdiff_t>(kFront + size);
  slots_.push_back({name, type, end == FlowEnd::Sender ? before : -behind, destroy});
  return slots_.size() - 1;
}

Flow* FlowPool::get(const Flow::Handlers& handlers, const FlowSpec& spec) {
  Lane& lane = lanes_.here();
  if (lane.free.empty()) {
    constexpr size_t kPerChunk = 64;
    const size_t front = lines(receivers_), all = front + lines(kFront + size_);
    lane.chunks.push_back(std::make_unique<CacheLine[]>(all * kPerChunk));
    for (size_t i = kPerChunk; i-- > 0;) {
      std::byte* at = reinterpret_cast<std::byte*>(lane.chunks.back().get() + i * all + front) + kFront;
      new (at - kFront) Number(kNoFlow);
      lane.free.push_back(at);
    }
  }
  std::byte* at = lane.free.back();
  lane.free.pop_back();
  auto* flow = new (at) Flow(handlers);
  flow->spec = spec;
  front(at).store(spec.id, std::memory_order_relaxed);
  return flow;
}

void FlowPool::put(Flow* flow, bool apart) {
  for (uint32_t made = flow->made; made != 0; made &= made - 1) {
    const Slot& slot = slots_[static_cast<size_t>(__builtin_ctz(made))];
    slot.destroy(flow->raw(slot.offset));
  }
  auto* at = reinterpret_cast<std::byte*>(flow);
  front(at).store(kNoFlow, std::memory_order_relaxed);  // packets that still name this flow no longer find it
  Lane& lane = lanes_.here();
  (apart ? lane.gone : lane.free).push_back(at);
}

void FlowPool::meet(uint32_t lanes) {
  for (uint32_t i = 0; i < lanes; ++i) {
    std::vector<std::byte*>& gone = lanes_[i].gone;
    if (gone.empty()) continue;
    uint32_t least = 0;
    for (uint32_t to = 1; to < lanes; ++to) {
      if (lanes_[to].free.size() < lanes_[least].free.size()) least = to;
    }
    lanes_[least].free.insert(lanes_[least].free.end(), gone.begin(), gone.end());
    gone.clear();
  }
}

}  // namespace fabric
