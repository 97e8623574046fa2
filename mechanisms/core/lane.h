// Lanes: the parts of a run that go side by side, each with its thread and its share of the nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fabric {

/// More threads than this cannot share a run.
inline constexpr uint32_t kMostLanes = 64;

/// Where each has so many events in a window, lanes are worth their threads (SideBySide).
inline constexpr uint64_t kLeastEvents = 500;

/// Processors fetch pairs of lines, so two lanes share no pair.
inline constexpr size_t kLaneBytes = 128;

/// The lane that this thread runs, times kLaneBytes: what each packet looks at several times is then found without
/// arithmetic. What runs outside of lanes, and all of a run on one thread, is in lane 0.
[[gnu::tls_model("initial-exec")]] inline thread_local size_t t_laneOffset = 0;

inline uint32_t thisLane() { return static_cast<uint32_t>(t_laneOffset / kLaneBytes); }
inline void setThisLane(uint32_t lane) { t_laneOffset = lane * kLaneBytes; }

/// A T for each lane. A lane looks at its own; others do only while lanes stand still.
template <class T>
class PerLane {
 public:
  T& here() { return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&all_[0].value) + t_laneOffset * kStride); }
  const T& here() const { return const_cast<PerLane*>(this)->here(); }
  T& operator[](uint32_t lane) { return all_[lane].value; }
  const T& operator[](uint32_t lane) const { return all_[lane].value; }
  template <class F>
  void forEach(F&& f) {
    for (Own& own : all_) f(own.value);
  }
  template <class F>
  void forEach(F&& f) const {
    for (const Own& own : all_) f(own.value);
  }

 private:
  struct alignas(kLaneBytes) Own {
    T value{};
  };
  static constexpr size_t kStride = sizeof(Own) / kLaneBytes;
  std::array<Own, kMostLanes> all_;
};

/// Of what is free in the first `lanes` lanes: where one lane has much more than another, that one gets half of it.
/// `list` gives a lane's vector.
template <class T, class List>
void evenOut(PerLane<T>& all, uint32_t lanes, const List& list) {
  constexpr size_t kMuch = 4096;
  uint32_t most = 0, least = 0;
  for (uint32_t i = 1; i < lanes; ++i) {
    if (list(all[i]).size() > list(all[most]).size()) most = i;
    if (list(all[i]).size() < list(all[least]).size()) least = i;
  }
  auto &from = list(all[most]), &to = list(all[least]);
  if (from.size() - to.size() < kMuch) return;
  const auto moved = from.end() - static_cast<std::ptrdiff_t>((from.size() - to.size()) / 2);
  to.insert(to.end(), moved, from.end());
  from.erase(moved, from.end());
}

}  // namespace fabric
