package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHugePagesLeaveOtherTunables(t *testing.T) {
	for given, want := range map[string]string{
		"GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA":     "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA:glibc.malloc.hugetlb=1",
		"GLIBC_TUNABLES=glibc.malloc.hugetlb=0":    "GLIBC_TUNABLES=glibc.malloc.hugetlb=0",
		"GLIBC_TUNABLES=glibc.malloc.arena_max=1:": "GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1",
	} {
		assert.Equal(t, []string{"A=b", want}, WithHugePages([]string{"A=b", given}))
	}
	assert.Equal(t, []string{"A=b", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}, WithHugePages([]string{"A=b"}))
}
