package bench

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"

	"fabriclab/base/file"
)

// block is the table of speeds on a page.
var block = regexp.MustCompile(`(?s)(<!-- bench -->\n).*?(<!-- /bench -->)`)

// renew puts the loads' speeds between a page's markers.
func renew(path, version string, loads []speed) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parts := block.FindSubmatchIndex(text)
	if parts == nil {
		return errors.New(path + ": it has no place for the table; add the lines <!-- bench --> and <!-- /bench -->")
	}
	page := string(text[:parts[3]]) + markdown(version, processor(), loads) + string(text[parts[4]:])
	return file.Write(path, []byte(page), 0o666)
}

func markdown(version, processor string, loads []speed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "At commit `%s`, %d cores of %s:\n\n", version, runtime.NumCPU(), processor)
	b.WriteString("| load | engine | threads | million packet-hops per CPU second | per second | peak memory |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, s := range loads {
		load, _, _ := strings.Cut(s.Run, " "+s.Engine+" seed")
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f | %.1f | %.0f MB |\n",
			load, s.Engine, s.Threads, s.HopsPerCPUSecond/1e6, s.HopsPerSecond/1e6, float64(s.PeakRSSBytes)/1e6)
	}
	return b.String()
}

// processor is the name that Linux has for it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, name, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return runtime.GOARCH
}
