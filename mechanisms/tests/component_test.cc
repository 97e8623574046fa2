// Parameters: types, ranges, choices, and what may change during a run.
#include "mechanisms/core/component.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(refusal([&] { c->set("eta", 1.5); }), "hpcc.eta: 1.5 1 is outside 0.01 to 1");
  EXPECT_EQ(refusal([&] { c->set("w_ai", int64_t{-1}); }), "hpcc.w_ai: -1 B is outside 0 to 9007199254740992");
  EXPECT_EQ(refusal([&] { c->set("eta", std::string("high")); }), "hpcc.eta: 'high' is not a value of type float");
  EXPECT_EQ(refusal([&] { c->set("max_stage", 2.5); }), "hpcc.max_stage: '2.5' is not a value of type int");
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
  EXPECT_EQ(refusal([&] { red.set("kmin", int64_t{300000}); }),
            "red.kmin: red.kmin is 300KB, above red.kmax, which is 200KB; marks begin where none is certain yet");
  EXPECT_EQ(std::get<int64_t>(red.get("kmin")), 5000);
  red.set("kmax", int64_t{400000});
  red.set("kmin", int64_t{300000});
  EXPECT_EQ(std::get<int64_t>(red.get("kmin")), 300000);
}

TEST(Param, ValuesThatDoNotGoTogetherAreRefusedAtTheStart) {
  EXPECT_EQ(refusalOf(Config::numfabric().set("xwi.guard", int64_t{30000000})),
            "xwi.guard is 30us, not below xwi.interval, which is 30us; nothing of the interval would be left to count "
            "in (h0, h1, s2)");
  EXPECT_EQ(refusalOf(Config::dcqcn().set("red.kmin", int64_t{300000})),
            "red.kmin is 300KB, above red.kmax, which is 200KB; marks begin where none is certain yet (s2)");
}

/// A component with lists, which only these tests have.
class Lists final : public Component {
 public:
  static const Description& describe() {
    static const Description d = Describe<Lists>("lists", Kind::Node, "Lists")
                                     .param("curve", &Lists::curve, {{0, 0}, {1, 5e9}}, "a curve", "test")
                                     .axis("share", ParamType::Float, 0, 10)
                                     .increasing()
                                     .axis("bandwidth", ParamType::Rate, 0, 1e12)
                                     .increasing()
                                     .entries(2, 3)
                                     .live()
                                     .param("times", &Lists::times, {1e6, 2e6}, "some times", "test")
                                     .axis("time", ParamType::Time, 1, 1e12)
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onChange() override {
    if (curve.back().y == 13) throw ParamError("unlucky");
  }
  Curve curve;
  std::vector<double> times;
};

TEST(Param, ListsAreCheckedEntryByEntry) {
  const auto c = make<Lists>();
  EXPECT_EQ(c->curve[1].y, 5e9);
  EXPECT_EQ(c->times, (std::vector<double>{1e6, 2e6}));
  const auto why = [&](const char* param, const NumberList& list) { return refusal([&] { c->set(param, list); }); };
  EXPECT_EQ(why("curve", {{0, 0}, {2, 1e9}, {2.5, 2e9}}), "");
  EXPECT_EQ(c->curve[2].x, 2.5);
  EXPECT_EQ(why("curve", {{0, 0}, {2, 1e9}, {2, 2e9}}), "lists.curve: entry 3: share 2 is not above 2, the one before");
  EXPECT_EQ(why("curve", {{0, 0}, {2, 0}}), "lists.curve: entry 2: bandwidth 0 bit/s is not above 0, the one before");
  EXPECT_EQ(why("curve", {{0, 0}, {20, 1}}), "lists.curve: entry 2: share 20 is outside 0 to 10");
  EXPECT_EQ(why("curve", {{0, 0}, {1, 0.5}}), "lists.curve: entry 2: bandwidth 0.5 bit/s is no whole number");
  EXPECT_EQ(why("curve", {{0, 0}, {std::nan(""), 1}}), "lists.curve: entry 2: share nan is outside 0 to 10");
  EXPECT_EQ(why("curve", {{0, 0}, {1}}), "lists.curve: entry 2 has 1 numbers, and takes 2");
  EXPECT_EQ(why("curve", {{0, 0}}), "lists.curve: has 1 entries, and takes 2 to 3");
  EXPECT_EQ(why("times", {}), "lists.times: has 0 entries, and takes 1 to 1000");
  EXPECT_EQ(refusal([&] { c->set("curve", 1.5); }), "lists.curve: '1.5' is not a value of type list");
  EXPECT_EQ(c->curve[2].x, 2.5);  // nothing of it stuck
}

TEST(Param, AListChangesDuringARunIfItIsLive) {
  const auto c = make<Lists>();
  Net net;
  c->start(net.network);
  c->set("curve", NumberList{{0, 0}, {1, 7}});
  EXPECT_EQ(c->curve[1].y, 7);
  EXPECT_NE(refusal([&] { c->set("curve", NumberList{{0, 0}, {1, 13}}); }), "");
  EXPECT_EQ(c->curve[1].y, 7);
  EXPECT_NE(refusal([&] { c->set("times", NumberList{{1}}); }), "");
}

TEST(Param, ListsAsTextAndJson) {
  const auto c = make<Lists>();
  const Param& curve = *Lists::describe().find("curve");
  const Param& times = *Lists::describe().find("times");
  EXPECT_EQ(toText(c->get(curve)), "[[0,0],[1,5e+09]]");
  EXPECT_EQ(toText(c->get(times)), "[1e+06,2e+06]");
  for (const Param* p : {&curve, &times}) {
    EXPECT_EQ(fromText(*p, toText(c->get(*p))), c->get(*p));
    EXPECT_EQ(fromJson(*p, toJson(c->get(*p))), c->get(*p));
  }
  EXPECT_EQ(fromText(times, "[0.1]"), Value(NumberList{{0.1}}));
  EXPECT_EQ(refusal([&] { fromText(curve, "[[0, 0]"); }),
            "'[[0, 0]' is no list of numbers, such as [1,2] or [[0,0],[1,5]]");
  EXPECT_EQ(refusal([&] { fromText(curve, "7"); }), "must be a list, is 7");
  EXPECT_EQ(refusal([&] { fromText(curve, "[[0, \"1\"]]"); }), "must be a number, is \"1\"");
  EXPECT_EQ(refusal([&] { fromText(curve, "[[[0]]]"); }), "must be a number, is [0]");
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
      for (const Relation& r : p.relations) {
        ASSERT_NE(d->find(r.other), nullptr) << "there is no " << r.other;
        EXPECT_LE(p.def, d->find(r.other)->def) << "the defaults do not go together";
      }
    }
    for (const auto& t : d->tables) {
      const auto known = tables.emplace(t.name, toJson(t).dump()).first;
      EXPECT_EQ(known->second, toJson(t).dump()) << t.name << " is another table already";
    }
    const auto known = [](const std::string& need) {
      const auto all = Registry::all();
      return std::any_of(all.begin(), all.end(), [&](auto* c) { return c->name == need || c->kind.name == need; });
    };
    for (const std::string& need : d->needs) EXPECT_TRUE(known(need)) << "there is no " << need;
    for (const NeedWhile& need : d->needsWhile) {
      EXPECT_TRUE(known(need.what)) << "there is no " << need.what;
      EXPECT_NE(d->find(need.param), nullptr) << "there is no " << need.param;
    }
  }
}

TEST(Network, RefusesClassesWithoutQueues) {
  Config s;
  s.queues = {"fifo"};
  Net net(s);
  Switch& node = net.sw();
  net.link(net.host(), node);
  net.link(net.host(), node);
  EXPECT_EQ(refusal([&] { net.start(); }),
            "hosts use 2 classes, and ports of switches have queues for 1; name one for each class (s0)");

  Net rocc(Config::rocc().set("rocc_pi.cnp_class", int64_t{2}));
  Switch& other = rocc.sw();
  rocc.link(rocc.host(), other);
  rocc.link(rocc.host(), other);
  EXPECT_EQ(
      refusal([&] { rocc.start(); }),
      "rocc_pi.cnp_class is 2, and there are 2 queues, one per class (0 to 1); name one of these classes or add a "
      "queue (s0)");
}

TEST(Network, RefusesANameThatIsTaken) {
  Net net;
  net.host();
  try {
    net.own<Host>("host").join(net.network, 1, "h0");
    ADD_FAILURE() << "was not refused";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(
        e.what(),
        "two nodes are called h0: nodes are told apart, and draw their random numbers, by their names; give one "
        "of them another name");
  }
}

TEST(Network, AComponentThatOutlivesItIsNotChanged) {
  test::TestEngine engine{{}};
  const std::unique_ptr<Component> queue = Registry::find("fifo")->create();
  {
    Network network(engine, 1);
    queue->start(network);
  }
  EXPECT_EQ(refusal([&] { queue->set("limit", int64_t{5}); }),
            "fifo.limit: its network has gone; change it before the network goes");
}

TEST(Network, HasOneOfEachConfiguration) {
  Net net;
  for (int i = 0; i < 4; ++i) {
    if (i == 2) net.setup.set("host.classes", int64_t{2}).set("host.ack_every", int64_t{4});
    if (i == 3) net.setup.set("host.mtu", int64_t{9000});
    net.host();
  }
  Switch& s = net.sw();
  for (Host* h : net.hosts) net.link(*h, s);
  net.start();
  EXPECT_EQ(net.network.variants<Host>(), (std::vector<const Host*>{net.hosts[0], net.hosts[3]}));
}

TEST(Network, RefusesFlowsThatCannotBe) {
  Net net;
  Host& a = net.host();
  Host& b = net.host();
  Switch& s = net.sw();
  net.link(a, s);
  net.link(b, s);
  FlowSpec f;
  f.dst = b.id();
  f.cls = 2;
  net.flow(f);
  f.id = 1;
  f.cls = 1;
  f.start = Time::Us(10);
  f.stop = Time::Us(5);
  net.flow(f);
  f.id = 2;
  f.stop = Time::Us(10);
  net.flow(f);
  EXPECT_EQ(refusal([&] { net.start(); }),
            "flow 0: the class of a flow is 2, and there are 2 classes, numbered from 0; name one of them, or add a "
            "queue (h0); flow 1: a flow stops before it starts (h0)");
}

}  // namespace fabric
