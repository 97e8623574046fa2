// Which folders of mechanisms/ need which: core is the bottom, runner the top, and no two need each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fabric {
namespace {

/// By folder the others that its files include something of. Tests and tools use everything.
std::map<std::string, std::set<std::string>> needs() {
  namespace fs = std::filesystem;
  const std::regex include(R"re(#include "mechanisms/(\w+)/)re");
  std::map<std::string, std::set<std::string>> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(FABRIC_SOURCES) / "mechanisms")) {
    const std::string folder = entry.path().parent_path().filename();
    const std::string ending = entry.path().extension();
    if ((ending != ".h" && ending != ".cc") || folder == "tests" || folder == "tools") continue;
    auto& others = found[folder];
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include) && match[1] != folder) others.insert(match[1]);
    }
  }
  return found;
}

TEST(Folders, NoTwoNeedEachOther) {
  const auto all = needs();
  ASSERT_GT(all.size(), 10u) << "no sources in " << FABRIC_SOURCES;
  std::set<std::string> done;
  std::vector<std::string> way;
  const std::function<void(const std::string&)> visit = [&](const std::string& folder) {
    const auto at = std::find(way.begin(), way.end(), folder);
    if (at != way.end()) {
      std::string circle;
      for (auto i = at; i != way.end(); ++i) circle += *i + " needs ";
      ADD_FAILURE() << circle << folder << ": move what both use into a folder of its own";
      return;
    }
    if (!done.insert(folder).second) return;
    way.push_back(folder);
    for (const std::string& other : all.at(folder)) visit(other);
    way.pop_back();
  };
  for (const auto& [folder, others] : all) visit(folder);
}

TEST(Folders, CoreIsTheBottomAndRunnerTheTop) {
  const auto all = needs();
  EXPECT_EQ(all.at("core"), std::set<std::string>{});
  // An engine stands above both.
  for (const auto& [folder, others] : all) EXPECT_EQ(others.count("runner"), folder == "plain" ? 1u : 0u) << folder;
}

}  // namespace
}  // namespace fabric
