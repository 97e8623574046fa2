// NewReno: slow start, additive increase, multiplicative decrease.
#pragma once

#include "mechanisms/tcp/tcp_window.h"

namespace fabric {

class NewReno final : public TcpWindow {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  void avoid(Flow&, Window& w, const Acked& acked) override { growByOneMss(w, acked); }
};

}  // namespace fabric
