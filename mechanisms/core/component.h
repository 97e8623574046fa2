// Self-description: every component declares each of its parameters once. The engines' native attributes, the
// harness's checks and the documentation come from these declarations.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mechanisms/core/arena.h"
#include "mechanisms/core/param.h"
#include "mechanisms/core/tables.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Component;
class Host;
class Network;
class Report;
struct FlowSpec;

/// What a component is: the name of its interface. A new kind is an interface, a Kind{"its_name"} and a row in
/// the table of slots (slots.h).
struct Kind {
  const char* name;

  bool operator==(Kind o) const { return std::string_view(name) == o.name; }
  bool operator!=(Kind o) const { return !(*this == o); }

  static const Kind Node, PathSelector, Queue, PortAgent, Transport, CongestionControl, ReceiverAgent, FlowScheduler,
      Application, Utility;
};
inline constexpr Kind Kind::Node{"node"};
inline constexpr Kind Kind::PathSelector{"path_selector"};
inline constexpr Kind Kind::Queue{"queue"};
inline constexpr Kind Kind::PortAgent{"port_agent"};
inline constexpr Kind Kind::Transport{"transport"};
inline constexpr Kind Kind::CongestionControl{"congestion_control"};
inline constexpr Kind Kind::ReceiverAgent{"receiver_agent"};
inline constexpr Kind Kind::FlowScheduler{"flow_scheduler"};
inline constexpr Kind Kind::Application{"application"};
inline constexpr Kind Kind::Utility{"utility"};

/// What a mechanism adds to packets.
struct Extension {
  std::string name;
  size_t memoryBytes = 0;
  int64_t wireBytes = 0;  // the most that it adds to a frame
  std::string wire;       // what it adds, in words
};

/// A component, or a kind, that this one needs while its parameter `param` has the value `value`.
struct NeedWhile {
  std::string param, value;  // the value as text
  std::string what;
};

struct Description {
  std::string name;
  Kind kind = Kind::Node;
  std::string title;
  std::string help;
  std::string source;
  std::vector<std::string> needs;  // components that it needs, or kinds (any component of the kind will do)
  std::vector<NeedWhile> needsWhile;
  std::vector<Param> params;
  std::vector<Extension> extensions;
  std::vector<TableDesc> tables;
  std::unique_ptr<Component> (*create)() = nullptr;

  Description();
  Description(Description&&) noexcept;
  ~Description();
  const Param* find(const std::string& param) const;
};

class Component : public InArena {
 public:
  virtual ~Component() = default;
  virtual const Description& description() const = 0;

  /// Checks type and range. Once the run has begun, also relations to other parameters, and whether the parameter may
  /// change.
  void set(const Param& param, const Value& value);
  void set(const std::string& param, const Value& value);
  Value get(const Param& param) const { return param.load(*this); }
  Value get(const std::string& param) const;
  void applyDefaults();

  /// Reports what must hold before the first event and does not: relations between parameters, and to components at
  /// other places. The network is complete, and nothing has started. After a change of a live parameter only its own
  /// component is asked again, so both components check a rule between two live parameters.
  virtual void check(const Network&, Report&) const {}
  /// The same for a flow of the flow list that begins at this host. Its transport, its congestion control and all
  /// other components of the host are asked.
  virtual void checkFlow(const FlowSpec&, const Host& /*receiver*/, Report&) const {}
  /// check(), and what the description says of parameters.
  void checkAll(const Network& network, Report& report) const;
  /// Calls `tell(who, parameter, what)` for each component it needs with its present parameters; `who` is for a
  /// message, and the parameter is "" if it always needs it.
  void eachNeed(
      const std::function<void(const std::string& who, const char* param, const std::string& need)>& tell) const;

  /// Called after the checks. From now on only live parameters change. Derived values are computed in onStart.
  void start(Network& network);
  bool started() const { return startedIn_ != 0; }
  /// Emits the rows of a sampled table that the description names.
  virtual void onSample(int /*table*/) {}
  /// The run is over: the last rows of events may be written, of flows whose end has not come, for example.
  virtual void onFinish() {}

 protected:
  /// The network is complete; parameters are final but for the live ones.
  virtual void onStart(Network&) {}
  /// A live parameter changed during the run, or the rate of the link at whose port it stands.
  virtual void onChange() {}

 private:
  friend class Port;

  /// The number of the network: a pointer would make every queue and port a cache line longer.
  uint8_t startedIn_ = 0;
};

/// The part of building a description that does not depend on the component's class. It is compiled once, in
/// component.cc: repeated for each mechanism it would be the largest part of the program, and of its compile time.
class DescriptionBuilder {
 public:
  const std::string& name() const { return d_.name; }

 protected:
  DescriptionBuilder(const char* name, Kind kind, const char* title);
  ~DescriptionBuilder();

  Param& last() { return d_.params.back(); }
  void setHelp(const char* text);
  void setSource(const char* text);
  void setUnit(const char* text);
  void addNeed(const char* what);
  void addNeedWhile(const char* param, const char* value, const char* what);
  template <class T>
  void add(const char* name, T Component::*m, const T& def, const char* help, const char* source);
  void addChoice(const char* name, Choice Component::*m, std::initializer_list<const char*> choices, const char* def,
                 const char* help, const char* source);
  void addRange(double lo, double hi);
  void addAxis(const char* name, ParamType type, double lo, double hi);
  void addRelation(const char* other, const char* why);
  void addExtension(const char* name, size_t memoryBytes, int64_t wireBytes, const char* wire);
  void addTable(const TableDesc& table);

  Description d_;

 private:
  Param& add(const char* name, ParamType type, const Value& def, const char* help, const char* source);
};

/// Whether a member of type T can be a parameter. A choice is another matter.
template <class T>
inline constexpr bool canBeParam = std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
                                   std::is_same_v<T, Time> || std::is_same_v<T, Rate> || std::is_same_v<T, Bytes> ||
                                   std::is_same_v<T, std::vector<double>> || std::is_same_v<T, Curve>;

/// Builds a description; see any mechanism's describe() for its use.
template <class C>
class Describe : public DescriptionBuilder {
 public:
  Describe(const char* name, Kind kind, const char* title) : DescriptionBuilder(name, kind, title) {}
  Describe& help(const char* text) { return setHelp(text), *this; }
  Describe& source(const char* text) { return setSource(text), *this; }
  /// Another component that must be there too, or any one of a kind; a network without it is refused.
  Describe& needs(const char* what) { return addNeed(what), *this; }
  /// The same, while a parameter has this value.
  Describe& needsWhile(const char* param, const char* value, const char* what) {
    return addNeedWhile(param, value, what), *this;
  }

  /// `m` is a member of C or of a base of it.
  template <class T, class Base>
  Describe& param(const char* name, T Base::*m, const std::common_type_t<T>& def, const char* help,
                  const char* source) {
    static_assert(canBeParam<T>, "a parameter's member has another type than canBeParam and Choice");
    return add(name, static_cast<T Component::*>(static_cast<T C::*>(m)), def, help, source), *this;
  }
  Describe& param(const char* name, Choice C::*m, std::initializer_list<const char*> choices, const char* def,
                  const char* help, const char* source) {
    return addChoice(name, static_cast<Choice Component::*>(m), choices, def, help, source), *this;
  }

  // Of the parameter just declared:
  Describe& range(double lo, double hi) { return addRange(lo, hi), *this; }
  /// Of a list: what its numbers are; for a curve, once for x and once for y.
  Describe& axis(const char* name, ParamType type, double lo, double hi) { return addAxis(name, type, lo, hi), *this; }
  /// The numbers of the last axis grow from entry to entry.
  Describe& increasing() { return last().axes.back().increasing = true, *this; }
  /// How many entries a list may have.
  Describe& entries(size_t least, size_t most) {
    last().minEntries = least;
    last().maxEntries = most;
    return *this;
  }
  /// Its value must not exceed that of another parameter of the component. `why` goes into the message, such as
  /// "the table has no such entry".
  Describe& atMost(const char* other, const char* why) { return addRelation(other, why), *this; }
  Describe& unit(const char* text) { return setUnit(text), *this; }
  Describe& live() { return last().live = true, *this; }
  /// The parameter was added to a mechanism with earlier results, and its default reproduces them. Scenarios leave it
  /// out at its default, so their hashes do not change.
  Describe& added() { return last().added = true, *this; }

  /// `wireBytes`: the most that the extension adds to a frame; ports keep headroom for it.
  Describe& extension(const char* name, size_t memoryBytes, int64_t wireBytes, const char* wire) {
    return addExtension(name, memoryBytes, wireBytes, wire), *this;
  }
  /// A trace table of its own: its rows are TraceBus::emit.
  template <class... T>
  Describe& table(const Table<T...>& t) {
    return addTable(t), *this;
  }

  Description done() {
    if constexpr (std::is_default_constructible_v<C>) {
      d_.create = []() -> std::unique_ptr<Component> {
        auto c = std::make_unique<C>();
        c->applyDefaults();
        return c;
      };
    }
    return std::move(d_);
  }
};

/// All components linked into the program.
class Registry {
 public:
  static void add(const Description& (*describe)());
  /// Sorted by name.
  static std::vector<const Description*> all();
  static const Description* find(const std::string& name);
};

/// A component with its defaults, as the registry makes it.
template <class C>
std::unique_ptr<C> make() {
  auto c = std::make_unique<C>();
  c->applyDefaults();
  return c;
}

struct Registrar {
  explicit Registrar(const Description& (*describe)()) { Registry::add(describe); }
};

/// In the .cc file of a component: registers it when the program starts, before the engines' own
/// initialisers of default priority look at the registry.
#define FABRIC_REGISTER(Class) \
  static const ::fabric::Registrar registrar_##Class __attribute__((init_priority(1000))) (&Class::describe)

}  // namespace fabric
