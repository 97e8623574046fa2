#include "mechanisms/core/packet.h"

namespace fabric {

PacketPool::~PacketPool() {
  forEachLive([this](const Packet& p) {
    if (p.kind == PacketKind::Foreign && foreign(p) != nullptr) releaseForeign_(foreign(p));
  });
}

size_t PacketPool::reserve(const std::string& name, std::type_index type, size_t bytes, void (*construct)(void*)) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].name != name) continue;
    if (slots_[i].type != type) {
      throw std::logic_error("packet extension " + name + " is asked for with two types; give one another name");
    }
    return i;
  }
  if (chunks() != 0) {
    throw std::logic_error("packet extension " + name + " was asked for after the first packet");
  }
  if (slots_.size() == kMostExtensions) {
    throw std::logic_error("packet extension " + name + " is one too many: a packet has a bit for each of " +
                           std::to_string(kMostExtensions));
  }
  slots_.push_back({name, type, size_, construct});
  size_ += (bytes + 7) / 8 * 8;
  return slots_.size() - 1;
}

void PacketPool::evenOut(uint32_t lanes) {
  constexpr size_t kMuch = 16 * kPerChunk;
  uint32_t most = 0, least = 0;
  for (uint32_t i = 1; i < lanes; ++i) {
    if (lanes_[i].spare > lanes_[most].spare) most = i;
    if (lanes_[i].spare < lanes_[least].spare) least = i;
  }
  Lane &from = lanes_[most], &to = lanes_[least];
  if (from.spare - to.spare < kMuch) return;
  for (size_t count = (from.spare - to.spare) / 2; count > 0; --count) {
    Packet* p = from.free;
    from.free = p->next;
    p->next = to.free;
    to.free = p;
    --from.spare;
    ++to.spare;
  }
}

void PacketPool::grow(Lane& lane) {
  lane.chunks.push_back(std::make_unique<CacheLine[]>(lines() * kPerChunk));
  lane.spare += kPerChunk;
  CacheLine* at = lane.chunks.back().get();
  for (size_t i = 0; i < kPerChunk; ++i, at += lines()) {
    auto* p = new (at) Packet();
    for (const Slot& s : slots_) s.construct(at->bytes + s.offset);
    p->next = lane.free;
    lane.free = p;
  }
}

}  // namespace fabric
