//go:build race

package flowlist_test

// many is how many flows the tests of long flow lists have: fewer under the
// race detector, which makes them ten times slower.
const many = 1_000_000
