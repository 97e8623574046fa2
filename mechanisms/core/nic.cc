#include "mechanisms/core/nic.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"

namespace fabric {

void Nic::start() {
  scheduler_ = port_.flowScheduler();
  if (foreignStack_ != nullptr) foreignPlace_ = scheduler_->join(foreignClass_, nullptr);
}

// ---------------------------------------------------------------- turns and pacing

void Nic::join(Flow& f) {
  f.nic = this;
  f.place = scheduler_->join(f.spec.cls, &f);
}

void Nic::leave(Flow& f) {
  block(f);
  scheduler_->leave(f.spec.cls, f.place);
}

void Nic::settle(Flow& f) {
  if (!host_.transport().maySend(f)) {
    block(f);
    return;
  }
  if (f.nextSendAt <= port_.engine().now()) {
    if (f.wait == Flow::Wait::Paced) paced_.remove(f);
    if (f.wait != Flow::Wait::Ready) makeReady(f);
  } else if (f.wait != Flow::Wait::Paced) {
    block(f);
    f.wait = Flow::Wait::Paced;
    paced_.add(f);
  }
}

void Nic::makeReady(Flow& f) {
  f.wait = Flow::Wait::Ready;
  scheduler_->ready(f.spec.cls, f.place);
  readyMask_ |= 1u << f.spec.cls;
}

/// Takes a flow out of whatever it waits in.
void Nic::block(Flow& f) {
  if (f.wait == Flow::Wait::Paced) paced_.remove(f);
  if (f.wait == Flow::Wait::Ready) idle(f.spec.cls, f.place);
  f.wait = Flow::Wait::Blocked;
}

void Nic::idle(uint8_t cls, uint32_t place) {
  if (!scheduler_->idle(cls, place)) readyMask_ &= ~(1u << cls);
}

Time Nic::timeAfter(const Flow& f) const {
  const Rate rate = std::min(f.rate, f.limit);
  const Time packet =
      rate == port_.rate() ? port_.serialisation(f.lastWireBytes) : transmissionTime(f.lastWireBytes, rate);
  return f.lastSentAt + packet + (host_.jitter() == 0 ? Time{0} : jitter(f, packet));
}

/// A function of the packet that was sent last, so that whoever asks again gets the same.
Time Nic::jitter(const Flow& f, Time packet) const {
  const uint64_t last = mix64(static_cast<uint64_t>(f.lastSentAt.ps)) ^ f.hash;
  RandomStream random(host_.network().seed(), "host.jitter", last);
  return Time{static_cast<int64_t>(static_cast<double>(packet.ps) * host_.jitter() * random.uniform())};
}

void Nic::sent(Flow& f, uint32_t wireBytes) {
  f.lastSentAt = port_.engine().now();
  f.lastWireBytes = wireBytes;
  f.nextSendAt = timeAfter(f);
  settle(f);
}

void Nic::pace(Flow& f) {
  if (f.lastWireBytes != 0) {
    const Time next = timeAfter(f);
    if (next != f.nextSendAt) {
      f.nextSendAt = next;
      if (f.wait == Flow::Wait::Paced) paced_.moved(f);
    }
  }
  settle(f);
  port_.kick();
}

uint32_t Nic::refresh() {
  const Time now = port_.engine().now();
  while (!paced_.empty() && paced_.first().nextSendAt <= now) {
    Flow& f = paced_.first();
    paced_.remove(f);
    makeReady(f);
  }
  return readyMask_;
}

Time Nic::nextWake() const { return paced_.empty() ? Time::Max() : paced_.first().nextSendAt; }

Packet* Nic::pull(uint8_t cls) {
  Flow* next = scheduler_->next(cls);
  if (next == nullptr) return pullForeign(cls);
  block(*next);
  return host_.makeData(*next);
}

// ---------------------------------------------------------------- foreign packets

void Nic::setForeignStack(ForeignStack& stack, uint8_t cls) {
  foreignStack_ = &stack;
  foreignClass_ = cls;
}

void Nic::sendForeign(Packet* p) {
  foreign_.push(p);
  foreignBytes_ += p->wireBytes;
  scheduler_->ready(foreignClass_, foreignPlace_);
  readyMask_ |= 1u << foreignClass_;
  port_.kick();
}

Packet* Nic::pullForeign(uint8_t cls) {
  Packet* p = foreign_.pop();
  foreignBytes_ -= p->wireBytes;
  if (foreign_.empty()) idle(cls, foreignPlace_);
  foreignStack_->onForeignSent(*p);
  return p;
}

}  // namespace fabric
