// Bandwidth functions of BwE as utilities: which rate a flow has at which fair share.
#pragma once

#include "mechanisms/core/utility.h"

namespace fabric {

class BandwidthFunction final : public Utility {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  double formulaMarginal(double rate, const UtilityFlow& flow) const override;
  double formulaRate(double price, const UtilityFlow& flow) const override;
  double formulaCurvature(double rate, const UtilityFlow& flow) const override;

  /// A straight piece of the curve, as the line through two of its points; x is the fair share, y bit/s.
  struct Piece {
    Point a, b;
  };
  template <double Point::*along>
  Piece pieceAt(double value) const;
  double fairShare(double rate, const UtilityFlow& flow) const;

  Curve curve_;
  double alpha_ = 0;
};

}  // namespace fabric
