package run

import (
	"bytes"
	"os"
	"strconv"
)

// peakMemory is the largest resident set of a process so far, in bytes; 0 if
// the process is gone. The operating system's own count (ru_maxrss) starts with
// the size of the process that forked: by it a small simulator would be as
// large as the harness.
func peakMemory(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(text, []byte("\nVmHWM:"))
	if !found {
		return 0
	}
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
