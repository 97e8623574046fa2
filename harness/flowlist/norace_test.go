//go:build !race

package flowlist_test

// many is how many flows the tests of long flow lists have.
const many = 10_000_000
