#include "mechanisms/runner/catalog.h"

#include <set>

namespace fabric {

namespace {

Json toJson(const Value& v) {
  return std::visit([](const auto& x) { return Json(x); }, v);
}

Json toJson(const Param& p) {
  Json j{{"name", p.name}, {"type", toString(p.type)}, {"unit", p.unit}, {"default", toJson(p.def)}};
  if (p.type == ParamType::Choice) {
    j["choices"] = p.choices;
  } else if (p.type != ParamType::Bool) {
    j["min"] = toJson(p.min);
    j["max"] = toJson(p.max);
  }
  j["live"] = p.live;
  if (p.added) j["added"] = true;
  j["help"] = p.help;
  j["source"] = p.source;
  return j;
}

Json toJson(const Description& d) {
  Json j{{"name", d.name}, {"kind", toString(d.kind)}, {"title", d.title}, {"help", d.help}, {"source", d.source}};
  if (!d.needs.empty()) j["needs"] = d.needs;
  j["params"] = Json::array();
  for (const Param& p : d.params) j["params"].push_back(toJson(p));
  for (const Extension& e : d.extensions) {
    j["extensions"].push_back({{"name", e.name}, {"memory_bytes", e.memoryBytes}, {"wire", e.wire}});
  }
  for (const TableDesc& t : d.tables) j["tables"].push_back(t.name);
  return j;
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
  Json j{{"version", 1}};
  j["components"] = Json::array();
  for (const Description* d : Registry::all()) j["components"].push_back(toJson(*d));
  j["tables"] = Json::array();
  for (const TableDesc& t : standardTables()) j["tables"].push_back(toJson(t));
  std::set<std::string> written;  // several mechanisms may fill the same table
  for (const Description* d : Registry::all()) {
    for (const TableDesc& t : d->tables) {
      if (written.insert(t.name).second) j["tables"].push_back(toJson(t));
    }
  }
  return j;
}

}  // namespace fabric
