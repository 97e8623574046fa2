// The command line of the programs: --name value, and --name alone.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>

#include "mechanisms/core/lane.h"
#include "mechanisms/runner/scenario.h"

namespace fabric {

/// Each option is bound to a variable. parse() throws InputError whose last line says what is wrong.
class Options {
 public:
  explicit Options(std::string usage) : usage_(std::move(usage)) {}

  Options& text(const std::string& name, std::string& variable) {
    return add(name, [&variable](const std::string& value) { return variable = value, std::string(); });
  }
  /// A whole number or, for double, any.
  template <class T>
  Options& number(const std::string& name, T& variable, T least, T most = std::numeric_limits<T>::max()) {
    return add(name, [&variable, least, most](const std::string& value) -> std::string {
      if (read(value, variable) && variable >= least && variable <= most) return "";
      const std::string limit = most == std::numeric_limits<T>::max() ? "" : " and at most " + std::to_string(most);
      return "must be a number, at least " + std::to_string(least) + limit;
    });
  }
  /// One of some words.
  template <class T>
  Options& choice(const std::string& name, T& variable, const std::map<std::string, T>& words) {
    return add(name, [&variable, words](const std::string& value) {
      std::string known;
      for (const auto& [word, meaning] : words) {
        if (word == value) return variable = meaning, std::string();
        known += (known.empty() ? "must be one of " : ", ") + word;
      }
      return known;
    });
  }
  /// Takes no value; true where it is given.
  Options& flag(const std::string& name, bool& variable);
  /// This option has to be given.
  Options& required(const std::string& name);

  void parse(int argc, char** argv) const;

 private:
  /// What is wrong with the value; nothing where it was taken.
  using Take = std::function<std::string(const std::string& value)>;
  struct Option {
    Take take;
    bool hasValue = true, required = false;
  };
  Options& add(const std::string& name, Take take);
  [[noreturn]] void refuse(const std::string& why) const;

  static bool read(const std::string& text, int64_t& number);
  static bool read(const std::string& text, uint64_t& number);
  static bool read(const std::string& text, uint32_t& number);
  static bool read(const std::string& text, double& number);

  std::string usage_;
  std::map<std::string, Option> options_;
};

/// What the runners of all engines take.
struct RunOptions {
  std::string scenario, trace, summary;
  int64_t progressMs = 500;
  bool nodeByNode = true;
  uint32_t threads = 1;
  /// Of a thread in a window, to run beside others whatever it takes. FABRIC_LEAST_EVENTS says it for tests, which are
  /// about few events.
  uint64_t leastEvents = kLeastEvents;

  /// Adds them to others that an engine has.
  void addTo(Options& options);
};

}  // namespace fabric
