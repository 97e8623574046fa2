//go:build race

package num_test

// many is how many problems of a kind are drawn: fewer under the race
// detector, which makes them ten times slower.
const many = 10
