// Writes rows as the trace stream of docs/formats.md.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/core/trace.h"

namespace fabric {

class TraceStream final : public RowSink {
 public:
  /// Opens the file and writes the header for the tables that are on in `bus`, and becomes their sink.
  TraceStream(const std::string& file, TraceBus& bus);
  ~TraceStream() override;

  void row(int table, const Cell* cells) override;
  /// Writes what is buffered and the end block; without it the stream counts as cut short.
  void close();

 private:
  struct Table {
    uint32_t index = 0;  // in the stream
    uint32_t rows = 0;
    uint64_t total = 0;
    std::vector<size_t> widths;
    std::vector<std::vector<char>> columns;
  };
  void flush(Table& table);
  void write(const void* data, size_t bytes);

  std::string file_;
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> out_;
  std::vector<Table> tables_;
  std::vector<int> slot_;  // by table of the bus: place in tables_
  std::vector<char> payload_;
};

}  // namespace fabric
