package run

import "strings"

// WithHugePages has glibc ask for huge pages in the simulator: the packets in
// flight of a large network are spread over more pages than a CPU knows by
// heart. A GLIBC_TUNABLES that is set already keeps what it says.
func WithHugePages(env []string) []string {
	const name, setting = "GLIBC_TUNABLES=", "glibc.malloc.hugetlb=1"
	env = append([]string(nil), env...)
	for i, e := range env {
		switch {
		case !strings.HasPrefix(e, name):
		case strings.Contains(e, "glibc.malloc.hugetlb"):
			return env
		default:
			env[i] = strings.TrimSuffix(e, ":") + ":" + setting
			return env
		}
	}
	return append(env, name+setting)
}
