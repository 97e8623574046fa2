// Package portname has the names of ports: node->neighbour, and behind it #1, #2, …
// for further links between the same two nodes.
package portname

import (
	"fmt"
	"strconv"
	"strings"
)

// Of is the name of a port; n numbers parallel links from 0 on.
func Of(node, neighbour string, n int) string {
	name := node + "->" + neighbour
	if n > 0 {
		name += "#" + strconv.Itoa(n)
	}
	return name
}

// Parse takes the name of a port apart.
func Parse(name string) (node, neighbour string, n int, err error) {
	node, rest, arrow := strings.Cut(name, "->")
	neighbour, number, numbered := strings.Cut(rest, "#")
	if numbered {
		n, err = strconv.Atoi(number)
	}
	if !arrow || node == "" || neighbour == "" || err != nil || numbered && n < 1 {
		return "", "", 0, fmt.Errorf("%q is not a port; write node->neighbour, such as s1->s2, with #1 behind it for the second parallel link, #2 for the third", name)
	}
	return node, neighbour, n, nil
}

// A Counter names ports in the order of their links.
type Counter struct{ seen map[[2]string]int }

// Next is the name of the next port of a node to a neighbour.
func (p *Counter) Next(node, neighbour string) string {
	if p.seen == nil {
		p.seen = map[[2]string]int{}
	}
	key := [2]string{node, neighbour}
	n := p.seen[key]
	p.seen[key]++
	return Of(node, neighbour, n)
}
