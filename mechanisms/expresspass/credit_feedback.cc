#include "mechanisms/expresspass/credit_feedback.h"

#include <algorithm>

namespace fabric {

void CreditFeedback::update(const Settings& s, uint64_t sent, uint64_t lost, double elapsed, double rtt) {
  const double loss = static_cast<double>(lost) / static_cast<double>(sent);
  if (s.law == Law::Paper) {
    paper(s, loss);
  } else {
    open(s, sent - lost, loss, elapsed, rtt);
  }
  // A credit in a round trip is the least; without any there would be no update.
  rate = std::max(rate, s.creditBytes / rtt);
}

void CreditFeedback::paper(const Settings& s, double loss) {
  if (loss <= s.targetLoss) {
    if (grew) w = (w + s.wMax) / 2;
    rate = (1 - w) * rate + w * s.most * (1 + s.targetLoss);
    grew = true;
  } else {
    rate *= (1 - loss) * (1 + s.targetLoss);
    w = std::max(w / 2, s.wMin);
    grew = false;
  }
}

/// The loss that is meant to be falls with the rate, and a cut goes to the rate at which credits have arrived.
void CreditFeedback::open(const Settings& s, uint64_t arrived, double loss, double elapsed, double rtt) {
  const double target = (1 - rate / s.most) * s.targetLoss;
  if (loss > target) {
    const double seen = s.creditBytes * static_cast<double>(arrived) / elapsed * (1 + target);
    rate = std::min(rate, arrived == 0 ? s.creditBytes / rtt : seen);
    w = std::max(w / 2, s.wMin);
    grew = false;
  } else {
    if (grew) w = std::min(w + 0.05, s.wMax);
    rate = std::min(w * s.most + (1 - w) * rate, s.most);
    grew = true;
  }
}

}  // namespace fabric
