// ExpressPass's credit feedback control: how fast a receiver sends the credits of a flow.
#pragma once

#include <cstdint>

namespace fabric {

/// Rates are of credits, in bytes per second. One update in a round trip.
struct CreditFeedback {
  /// Paper: Algorithm 1 of ExpressPass. Public: what its authors' simulator does.
  enum class Law : uint8_t { Paper, Public };
  struct Settings {
    Law law = Law::Paper;
    double targetLoss = 0, wMin = 0, wMax = 0;
    double creditBytes = 0;  // of a credit, on average
    double most = 0;         // credits that call for data at line rate
  };

  double rate = 0;
  double w = 0;
  bool grew = false;  // the update before found no more loss than is meant to be

  /// `sent` credits have been accounted for over `elapsed` seconds, of which `lost` were dropped; sent > 0.
  void update(const Settings& s, uint64_t sent, uint64_t lost, double elapsed, double rtt);

 private:
  void paper(const Settings& s, double loss);
  void open(const Settings& s, uint64_t arrived, double loss, double elapsed, double rtt);
};

}  // namespace fabric
