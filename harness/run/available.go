package run

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// availableMemory is what new processes can use without swapping, in bytes:
// the machine's free and reclaimable memory, or what the control group of this
// process has left if that is less. It is unlimited where the operating system
// does not say it.
func availableMemory() int64 { return availableIn("/") }

func availableIn(root string) int64 {
	available := int64(math.MaxInt64)
	if kib, ok := field(filepath.Join(root, "proc/meminfo"), "MemAvailable:"); ok {
		available = kib << 10
	}
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return available
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			available = min(available, groupLeft(filepath.Join(root, "sys/fs/cgroup"), parts[2], "memory.max", "memory.current", "inactive_file"))
		case strings.Contains(","+parts[1]+",", ",memory,"):
			available = min(available, groupLeft(filepath.Join(root, "sys/fs/cgroup/memory"), parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return max(0, available)
}

// groupLeft is the least that a control group and those above it have left.
// What their files hold in the page cache and nobody uses does not count.
func groupLeft(hierarchy, group, limitFile, usageFile, cacheField string) int64 {
	left := int64(math.MaxInt64)
	for {
		dir := filepath.Join(hierarchy, group)
		limit, limited := number(filepath.Join(dir, limitFile))
		usage, known := number(filepath.Join(dir, usageFile))
		if limited && known {
			cache, _ := field(filepath.Join(dir, "memory.stat"), cacheField)
			left = min(left, limit-max(0, usage-cache))
		}
		if group == "/" || group == "." || group == "" {
			return left
		}
		group = filepath.Dir(group)
	}
}

// number reads a file that holds one number; "max" is none.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// field reads the number behind a name in a file of names and numbers.
func field(path, name string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
