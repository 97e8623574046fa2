// The model's measurements as OMNeT++ signals: one per column of every table, so that they show the
// same series as the trace stream.
#pragma once

#include <omnetpp.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/trace.h"

namespace fabriclab {

class NodeModule;

/// A flow list that remembers, if asked to, which host its flows start at.
class FlowSources final : public fabric::FlowFeed {
 public:
  explicit FlowSources(std::unique_ptr<fabric::FlowFeed> feed) : feed_(std::move(feed)) {}
  void remember() { remember_ = true; }
  uint32_t of(uint32_t flow) const { return sources_.at(flow); }

  const fabric::FlowSpec* peek() override {
    const fabric::FlowSpec* next = feed_->peek();
    if (remember_ && next != nullptr) sources_[next->id] = next->src;
    return next;
  }
  void pop() override { feed_->pop(); }
  uint64_t measured() const override { return feed_->measured(); }
  std::unique_ptr<fabric::FlowFeed> again() const override { return feed_->again(); }
  bool hasDependencies() const override { return feed_->hasDependencies(); }
  const std::vector<fabric::Dependency>& after() const override { return feed_->after(); }

 private:
  std::unique_ptr<fabric::FlowFeed> feed_;
  bool remember_ = false;
  std::unordered_map<uint32_t, uint32_t> sources_;
};

/// The whole row, as the details object of each of its signals.
class TraceRow final : public omnetpp::cObject {
 public:
  TraceRow(const fabric::TableDesc& table, const fabric::Cell* cells) : table(table), cells(cells) {}
  std::string str() const override;

  const fabric::TableDesc& table;
  const fabric::Cell* const cells;  // one per column
};

/// Emits the rows of all tables that are on. A row is about a class of a port, a port, or a node; one that names only
/// a flow is about the flow's source. The module that emits it is the port's queue of this class, the port or the
/// node; for a mechanism's own table it is the mechanism that stands there.
class SignalSink final : public fabric::RowSink {
 public:
  SignalSink(fabric::TraceBus& bus, std::vector<NodeModule*> nodes, FlowSources& flows);
  void row(int table, const fabric::Cell* cells) override;

 private:
  struct Table {
    const fabric::TableDesc* desc = nullptr;
    std::vector<omnetpp::simsignal_t> signals;       // by column; SIMSIGNAL_NULL where it is a place
    int node = -1, flow = -1, port = -1, cls = -1;   // columns
    std::vector<const fabric::Description*> makers;  // the mechanisms whose own it is; none: a standard table
  };
  omnetpp::cModule& moduleOf(const Table& table, const fabric::Cell* cells) const;

  std::vector<NodeModule*> nodes_;
  const FlowSources& flows_;
  std::vector<Table> tables_;
};

}  // namespace fabriclab
