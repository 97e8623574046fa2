#include "mechanisms/runner/options.h"

#include <gtest/gtest.h>

#include <vector>

#include "mechanisms/runner/scenario.h"

namespace fabric {
namespace {

struct Given {
  RunOptions run;
  bool fast = false;
  double factor = 1;

  explicit Given(std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    CLI::App app("usage: program");
    run.addTo(app);
    app.add_flag("--fast", fast);
    app.add_option("--factor", factor)->check(CLI::Range(0.5, 10.0));
    parse(app, static_cast<int>(argv.size()), argv.data());
  }
};

TEST(Options, AreTakenInAnyOrder) {
  const Given g({"--fast", "--order", "time", "--progress-ms", "0", "--scenario", "s.json", "--factor", "2.5"});
  EXPECT_EQ(g.run.scenario, "s.json");
  EXPECT_EQ(g.run.trace, "");
  EXPECT_EQ(g.run.progressMs, 0);
  EXPECT_FALSE(g.run.nodeByNode());
  EXPECT_TRUE(g.fast);
  EXPECT_EQ(g.factor, 2.5);
  EXPECT_TRUE(Given({"--scenario", "s", "--order", "node"}).run.nodeByNode());
  EXPECT_TRUE(Given({"--scenario", "s"}).run.nodeByNode());
}

TEST(Options, AreRefusedWithTheReasonLast) {
  const struct {
    std::vector<std::string> words;
    const char* reason;
  } wrong[] = {
      {{}, "--scenario is required"},
      {{"--scenario"}, "--scenario: 1 required TEXT missing"},
      {{"--scenario", "s", "--slow"}, "The following argument was not expected: --slow"},
      {{"--scenario", "s", "extra"}, "The following argument was not expected: extra"},
      {{"--scenario", "s", "--order", "any"}, "--order: any not in {node,time}"},
      {{"--scenario", "s", "--progress-ms", "1s"}, "--progress-ms: Value 1s not in range 0 to 86400000"},
      {{"--scenario", "s", "--progress-ms", "-1"}, "--progress-ms: Value -1 not in range 0 to 86400000"},
      {{"--scenario", "s", "--factor", "0.25"}, "--factor: Value 0.25 not in range 0.500000 to 10.000000"},
  };
  for (const auto& [words, reason] : wrong) {
    try {
      Given{words};
      ADD_FAILURE() << reason;
    } catch (const InputError& e) {
      EXPECT_EQ(e.what(), std::string("usage: program\n") + reason);
    }
  }
}

}  // namespace
}  // namespace fabric
