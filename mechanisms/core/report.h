// What is wrong with a network before it starts. Components say it in check(); a run then does not begin, and
// `fabriclab validate` shows all of it, and what it warns of (runner/check.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fabric {

class Component;
class Network;

/// Where a problem can be mended.
struct Spot {
  Spot(const Component& component, const char* param = "") : component(&component), param(param) {}
  /// A slot that has not what it should have, by its key.
  static Spot slot(std::string key) { return {Kind::Slot, std::move(key)}; }
  static Spot topology() { return {Kind::Topology, ""}; }
  /// What the workload says of the flow: "class", "connections", "group"; "" is the flow itself.
  static Spot flow(std::string field = "") { return {Kind::Flow, std::move(field)}; }

  enum class Kind : uint8_t { Component, Slot, Topology, Flow };
  Kind kind = Kind::Component;
  const Component* component = nullptr;
  std::string param;  // of the component, the slot's key, or the field

 private:
  Spot(Kind kind, std::string name) : kind(kind), param(std::move(name)) {}
};

struct Problem {
  std::string text;             // a sentence that says what to do, without the names of nodes
  std::vector<Spot> places;     // the likeliest mistake first
  uint32_t group;               // of the nodes: see Report::Groups
  std::vector<uint32_t> nodes;  // sorted
  uint32_t flow;                // number of the first flow that has it; kNoFlow: it is about none
};

class Report {
 public:
  static constexpr uint32_t kNoFlow = ~uint32_t{0};
  /// By node: nodes of a group are configured alike, and are told of once. Empty: all are one group.
  using Groups = std::vector<uint32_t>;

  explicit Report(Groups groups = {}) : groups_(std::move(groups)) {}
  /// What follows is about this node, and this flow.
  void at(uint32_t node, uint32_t flow = kNoFlow) {
    node_ = node;
    flow_ = flow;
  }
  void refuse(std::string text, std::vector<Spot> places) { add(problems_, std::move(text), std::move(places)); }
  /// It starts, and is likely a mistake.
  void warn(std::string text, std::vector<Spot> places) { add(warnings_, std::move(text), std::move(places)); }
  /// Whether nothing is refused.
  bool empty() const { return problems_.empty(); }
  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<Problem>& warnings() const { return warnings_; }
  /// All problems in one line, for the message of an error.
  std::string text(const Network& network) const;

 private:
  void add(std::vector<Problem>& list, std::string text, std::vector<Spot> places);

  Groups groups_;
  uint32_t node_ = 0, flow_ = kNoFlow;
  std::vector<Problem> problems_, warnings_;
};

}  // namespace fabric
