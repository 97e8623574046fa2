// The discounting rate estimator: the closed form, the rise, and the lazy decay against a timer's.
#include "mechanisms/dre/dre.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/core/random.h"
#include "mechanisms/dre/discounted_rate.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::Net;

TEST(DiscountedRate, SameBitsAsATimerWouldGive) {
  for (const double alpha : {0.1, 0.2, 0.5, 0.013, 1.0}) {
    const Time period = Time::Us(16);
    DiscountedRate lazy;
    lazy.configure(period, alpha);
    double x = 0;
    Time next = period;
    RandomStream random(1, "dre", static_cast<uint64_t>(alpha * 1000));
    Time now;
    int zero = 0, large = 0;
    for (int i = 0; i < 20000; ++i) {
      // Bursts, gaps of a few periods, silences of thousands, and packets at the very time of a decay.
      const uint32_t kind = random.below(100);
      int64_t gap = random.below(2000000);
      if (kind >= 90) gap = random.below(100000000);
      if (kind == 99) gap = int64_t{random.below(100)} * 1000000000;
      now = now + Time{gap};
      if (kind % 10 == 0) now = Time{(now.ps / period.ps + 1) * period.ps};
      for (; next <= now; next += period) {
        x *= 1 - alpha;
        if (x < 1) x = 0;
      }
      if (random.below(4) == 0) {
        ASSERT_EQ(lazy.at(now), x) << "alpha " << alpha << ", step " << i;
      }
      const uint32_t bytes = 64 + random.below(9000);
      lazy.add(now, bytes);
      zero += x == 0;
      x += bytes;
      large += x > 50000;
      ASSERT_EQ(lazy.at(now), x) << "alpha " << alpha << ", step " << i;
    }
    EXPECT_GT(zero, 50);
    if (alpha < 0.5) {
      EXPECT_GT(large, 50);
    }
  }
}

/// X after `time` of a steady rate in packets of 1000 B, the last decay included.
double steady(DiscountedRate& r, Rate rate, Time from, Time to) {
  const Time gap = transmissionTime(1000, rate);
  for (Time t = from; t < to; t += gap) r.add(t, 1000);
  return r.at(to);
}

TEST(DiscountedRate, IsTheRateTimesTau) {
  // CONGA section 3.2: X = R tau with tau = Tdre / alpha; between a decay and the next it saws from
  // R (tau - Tdre) to R tau.
  const Time period = Time::Us(16);
  for (const int64_t gbps : {1, 10, 40}) {
    DiscountedRate r;
    r.configure(period, 0.1);
    const Rate rate = Rate::Gbps(gbps);
    const double rTau = static_cast<double>(rate.bps) / 8 * 160e-6;
    const Time decay = Time::Ms(4);  // 250 periods
    EXPECT_NEAR(steady(r, rate, {}, decay - Time::Ps(1)), rTau, 0.002 * rTau + 1000) << gbps;
    EXPECT_NEAR(r.at(decay), 0.9 * rTau, 0.002 * rTau + 1000) << gbps;
  }
}

TEST(DiscountedRate, RisesTo63PercentInTau) {
  // Exactly 1 - (1 - alpha)^(1/alpha): 65.1 % at alpha = 0.1, 63.4 % at 0.01, towards 1 - 1/e.
  for (const double alpha : {0.1, 0.01}) {
    const Time period{static_cast<int64_t>(160e6 * alpha)};
    DiscountedRate r;
    r.configure(period, alpha);
    const Rate rate = Rate::Gbps(40);
    const double end = 40e9 / 8 * 160e-6;
    const double rise = steady(r, rate, {}, Time::Us(160) - Time::Ps(1)) / end;
    EXPECT_NEAR(rise, 1 - std::pow(1 - alpha, 1 / alpha), 0.002) << alpha;
  }
}

namespace {

/// Two hosts at each of two switches, a link between the switches.
struct Pair : Net {
  explicit Pair(const Config& c) : Net(c) {
    for (int i = 0; i < 4; ++i) host();
    Switch &l = sw(), &r = sw();
    link(*hosts[0], l);
    link(*hosts[1], l);
    link(l, r);
    link(r, *hosts[2]);
    link(r, *hosts[3]);
  }
  Dre& dre(int node, int p) { return *switches[node]->port(p).agent<Dre>(); }
};

Config withDre() {
  Config c;
  c.agents = {"dre"};
  return c;
}

}  // namespace

TEST(Dre, MeasuresFabricLinksAndNoOthers) {
  Pair net(withDre());
  net.flow(0, *net.hosts[0], *net.hosts[2], 0);
  net.run(Time::Ms(2) - Time::Ps(1));  // just before a decay
  const double full = 100e9 / 8 * 160e-6;
  EXPECT_NEAR(net.dre(0, 2).load(), full, 0.01 * full);
  EXPECT_EQ(net.dre(0, 2).metric(), 7);
  EXPECT_EQ(net.dre(0, 0).load(), 0);  // ACKs went out there
  EXPECT_EQ(net.dre(1, 1).load(), 0);  // and data here
  // 66 B of ACK for 1518 B of data.
  EXPECT_NEAR(net.dre(1, 0).load(), full * 66 / 1518, 0.01 * full);
  EXPECT_EQ(net.dre(1, 0).metric(), 0);
}

TEST(Dre, MetricIsCutToItsBits) {
  for (const int64_t bits : {3, 6}) {
    Config c = withDre();
    c.set("dre.bits", bits);
    Pair net(c);
    Host& h = *net.hosts[0];
    net.flow(0, h, *net.hosts[2], 0);
    net.run(Time::Us(300));
    Flow& f = net.active(h, 0);
    for (int eighths = 1; eighths <= 8; ++eighths) {
      // Well between two metrics, of three bits and of six, or as much as there is.
      f.rate = Rate{std::min<int64_t>(12500000000 * eighths + 6250000000 + 781250000, 100000000000)};
      h.rateChanged(f);
      net.run(Time::Ms(2 + 2 * eighths) - Time::Ps(1));
      const double share = static_cast<double>(f.rate.bps) / 100e9;
      const int levels = 1 << bits;
      EXPECT_EQ(net.dre(0, 2).metric(), std::min(levels - 1, static_cast<int>(share * levels + 1e-9))) << eighths;
    }
  }
}

TEST(Dre, IsRefusedByNameWhereItIsMissing) {
  for (const char* selector : {"conga", "local"}) {
    Config c;
    c.selector = selector;
    Pair net(c);
    try {
      net.start();
      ADD_FAILURE() << selector << " was taken without dre";
    } catch (const ParamError& e) {
      EXPECT_NE(std::string(e.what()).find(selector), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("add the port agent dre"), std::string::npos) << e.what();
    }
  }
}

TEST(Needs, AMechanismWithoutItsPartnerIsRefusedByName) {
  for (const auto& [cc, need] : std::map<std::string, std::string>{
           {"hpcc", "port agent hpcc_int"}, {"fncc", "port agent fncc_int"}, {"rocc", "port agent rocc_pi"}}) {
    Config c;
    c.cc = cc;
    c.receivers = {"hpcc_echo", "fncc_receiver"};
    c.set("host.base_rtt", int64_t{12900000});
    Pair net(c);
    try {
      net.start();
      ADD_FAILURE() << cc << " was taken without " << need;
    } catch (const ParamError& e) {
      EXPECT_NE(std::string(e.what()).find(cc + " needs the " + need), std::string::npos) << e.what();
    }
  }
}

}  // namespace fabric
