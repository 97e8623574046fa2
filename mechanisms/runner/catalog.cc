#include "mechanisms/runner/catalog.h"

#include "mechanisms/core/slots.h"
#include "mechanisms/core/trace.h"

namespace fabric {

namespace {

using fabric::toJson;  // of a Value

Json toJson(const Axis& a) {
  const auto limit = [&](double x) { return a.type == ParamType::Float ? Json(x) : Json(static_cast<int64_t>(x)); };
  return Json{{"name", a.name},      {"type", toString(a.type)}, {"unit", a.unit},
              {"min", limit(a.min)}, {"max", limit(a.max)},      {"increasing", a.increasing}};
}

Json toJson(const Param& p) {
  Json j{{"name", p.name}, {"type", toString(p.type)}, {"unit", p.unit}, {"default", toJson(p.def)}};
  if (!p.choices.empty()) j["choices"] = p.choices;
  if (p.hasRange()) {
    j["min"] = toJson(p.min);
    j["max"] = toJson(p.max);
  }
  if (!p.axes.empty()) {
    for (const Axis& a : p.axes) j["axes"].push_back(toJson(a));
    j["min_entries"] = p.minEntries;
    j["max_entries"] = p.maxEntries;
  }
  for (const Relation& r : p.relations) {
    j["relations"].push_back({{"other", r.other}, {"why", r.why}});
  }
  j["live"] = p.live;
  if (p.added) j["added"] = true;
  j["help"] = p.help;
  j["source"] = p.source;
  return j;
}

Json toJson(const Description& d) {
  Json j{{"name", d.name}, {"kind", d.kind.name}, {"title", d.title}, {"help", d.help}, {"source", d.source}};
  if (!d.needs.empty()) j["needs"] = d.needs;
  for (const NeedWhile& n : d.needsWhile) {
    j["needs_while"].push_back({{"param", n.param}, {"value", n.value}, {"what", n.what}});
  }
  j["params"] = Json::array();
  for (const Param& p : d.params) j["params"].push_back(toJson(p));
  for (const Extension& e : d.extensions) {
    j["extensions"].push_back(
        {{"name", e.name}, {"memory_bytes", e.memoryBytes}, {"wire_bytes", e.wireBytes}, {"wire", e.wire}});
  }
  for (const TableDesc& t : d.tables) j["tables"].push_back(t.name);
  return j;
}

Json toJson(const Slot& s) {
  return Json{
      {"key", s.key},          {"kind", s.kind.name}, {"where", toString(s.where)}, {"count", toString(s.count)},
      {"default", s.standard}, {"help", s.help}};
}

}  // namespace

Json toJson(const TableDesc& t) {
  Json j{{"name", t.name}, {"title", t.title}, {"scope", toString(t.scope)}, {"sampled", t.sampled}};
  j["columns"] = Json::array();
  for (const Column& c : t.columns) {
    Json column{{"name", c.name}, {"type", toString(c.type)}, {"unit", c.unit}, {"help", c.help}};
    if (!c.labels.empty()) column["labels"] = c.labels;
    if (c.nodeRef) column["ref"] = "node";
    j["columns"].push_back(column);
  }
  return j;
}

Json catalog() {
  Json j{{"version", 2}};
  j["slots"] = Json::array();
  for (const Slot& s : Slots::all()) j["slots"].push_back(toJson(s));
  j["components"] = Json::array();
  for (const Description* d : Registry::all()) j["components"].push_back(toJson(*d));
  j["tables"] = Json::array();
  TraceBus bus;
  for (const Description* d : Registry::all()) {
    for (const TableDesc& t : d->tables) bus.add(t);
  }
  for (int t = 0; t < bus.size(); ++t) j["tables"].push_back(toJson(bus.desc(t)));
  return j;
}

}  // namespace fabric
