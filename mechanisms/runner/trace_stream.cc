#include "mechanisms/runner/trace_stream.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "mechanisms/runner/catalog.h"

namespace fabric {

namespace {
constexpr uint32_t kRowsPerBlock = 8192;
}

TraceStream::TraceStream(const std::string& file, TraceBus& bus) : file_(file), out_(std::fopen(file.c_str(), "wb")) {
  if (!out_) throw std::runtime_error("trace " + file + ": " + std::strerror(errno));
  Json header{{"version", 1}, {"tables", Json::array()}};
  slot_.assign(bus.size(), -1);
  for (int t = 0; t < bus.size(); ++t) {
    if (!bus.on(t)) continue;
    slot_[t] = static_cast<int>(tables_.size());
    Table table;
    table.index = static_cast<uint32_t>(tables_.size());
    for (const Column& c : bus.desc(t).columns) {
      table.widths.push_back(width(c.type));
      table.columns.emplace_back(kRowsPerBlock * width(c.type));
    }
    tables_.push_back(std::move(table));
    header["tables"].push_back(toJson(bus.desc(t)));
    bus.addSink(t, this);
  }
  const std::string text = header.dump();
  const auto length = static_cast<uint32_t>(text.size());
  write("FABTRC01", 8);
  write(&length, sizeof length);
  write(text.data(), text.size());
}

TraceStream::~TraceStream() = default;

void TraceStream::write(const void* data, size_t bytes) {
  if (std::fwrite(data, 1, bytes, out_.get()) != bytes) {
    throw std::runtime_error("trace " + file_ + ": cannot be written: " + std::strerror(errno));
  }
}

void TraceStream::row(int table, const Cell* cells) {
  Table& t = tables_[slot_[table]];
  for (size_t c = 0; c < t.widths.size(); ++c) {
    // Little-endian: a value's low bytes come first, whatever its width.
    std::memcpy(t.columns[c].data() + t.rows * t.widths[c], &cells[c].bits, t.widths[c]);
  }
  if (++t.rows == kRowsPerBlock) flush(t);
}

void TraceStream::flush(Table& t) {
  if (t.rows == 0) return;
  payload_.clear();
  for (size_t c = 0; c < t.widths.size(); ++c) {
    payload_.insert(payload_.end(), t.columns[c].begin(), t.columns[c].begin() + t.rows * t.widths[c]);
  }
  const uint32_t crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(payload_.data()), static_cast<uInt>(payload_.size())));
  const uint32_t head[4] = {t.index, t.rows, static_cast<uint32_t>(payload_.size()), crc};
  write("FBLK", 4);
  write(head, sizeof head);
  write(payload_.data(), payload_.size());
  t.total += t.rows;
  t.rows = 0;
}

void TraceStream::close() {
  Json rows = Json::array();
  for (Table& t : tables_) {
    flush(t);
    rows.push_back(t.total);
  }
  const std::string text = Json{{"rows", rows}}.dump();
  const uint32_t head[2] = {
      static_cast<uint32_t>(text.size()),
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())))};
  write("FEND", 4);
  write(head, sizeof head);
  write(text.data(), text.size());
  if (std::fflush(out_.get()) != 0) {
    throw std::runtime_error("trace " + file_ + ": cannot be written: " + std::strerror(errno));
  }
}

}  // namespace fabric
