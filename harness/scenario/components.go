package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Component is a component in use with all its parameters, as canonical
// values: bool, int64 (ps, bit/s, bytes), float64, string.
type Component struct {
	Type   string         `json:"type"`
	Params map[string]any `json:"params"`
}

// Place is what stands under a key: one component, or a list of them (by
// class where there is one for each class).
type Place struct {
	One  *Component // nil: a list
	List []Component
}

// Components are the components in use, by key: the parts of the node model
// (host, switch, port), and the slots of the catalog. Where a slot's key is
// missing, the engine puts the slot's default.
type Components map[string]Place

// Set is components that stand at some nodes instead of the general ones.
// Where several sets name a node, the last one wins, key by key.
type Set struct {
	Nodes      []uint32   `json:"nodes"`
	Components Components `json:"components"`
}

// firstKeys are the keys that components had before the catalog listed the
// slots. They stand first and in this order, so that scenarios which need no
// others keep their bytes and their hash.
var firstKeys = []string{
	"host", "switch", "port", "path_selector", "queues", "port_agents", "transport", "congestion_control", "receiver_agents",
}

// alwaysThere are the slots that every scenario of versions 1 and 2 names,
// even if nothing but the default stands there.
var alwaysThere = []string{"path_selector", "queues", "port_agents", "congestion_control", "receiver_agents"}

// AlwaysNames says whether scenarios have the key of a slot even where they
// might leave it to the engine.
func AlwaysNames(key string) bool { return slices.Contains(alwaysThere, key) }

// beyond says whether there are other keys than these.
func (c Components) beyond(keys []string) bool {
	for key := range c {
		if !slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// Param is a parameter of the one component under a key; nil if there is none.
func (c Components) Param(key, param string) any {
	if one := c[key].One; one != nil {
		return one.Params[param]
	}
	return nil
}

// MarshalJSON writes the first keys in their order, then the others by name.
func (c Components) MarshalJSON() ([]byte, error) {
	keys := slices.DeleteFunc(slices.Clone(firstKeys), func(key string) bool { _, there := c[key]; return !there })
	for _, key := range slices.Sorted(maps.Keys(c)) {
		if !slices.Contains(firstKeys, key) {
			keys = append(keys, key)
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		place := c[key]
		var value any = place.List
		if place.One != nil {
			value = place.One
		} else if place.List == nil {
			value = []Component{}
		}
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("components.%s: %w", key, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads one component or a list.
func (p *Place) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if bytes.HasPrefix(data, []byte("[")) {
		return decoder.Decode(&p.List)
	}
	p.One = &Component{}
	return decoder.Decode(p.One)
}
