#include "mechanisms/runner/options.h"

#include <cstdlib>

#include "mechanisms/runner/scenario.h"

namespace fabric {

void parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    std::exit(app.exit(e));
  } catch (const CLI::ParseError& e) {
    throw InputError(app.get_description() + "\n" + e.what());
  }
}

void RunOptions::addTo(CLI::App& app) {
  app.add_option("--scenario", scenario, "scenario.json of a run")->required();
  app.add_option("--trace", trace, "where the trace stream goes");
  app.add_option("--summary", summary, "where the summary goes");
  app.add_option("--progress-ms", progressMs, "milliseconds between two lines of progress; 0 is none")
      ->check(CLI::Range(int64_t{0}, int64_t{86400000}));
  app.add_option("--order", order, "of events: node by node, or by time alone")->check(CLI::IsMember({"node", "time"}));
}

}  // namespace fabric
