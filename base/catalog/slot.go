package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Slot is a place where mechanisms of one kind stand, under a key of
// experiments, presets and scenarios.
type Slot struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Where   Where  `json:"where"`
	Count   Count  `json:"count"`
	Default string `json:"default"` // a component, or "": nothing stands there unless it is named
	Help    string `json:"help"`
}

// Where says what has a slot.
type Where string

// The places of slots.
const (
	AtHost       Where = "host"
	AtNIC        Where = "nic" // a port of a host
	AtSwitch     Where = "switch"
	AtSwitchPort Where = "switch_port"
)

// Count says how many mechanisms stand in a slot.
type Count string

// The counts.
const (
	One      Count = "one"
	Many     Count = "many"
	PerClass Count = "per_class" // one for each class, class 0 first
)

// Host says whether hosts have the slot; otherwise switches have it.
func (s *Slot) Host() bool { return s.Where == AtHost || s.Where == AtNIC }

// List says whether a list stands under the key.
func (s *Slot) List() bool { return s.Count != One }

// Place says in words where and how often the slot is.
func (s *Slot) Place() string {
	where := map[Where]string{AtHost: "host", AtNIC: "NIC port", AtSwitch: "switch", AtSwitchPort: "switch port"}[s.Where]
	switch s.Count {
	case Many:
		return "any number at each " + where
	case PerClass:
		return "one for each class of each " + where
	}
	return "one at each " + where
}

var slotKey = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkSlots checks the slots, and that every mechanism has one.
func (c *Catalog) checkSlots() error {
	keys := map[string]bool{}
	for _, s := range c.Slots {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("catalog: slot %q: %s; correct the table of slots", s.Key, fmt.Sprintf(format, args...))
		}
		component := c.Component(s.Default)
		switch {
		case !slotKey.MatchString(s.Key) || keys[s.Key]:
			return bad("the key is used twice, or is not in lower-case letters, digits and _")
		case c.Component(s.Key) != nil:
			return bad("a component has the same name, so hpcc.eta for params.hpcc.eta would have two meanings")
		case s.Kind == "" || s.Kind == KindNode:
			return bad("%q is no kind of mechanisms", s.Kind)
		case !slices.Contains([]Where{AtHost, AtNIC, AtSwitch, AtSwitchPort}, s.Where):
			return bad("where is %q, not one of host, nic, switch, switch_port", s.Where)
		case !slices.Contains([]Count{One, Many, PerClass}, s.Count):
			return bad("count is %q, not one of one, many, per_class", s.Count)
		case s.Default != "" && s.Count == Many:
			return bad("a slot for any number has no default, but here it is %q", s.Default)
		case s.Default == "" && s.Count == PerClass:
			return bad("a slot for each class needs a default")
		case s.Default != "" && (component == nil || component.Kind != s.Kind):
			return bad("the default %q is no %s", s.Default, Words(s.Kind))
		}
		keys[s.Key] = true
	}
	for _, m := range c.Components {
		if m.Kind != KindNode && len(c.SlotsOf(m.Kind)) == 0 {
			return fmt.Errorf("catalog: %s is of the kind %q, for which there is no slot; add one to the table of slots", m.Name, m.Kind)
		}
	}
	return nil
}

// Slot finds a slot by key, or returns nil.
func (c *Catalog) Slot(key string) *Slot {
	for i := range c.Slots {
		if c.Slots[i].Key == key {
			return &c.Slots[i]
		}
	}
	return nil
}

// SlotKeys lists the keys of the slots in catalog order.
func (c *Catalog) SlotKeys() []string {
	keys := make([]string, len(c.Slots))
	for i := range c.Slots {
		keys[i] = c.Slots[i].Key
	}
	return keys
}

// SlotsOf lists the keys of the slots for a kind.
func (c *Catalog) SlotsOf(kind string) []string {
	var keys []string
	for _, s := range c.Slots {
		if s.Kind == kind {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Words is a kind in words: "path selector".
func Words(kind string) string { return strings.ReplaceAll(kind, "_", " ") }
