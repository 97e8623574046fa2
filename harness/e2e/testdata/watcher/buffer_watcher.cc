#include "buffer_watcher.h"

#include <algorithm>

#include "mechanisms/core/network.h"

namespace fabric {

const BufferWatcher::Grades& BufferWatcher::grades() {
  static const Grades table{"buffer_grades",
                            "grades of buffers",
                            Scope::Node,
                            true,
                            {"time_ps", "simulated time"},
                            {"node", "the switch"},
                            {"looks", "1", "looks so far"},
                            {"used_bytes", "bytes in the buffer now"},
                            {"worst_grade", "1", "highest grade so far"}};
  return table;
}

const Description& BufferWatcher::describe() {
  static const Description d =
      Describe<BufferWatcher>("buffer_watcher", Watcher::kKind, "grades how full a buffer is")
          .help("The grade is linear between the points of a curve, and that of its ends beyond them.")
          .source("a test")
          .param("period", &BufferWatcher::period_, Time::Us(10), "time between two looks", "a test")
          .range(1000, 1e12)
          .param("grades", &BufferWatcher::grades_, {{0, 0}, {1e6, 1}}, "grade over bytes in the buffer", "a test")
          .axis("bytes", ParamType::Bytes, 0, 1e9)
          .increasing()
          .axis("grade", ParamType::Float, 0, 100)
          .entries(2, 10)
          .table(grades())
          .done();
  return d;
}
FABRIC_REGISTER(BufferWatcher);

FABRIC_SLOT(watchers, {"watchers", Watcher::kKind, Where::Switch, Count::Many, "", "what watches the switch",
                       [](Component& place, Component& component, uint8_t) {
                         dynamic_cast<Watcher&>(component).attach(dynamic_cast<Switch&>(place));
                       }});

void BufferWatcher::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(grades());
  timer_.setKey(switch_->timerKey());
  network.engine().schedule(timer_, period_);
}

void BufferWatcher::look() {
  ++looks_;
  worst_ = std::max(worst_, grade(switch_->buffer().used()));
  network_->engine().schedule(timer_, network_->engine().now() + period_);
}

double BufferWatcher::grade(int64_t bytes) const {
  const auto x = static_cast<double>(bytes);
  if (x <= grades_.front().x) return grades_.front().y;
  for (size_t i = 1; i < grades_.size(); ++i) {
    const Point &a = grades_[i - 1], &b = grades_[i];
    if (x < b.x) return a.y + (x - a.x) * ((b.y - a.y) / (b.x - a.x));
  }
  return grades_.back().y;
}

void BufferWatcher::onSample(int) {
  network_->trace().emit(table_, network_->engine().now(), NodeId{switch_->id()}, looks_,
                         Bytes{switch_->buffer().used()}, worst_);
}

}  // namespace fabric
