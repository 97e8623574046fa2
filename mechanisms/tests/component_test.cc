// Parameters: types, ranges, choices, and what may change during a run.
#include "mechanisms/core/component.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "mechanisms/runner/catalog.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::Net;

/// The text of the ParamError that `f` throws; empty if it throws none.
std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const ParamError& e) {
    return e.what();
  }
  return "";
}

TEST(Param, DefaultsAreApplied) {
  const auto hpcc = Registry::find("hpcc")->create();
  EXPECT_EQ(std::get<double>(hpcc->get("eta")), 0.95);
  EXPECT_EQ(std::get<int64_t>(hpcc->get("max_stage")), 5);
  EXPECT_EQ(std::get<int64_t>(hpcc->get("w_ai")), 80);
  const auto dcqcn = Registry::find("dcqcn")->create();
  EXPECT_EQ(std::get<std::string>(dcqcn->get("notice")), "cnp");
  EXPECT_EQ(std::get<int64_t>(dcqcn->get("rate_ai")), 40000000);
  EXPECT_TRUE(std::get<bool>(dcqcn->get("first_cut")));
}

TEST(Param, RefusalsNameComponentParameterAndLimits) {
  const auto c = Registry::find("hpcc")->create();
  EXPECT_EQ(refusal([&] { c->set("eta", 1.5); }), "hpcc.eta: 1.500000 1 is outside 0.010000 to 1.000000");
  EXPECT_EQ(refusal([&] { c->set("w_ai", int64_t{-1}); }), "hpcc.w_ai: -1 B is outside 0 to 9007199254740992");
  EXPECT_EQ(refusal([&] { c->set("eta", std::string("high")); }), "hpcc.eta: 'high' is not a value of type float");
  EXPECT_EQ(refusal([&] { c->set("max_stage", 2.5); }), "hpcc.max_stage: '2.500000' is not a value of type int");
  EXPECT_EQ(refusal([&] { c->set("max_stage", true); }), "hpcc.max_stage: 'true' is not a value of type int");
  EXPECT_EQ(refusal([&] { c->set("etta", 0.9); }), "hpcc has no parameter 'etta'");
  EXPECT_EQ(std::get<double>(c->get("eta")), 0.95);  // nothing of it stuck

  const auto dcqcn = Registry::find("dcqcn")->create();
  EXPECT_EQ(refusal([&] { dcqcn->set("notice", std::string("ecn")); }), "dcqcn.notice: 'ecn' is not one of cnp, ack");
  EXPECT_EQ(std::get<std::string>(dcqcn->get("notice")), "cnp");
}

TEST(Param, LimitsAreInclusiveAndIntegersPassForFloats) {
  const auto c = Registry::find("hpcc")->create();
  c->set("eta", int64_t{1});
  EXPECT_EQ(std::get<double>(c->get("eta")), 1.0);
  c->set("eta", 0.01);
  c->set("max_stage", int64_t{1000});
  EXPECT_NE(refusal([&] { c->set("max_stage", int64_t{1001}); }), "");
}

TEST(Param, NotANumberIsOutOfEveryRange) {
  const auto c = Registry::find("hpcc")->create();
  EXPECT_NE(refusal([&] { c->set("eta", std::numeric_limits<double>::quiet_NaN()); }), "");
}

TEST(Param, TimesBeyond100DaysAreRefused) {
  const auto c = Registry::find("host")->create();
  c->set("base_rtt", kLongestTime.ps);
  EXPECT_NE(refusal([&] { c->set("base_rtt", kLongestTime.ps + 1); }), "");
}

TEST(Param, OnlyLiveParametersChangeDuringARun) {
  Net net(Config::hpcc());
  Host& a = net.host();
  Switch& s = net.sw();
  net.link(a, s);
  net.link(net.host(), s);
  a.set("mtu", int64_t{1000});
  net.start();
  EXPECT_EQ(refusal([&] { a.set("mtu", int64_t{1518}); }),
            "host.mtu: cannot change during a run; set it before the simulation starts");
  EXPECT_EQ(a.mtu(), 1000);
  a.set("ack_every", int64_t{4});
  EXPECT_EQ(std::get<int64_t>(a.get("ack_every")), 4);
}

TEST(Param, AChangeThatDoesNotFitTheOthersLeavesEverythingAsItWas) {
  Net net(Config::dcqcn());
  Switch& s = net.sw();
  net.link(net.host(), s);
  net.link(net.host(), s);
  net.start();
  Queue& red = *s.port(0).queues()[1];
  EXPECT_NE(refusal([&] { red.set("kmin", int64_t{300000}); }), "");
  EXPECT_EQ(std::get<int64_t>(red.get("kmin")), 5000);
  red.set("kmax", int64_t{400000});
  red.set("kmin", int64_t{300000});
  EXPECT_EQ(std::get<int64_t>(red.get("kmin")), 300000);
}

TEST(Param, EveryComponentDescribesItself) {
  // Several mechanisms may fill a table, if all mean the same by it.
  std::map<std::string, std::string> tables;
  for (const auto& t : standardTables()) tables[t.name] = toJson(t).dump();
  for (const Description* d : Registry::all()) {
    SCOPED_TRACE(d->name);
    EXPECT_FALSE(d->title.empty());
    EXPECT_FALSE(d->help.empty());
    EXPECT_FALSE(d->source.empty());
    ASSERT_TRUE(d->create);
    const auto c = d->create();
    EXPECT_EQ(&c->description(), d);
    std::set<std::string> names;
    for (const Param& p : d->params) {
      SCOPED_TRACE(p.name);
      EXPECT_TRUE(names.insert(p.name).second) << "declared twice";
      EXPECT_FALSE(p.help.empty());
      EXPECT_FALSE(p.source.empty());
      EXPECT_EQ(c->get(p), p.def);
      EXPECT_NO_THROW(c->set(p, p.def)) << "the default is not in the range";
    }
    for (const auto& t : d->tables) {
      const auto known = tables.emplace(t.name, toJson(t).dump()).first;
      EXPECT_EQ(known->second, toJson(t).dump()) << t.name << " is another table already";
    }
    for (const std::string& need : d->needs) EXPECT_NE(Registry::find(need), nullptr) << "there is no " << need;
  }
}

TEST(Network, RefusesClassesWithoutQueues) {
  Config s;
  s.queues = {"fifo"};
  Net net(s);
  Switch& node = net.sw();
  net.link(net.host(), node);
  net.link(net.host(), node);
  EXPECT_EQ(refusal([&] { net.start(); }), "host.classes: hosts use 2 classes, port 0 of s0 has queues for 1");

  Net rocc(Config::rocc().set("rocc_pi.cnp_class", int64_t{2}));
  Switch& other = rocc.sw();
  rocc.link(rocc.host(), other);
  rocc.link(rocc.host(), other);
  EXPECT_EQ(refusal([&] { rocc.start(); }), "rocc_pi.cnp_class: 2 is not below the number of queues, 2");
}

TEST(Network, RefusesFlowsThatCannotBe) {
  Net net;
  Host& a = net.host();
  Host& b = net.host();
  Switch& s = net.sw();
  net.link(a, s);
  net.link(b, s);
  net.start();
  FlowSpec f;
  f.dst = b.id();
  f.cls = 2;
  EXPECT_THROW(a.startFlow(f, b), std::invalid_argument);
  f.cls = 1;
  net.run(Time::Us(10));
  f.stop = Time::Us(5);
  EXPECT_THROW(a.startFlow(f, b), std::invalid_argument);
  f.stop = Time::Us(10);
  EXPECT_NO_THROW(a.startFlow(f, b));
}

}  // namespace fabric
