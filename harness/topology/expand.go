package topology

import (
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

var numbered = regexp.MustCompile(`^(.*?)\[(\d+)\.\.(\d+)\](.*)$`)

// dashed is a range as other tools write it.
var dashed = regexp.MustCompile(`\[(\d+)[-:,](\d+)\]`)

// rangeHint says how a range is written, "" of a name without one.
func rangeHint(name string) string {
	if !dashed.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("; a range has two dots, write %q", dashed.ReplaceAllString(name, "[$1..$2]"))
}

// Expand writes out the names that a name with ranges stands for: a[0..2] is
// a0, a1 and a2, and p[0..1]-h[0..1] has four. A name without a range is
// itself.
func Expand(name string) ([]string, error) {
	var parts []string
	if strings.Contains(name, "[") { // most names have none, and there may be millions of them
		parts = numbered.FindStringSubmatch(name)
	}
	if parts == nil {
		return []string{name}, nil
	}
	first, err := strconv.Atoi(parts[2])
	last, err2 := strconv.Atoi(parts[3])
	switch {
	case err != nil || err2 != nil || last-first >= mostNames:
		return nil, fmt.Errorf("%q stands for more than %d names", name, mostNames)
	case last < first:
		return nil, fmt.Errorf("%q: %d stands behind %d; write the range the other way round", name, first, last)
	}
	rest, err := Expand(parts[4])
	if err != nil {
		return nil, err
	}
	if (last-first+1)*len(rest) > mostNames {
		return nil, fmt.Errorf("%q stands for more than %d names", name, mostNames)
	}
	var names []string
	for i := first; i <= last; i++ {
		for _, r := range rest {
			names = append(names, parts[1]+strconv.Itoa(i)+r)
		}
	}
	return names, nil
}

const mostNames = 1 << 15

// Joins are the ways in which the nodes of two names are joined.
var Joins = []string{"all", "pairs"}

// Join joins the nodes of two names: each with each, or by pairs, the first
// with the first and so on.
func Join[T any](as, bs []T, pairs bool) (iter.Seq2[T, T], error) {
	if pairs && len(as) != len(bs) {
		return nil, fmt.Errorf("%d nodes and %d make no pairs; name as many of both, or join all with all", len(as), len(bs))
	}
	return func(yield func(T, T) bool) {
		for i, a := range as {
			if pairs {
				if !yield(a, bs[i]) {
					return
				}
				continue
			}
			for _, b := range bs {
				if !yield(a, b) {
					return
				}
			}
		}
	}, nil
}
