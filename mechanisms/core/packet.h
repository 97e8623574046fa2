// The packet and its pool. A packet is never serialised; its wire length is explicit.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "mechanisms/core/lane.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Flow;

/// Foreign: a packet of the engine's own (ns-3's internet stack) crosses the fabric inside this one. It
/// belongs to no flow: `flow` is null and `flowId` is kNoFlow.
enum class PacketKind : uint8_t { Data, Ack, Nack, Cnp, Pause, Control, Foreign };

inline constexpr uint32_t kNoFlow = 0xffffffffu;

/// A packet is out of the cache whenever it arrives somewhere. So what links and switches look at is in the first 64
/// bytes, one line of the cache.
struct Packet {
  Packet* next = nullptr;      // in a queue, in flight or in the pool
  Time nextAt;                 // in flight, for engines: when `next` arrives
  uint64_t hash = 0;           // of its flow in its own direction
  uint64_t symmetricHash = 0;  // the same for both directions
  uint32_t dst = 0;            // node id
  uint32_t wireBytes = 0;      // everything that is serialised, INT and padding included
  uint32_t payload = 0;
  uint32_t flowId = 0;
  uint16_t ingress = 0;  // port at the switch it is in
  uint8_t cls = 0;
  uint8_t ingressClass = 0;  // in which it came to the switch: what is held against its port
  PacketKind kind = PacketKind::Data;
  bool ect : 1;         // ECN-capable transport
  bool marked : 1;      // congestion experienced; on an ACK: echoed
  bool last : 1;        // last packet of its flow
  bool inUse : 1;       // not in the pool
  uint16_t filled = 0;  // one bit for each extension: somebody has filled it since the packet left the pool
  uint64_t seq = 0;     // data: first payload byte; ACK and NACK: next byte expected

  /// The flow it belongs to; the flow's memory may serve another flow by now, so compare ids.
  Flow* flow = nullptr;
  Time sentAt;       // when the sender put the data packet on the wire; an ACK returns it
  uint32_t src = 0;  // node id
  /// It carries the outer header of an overlay, of so many of its wire bytes, from leaf to leaf.
  bool encapsulated : 1;
  /// Of a Control packet: its registered type, see ControlTypes.
  uint8_t control : 7;
  /// The line, from the packet's first, up to which an extension is filled that grows on the way.
  uint8_t grownTo = 0;
  uint16_t overlayBytes = 0;

  Packet() : ect(false), marked(false), last(false), inUse(false), encapsulated(false), control(0) {}

  /// A mechanism's extension at the offset its layout was given.
  template <class T>
  T& at(size_t offset) {
    return *std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset));
  }
  template <class T>
  const T& at(size_t offset) const {
    return *std::launder(reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(this) + offset));
  }

  /// Where the next node will write in an extension that grows on the way; for FetchAhead.
  void growsAt(const void* next) {
    grownTo = static_cast<uint8_t>((static_cast<const std::byte*>(next) - reinterpret_cast<const std::byte*>(this)) /
                                   sizeof(CacheLine));
  }
};
static_assert(sizeof(Packet) == 88,
              "HPCC's telemetry, of 8 B and records of 32 B, as the first extension has no record in two lines");

/// A mechanism's extension of type T in every packet, as PacketPool::reserve() gives it out.
template <class T>
class PacketExtension {
 public:
  PacketExtension() = default;
  PacketExtension(size_t offset, size_t number)
      : offset_(static_cast<uint32_t>(offset)), bit_(static_cast<uint16_t>(1u << number)) {}

  /// All fields at their defaults, for whoever uses it first on a packet.
  T& fill(Packet& p) const { return claim(p) = T(); }
  /// As fill(), but it holds old values, all of which the caller replaces.
  T& claim(Packet& p) const {
    p.filled = static_cast<uint16_t>(p.filled | bit_);
    return (*this)(p);
  }
  /// Null where nobody has filled it: the packet's sender has another mechanism.
  T* of(Packet& p) const { return (p.filled & bit_) != 0 ? &(*this)(p) : nullptr; }
  const T* of(const Packet& p) const { return (p.filled & bit_) != 0 ? &(*this)(p) : nullptr; }
  /// Of a packet on which it is known to be filled.
  T& operator()(Packet& p) const { return p.at<T>(offset_); }
  const T& operator()(const Packet& p) const { return p.at<T>(offset_); }

 private:
  uint32_t offset_ = 0;
  uint16_t bit_ = 0;
};

/// An intrusive first-in first-out list of packets.
class PacketList {
 public:
  bool empty() const { return head_ == nullptr; }
  Packet* front() const { return head_; }
  void push(Packet* p) {
    p->next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = p;
    tail_ = p;
  }
  Packet* pop() {
    Packet* p = head_;
    head_ = p->next;
    return p;
  }

 private:
  Packet* head_ = nullptr;
  Packet* tail_ = nullptr;
};

/// Packets come from here and go back, often in another lane; memory is taken in chunks and kept. Mechanisms reserve
/// room for their extensions before the first packet is made, so packets carry nothing unused.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;
  ~PacketPool();

  /// Says that there will be foreign packets, and how the engine gets back what such a packet carries when it returns
  /// to the pool. To be called before the first packet.
  void setForeignRelease(void (*release)(void*)) {
    releaseForeign_ = release;
    foreign_ = reserve<void*>("foreign");
  }
  bool takesForeign() const { return releaseForeign_ != nullptr; }
  /// What a foreign packet carries; null: nothing, and nothing is given back.
  void*& foreign(Packet& p) const { return foreign_(p); }
  void* foreign(const Packet& p) const { return foreign_(p); }

  /// Room for the extension T, the same for everyone who asks for it by this name; with another type it is
  /// refused.
  template <class T>
  PacketExtension<T> reserve(const char* name) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    const size_t number = reserve(name, typeid(T), sizeof(T), [](void* at) { new (at) T(); });
    return PacketExtension<T>(slots_[number].offset, number);
  }

  /// The extension that somebody has reserved by this name, if it is of this type.
  template <class T>
  std::optional<PacketExtension<T>> find(const std::string& name) const {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].name == name && slots_[i].type == typeid(T)) return PacketExtension<T>(slots_[i].offset, i);
    }
    return {};
  }

  /// A fresh packet. Its extensions are not filled.
  Packet* get() {
    Lane& lane = lanes_.here();
    if (lane.free == nullptr) grow(lane);
    Packet* p = lane.free;
    lane.free = p->next;
    p->inUse = true;
    p->filled = 0;
    p->encapsulated = false;  // it may have been dropped between two leaves
    --lane.spare;
    return p;
  }

  /// As get(), with every field at its default.
  Packet* fresh() {
    Packet* p = get();
    *p = Packet();
    p->inUse = true;
    return p;
  }

  void put(Packet* p) {
    if (p->kind == PacketKind::Foreign && foreign(*p) != nullptr) releaseForeign_(foreign(*p));
    Lane& lane = lanes_.here();
    p->inUse = false;
    p->next = lane.free;
    lane.free = p;
    ++lane.spare;
  }
  /// Between windows: where one of the first `lanes` lanes puts back what another one gets, that one gets it.
  void evenOut(uint32_t lanes);

  size_t live() const {
    size_t count = chunks() * kPerChunk;
    lanes_.forEach([&count](const Lane& lane) { count -= lane.spare; });
    return count;
  }
  size_t chunks() const {
    size_t count = 0;
    lanes_.forEach([&count](const Lane& lane) { count += lane.chunks.size(); });
    return count;
  }

  /// Every packet that is somewhere in the network.
  template <class F>
  void forEachLive(F&& f) const {
    lanes_.forEach([&](const Lane& lane) {
      for (const auto& chunk : lane.chunks) {
        for (size_t i = 0; i < kPerChunk; ++i) {
          auto* p = std::launder(reinterpret_cast<const Packet*>(chunk.get() + i * lines()));
          if (p->inUse) f(*p);
        }
      }
    });
  }

 private:
  static constexpr size_t kPerChunk = 256;
  static constexpr size_t kMostExtensions = 16;  // bits of Packet::filled
  /// What a packet takes, with its extensions.
  size_t lines() const { return (size_ + sizeof(CacheLine) - 1) / sizeof(CacheLine); }

  size_t reserve(const std::string& name, std::type_index type, size_t bytes, void (*construct)(void*));
  struct Lane {
    Packet* free = nullptr;
    size_t spare = 0;  // so many are free
    std::vector<std::unique_ptr<CacheLine[]>> chunks;
  };
  void grow(Lane& lane);

  struct Slot {
    std::string name;
    std::type_index type;
    size_t offset;
    void (*construct)(void*);
  };
  std::vector<Slot> slots_;
  void (*releaseForeign_)(void*) = nullptr;
  PacketExtension<void*> foreign_;
  size_t size_ = sizeof(Packet);
  PerLane<Lane> lanes_;
};

}  // namespace fabric
