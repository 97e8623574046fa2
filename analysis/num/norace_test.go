//go:build !race

package num_test

// many is how many problems of a kind are drawn.
const many = 100
