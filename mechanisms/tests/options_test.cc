#include "mechanisms/runner/options.h"

#include <gtest/gtest.h>

#include <vector>

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
    Options options("usage: program");
    run.addTo(options);
    options.flag("--fast", fast).number("--factor", factor, 0.5).parse(static_cast<int>(argv.size()), argv.data());
  }
};

TEST(Options, AreTakenInAnyOrder) {
  const Given g({"--fast", "--order", "time", "--progress-ms", "0", "--scenario", "s.json", "--factor", "2.5"});
  EXPECT_EQ(g.run.scenario, "s.json");
  EXPECT_EQ(g.run.trace, "");
  EXPECT_EQ(g.run.progressMs, 0);
  EXPECT_FALSE(g.run.nodeByNode);
  EXPECT_TRUE(g.fast);
  EXPECT_EQ(g.factor, 2.5);
}

TEST(Options, AreRefusedWithTheReasonLast) {
  const struct {
    std::vector<std::string> words;
    const char* reason;
  } wrong[] = {
      {{}, "--scenario is missing"},
      {{"--scenario"}, "--scenario needs a value"},
      {{"--scenario", "s", "--slow"}, "unknown option --slow"},
      {{"--scenario", "s", "extra"}, "unknown option extra"},
      {{"--scenario", "s", "--order", "any"}, "--order any: must be one of node, time"},
      {{"--scenario", "s", "--progress-ms", "1s"}, "--progress-ms 1s: must be a number, at least 0"},
      {{"--scenario", "s", "--progress-ms", "-1"}, "--progress-ms -1: must be a number, at least 0"},
      {{"--scenario", "s", "--threads", "65"}, "--threads 65: must be a number, at least 1 and at most 64"},
      {{"--scenario", "s", "--factor", "0.25"}, "--factor 0.25: must be a number, at least 0.500000"},
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
