package topology

import (
	"fmt"
	"regexp"
	"strconv"
)

var numbered = regexp.MustCompile(`^(.*?)\[(\d+)\.\.(\d+)\](.*)$`)

// Expand writes out the names that a name with ranges stands for: a[0..2] is
// a0, a1 and a2, and p[0..1]-h[0..1] has four. A name without a range is
// itself.
func Expand(name string) ([]string, error) {
	parts := numbered.FindStringSubmatch(name)
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
