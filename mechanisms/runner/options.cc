#include "mechanisms/runner/options.h"

#include <charconv>
#include <cstdlib>

namespace fabric {

namespace {

template <class T>
bool readAll(const std::string& text, T& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

bool Options::read(const std::string& text, int64_t& number) { return readAll(text, number); }
bool Options::read(const std::string& text, uint64_t& number) { return readAll(text, number); }
bool Options::read(const std::string& text, uint32_t& number) { return readAll(text, number); }
bool Options::read(const std::string& text, double& number) { return readAll(text, number); }

Options& Options::add(const std::string& name, Take take) {
  options_[name].take = std::move(take);
  return *this;
}

Options& Options::flag(const std::string& name, bool& variable) {
  add(name, [&variable](const std::string&) { return variable = true, std::string(); });
  options_[name].hasValue = false;
  return *this;
}

Options& Options::required(const std::string& name) {
  options_[name].required = true;
  return *this;
}

void Options::refuse(const std::string& why) const { throw InputError(usage_ + "\n" + why); }

void Options::parse(int argc, char** argv) const {
  std::map<std::string, bool> given;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto found = options_.find(name);
    if (found == options_.end()) refuse("unknown option " + name);
    const Option& option = found->second;
    if (option.hasValue && i + 1 == argc) refuse(name + " needs a value");
    const std::string value = option.hasValue ? argv[++i] : "";
    const std::string wrong = option.take(value);
    if (!wrong.empty()) refuse(name + " " + value + ": " + wrong);
    given[name] = true;
  }
  for (const auto& [name, option] : options_) {
    if (option.required && !given[name]) refuse(name + " is missing");
  }
}

void RunOptions::addTo(Options& options) {
  options.text("--scenario", scenario).required("--scenario").text("--trace", trace).text("--summary", summary);
  options.number("--progress-ms", progressMs, int64_t{0});
  options.choice("--order", nodeByNode, {{"node", true}, {"time", false}});
  options.number("--threads", threads, uint32_t{1}, kMostLanes);
  if (const char* given = std::getenv("FABRIC_LEAST_EVENTS"); given != nullptr && !readAll(given, leastEvents)) {
    throw InputError(std::string("FABRIC_LEAST_EVENTS=") + given + ": give a number of events");
  }
}

}  // namespace fabric
