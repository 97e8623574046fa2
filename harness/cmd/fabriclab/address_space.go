//go:build cgo

package main

/*
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

// Before Go's own start, which ends in a dump of registers where it cannot
// reserve its address space.
__attribute__((constructor)) static void check_address_space(void) {
	const unsigned long long least = 2000000000ULL;
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least) {
		return;
	}
	fprintf(stderr, "fabriclab: virtual memory is limited to %llu KB (ulimit -v), and Go needs %llu KB of it, used or not; "
		"raise the limit, and bound what simulations use with --memory-limit\n",
		(unsigned long long)limit.rlim_cur / 1024, least / 1024);
	exit(1);
}
*/
import "C"
