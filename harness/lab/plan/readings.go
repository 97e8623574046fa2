package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/harness/experiment"
)

// AllReadings asks for every reading, one at a time.
const AllReadings = "all"

// readings are the readings under which an experiment is made, each by name and
// value; the empty one is the default. --reading NAME=VALUE may be given several
// times and makes one of them; all makes the default and every other value, one at
// a time. Names and values are checked as the experiment is read under them.
func readings(asked []string, e *experiment.Experiment) ([]map[string]string, error) {
	if len(asked) == 0 {
		return []map[string]string{nil}, nil
	}
	if slices.Contains(asked, AllReadings) {
		if len(asked) > 1 {
			return nil, fmt.Errorf("--reading all is every reading, one at a time; leave out the others")
		}
		return EveryReading(e.Readings), nil
	}
	chosen := map[string]string{}
	for _, text := range asked {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("--reading %s: write NAME=VALUE, such as table=live, or all", text)
		}
		if _, twice := chosen[name]; twice {
			return nil, fmt.Errorf("--reading %s: %s is there twice; give one value, or --reading all", text, name)
		}
		chosen[name] = value
	}
	for _, r := range e.Readings { // the default needs no name
		if chosen[r.Name] == r.Values[0] {
			delete(chosen, r.Name)
		}
	}
	return []map[string]string{chosen}, nil
}

// EveryReading is the default and, one at a time, each other value.
func EveryReading(declared []experiment.Reading) []map[string]string {
	all := []map[string]string{nil}
	for _, r := range declared {
		for _, value := range r.Values[1:] {
			all = append(all, map[string]string{r.Name: value})
		}
	}
	return all
}

// Declared are the readings that an experiment has beside the default, as they are
// written.
func Declared(e *experiment.Experiment) []string {
	var all []string
	for _, r := range EveryReading(e.Readings)[1:] {
		all = append(all, ReadingText(r))
	}
	return all
}

// ReadingText is how a reading is written: table=live,stages=five; "" is the
// default.
func ReadingText(chosen map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		words = append(words, name+"="+chosen[name])
	}
	return strings.Join(words, ",")
}
