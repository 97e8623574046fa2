// Self-description: every parameter of every component is declared once, here the engines' native
// attributes, the harness's validation and the documentation come from.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "mechanisms/core/tables.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Component;
class Network;

/// Where a component plugs in.
enum class Kind { Node, PathSelector, Queue, PortAgent, Transport, CongestionControl, ReceiverAgent, Allocator };
const char* toString(Kind kind);

enum class ParamType { Bool, Int, Float, Time, Rate, Bytes, Choice };
const char* toString(ParamType type);

/// A parameter's value outside of its component: times in ps, rates in bit/s, sizes in bytes.
using Value = std::variant<bool, int64_t, double, std::string>;

/// An index into a parameter's list of choices.
struct Choice {
  int index = 0;
};

struct Param {
  std::string name;
  ParamType type = ParamType::Int;
  std::string unit;
  Value def;
  Value min, max;  // inclusive; unused for Bool and Choice
  std::vector<std::string> choices;
  std::string help;
  std::string source;
  bool live = false;
  bool added = false;  // behind others: see Describe::added()
  std::function<void(Component&, const Value&)> store;
  std::function<Value(const Component&)> load;
};

/// What a mechanism adds to packets.
struct Extension {
  std::string name;
  size_t memoryBytes = 0;
  std::string wire;
};

struct Description {
  std::string name;
  Kind kind = Kind::Node;
  std::string title;
  std::string help;
  std::string source;
  std::vector<std::string> needs;  // components without which it does not work
  std::vector<Param> params;
  std::vector<Extension> extensions;
  std::vector<TableDesc> tables;
  std::function<std::unique_ptr<Component>()> create;

  const Param* find(const std::string& param) const;
};

/// Raised for a value that a parameter does not take; the text names both.
class ParamError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Component {
 public:
  virtual ~Component() = default;
  virtual const Description& description() const = 0;

  /// Checks type, range and, once the run has begun, whether the parameter may still change.
  void set(const Param& param, const Value& value);
  void set(const std::string& param, const Value& value);
  Value get(const Param& param) const { return param.load(*this); }
  Value get(const std::string& param) const;
  void applyDefaults();

  /// From now on only live parameters change. Derived values are computed in onStart.
  void start(Network& network);
  bool started() const { return started_; }

 protected:
  /// The network is complete; parameters are final but for the live ones.
  virtual void onStart(Network&) {}
  /// A live parameter changed during the run.
  virtual void onChange() {}

 private:
  bool started_ = false;
};

/// Builds a description; see any mechanism's describe() for its use.
template <class C>
class Describe {
 public:
  Describe(const char* name, Kind kind, const char* title) {
    d_.name = name;
    d_.kind = kind;
    d_.title = title;
  }
  Describe& help(const char* text) { return d_.help = text, *this; }
  Describe& source(const char* text) { return d_.source = text, *this; }
  /// Another component that must be there too; a network without it is refused.
  Describe& needs(const char* component) { return d_.needs.push_back(component), *this; }

  Describe& param(const char* name, bool C::*m, bool def, const char* help, const char* source) {
    add(name, ParamType::Bool, "", def, help, source);
    bind([m](C& c, const Value& v) { c.*m = std::get<bool>(v); }, [m](const C& c) { return Value(c.*m); });
    return *this;
  }
  Describe& param(const char* name, int64_t C::*m, int64_t def, const char* help, const char* source) {
    addInt(name, ParamType::Int, "1", def, help, source);
    bind([m](C& c, const Value& v) { c.*m = std::get<int64_t>(v); }, [m](const C& c) { return Value(c.*m); });
    return *this;
  }
  Describe& param(const char* name, double C::*m, double def, const char* help, const char* source) {
    add(name, ParamType::Float, "1", def, help, source);
    last().min = -std::numeric_limits<double>::max();
    last().max = std::numeric_limits<double>::max();
    bind([m](C& c, const Value& v) { c.*m = std::get<double>(v); }, [m](const C& c) { return Value(c.*m); });
    return *this;
  }
  Describe& param(const char* name, Time C::*m, Time def, const char* help, const char* source) {
    addInt(name, ParamType::Time, "ps", def.ps, help, source);
    last().max = kLongestTime.ps;
    bind([m](C& c, const Value& v) { c.*m = Time{std::get<int64_t>(v)}; },
         [m](const C& c) { return Value((c.*m).ps); });
    return *this;
  }
  Describe& param(const char* name, Rate C::*m, Rate def, const char* help, const char* source) {
    addInt(name, ParamType::Rate, "bit/s", def.bps, help, source);
    bind([m](C& c, const Value& v) { c.*m = Rate{std::get<int64_t>(v)}; },
         [m](const C& c) { return Value((c.*m).bps); });
    return *this;
  }
  Describe& param(const char* name, Bytes C::*m, Bytes def, const char* help, const char* source) {
    addInt(name, ParamType::Bytes, "B", def.n, help, source);
    bind([m](C& c, const Value& v) { c.*m = Bytes{std::get<int64_t>(v)}; },
         [m](const C& c) { return Value((c.*m).n); });
    return *this;
  }
  Describe& param(const char* name, Choice C::*m, std::vector<std::string> choices, const char* def, const char* help,
                  const char* source) {
    add(name, ParamType::Choice, "", std::string(def), help, source);
    last().choices = choices;
    bind(
        [m, choices](C& c, const Value& v) {
          for (size_t i = 0; i < choices.size(); ++i) {
            if (choices[i] == std::get<std::string>(v)) (c.*m).index = static_cast<int>(i);
          }
        },
        [m, choices](const C& c) { return Value(choices[(c.*m).index]); });
    return *this;
  }

  // Of the parameter just declared:
  Describe& range(double lo, double hi) {
    if (last().type == ParamType::Float) {
      last().min = lo;
      last().max = hi;
    } else {
      last().min = static_cast<int64_t>(lo);
      last().max = static_cast<int64_t>(hi);
    }
    return *this;
  }
  Describe& unit(const char* text) { return last().unit = text, *this; }
  Describe& live() { return last().live = true, *this; }
  /// It came when there were results of the mechanism already, and its default is what they were made with: a
  /// scenario does not name it at its default, and so is still the one that it was.
  Describe& added() { return last().added = true, *this; }

  Describe& extension(const char* name, size_t memoryBytes, const char* wire) {
    d_.extensions.push_back({name, memoryBytes, wire});
    return *this;
  }
  Describe& table(TableDesc t) { return d_.tables.push_back(std::move(t)), *this; }

  const std::string& name() const { return d_.name; }

  Description done() {
    if constexpr (std::is_default_constructible_v<C>) {
      d_.create = [] {
        auto c = std::make_unique<C>();
        c->applyDefaults();
        return c;
      };
    }
    return std::move(d_);
  }

 private:
  Param& last() { return d_.params.back(); }
  void add(const char* name, ParamType type, const char* unit, Value def, const char* help, const char* source) {
    Param p;
    p.name = name;
    p.type = type;
    p.unit = unit;
    p.def = std::move(def);
    p.help = help;
    p.source = source;
    d_.params.push_back(std::move(p));
  }
  void addInt(const char* name, ParamType type, const char* unit, int64_t def, const char* help, const char* source) {
    add(name, type, unit, def, help, source);
    last().min = int64_t{0};
    last().max = int64_t{1} << 53;  // exact in every JSON reader
  }
  template <class Store, class Load>
  void bind(Store store, Load load) {
    last().store = [store](Component& c, const Value& v) { store(static_cast<C&>(c), v); };
    last().load = [load](const Component& c) { return load(static_cast<const C&>(c)); };
  }

  Description d_;
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
