package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Judging is the hash of what says how runs are measured and judged: dimensions,
// windows, measures and claims, without their texts. What was judged by another one
// is out of date.
func (f *Figure) Judging() (string, error) {
	rules := make([]Claim, len(f.Claims))
	for i, c := range f.Claims {
		c.Text, c.Source, c.Check, c.Note, c.Notes, c.Line = "", "", "", "", nil, 0
		c.Control = nil // is judged apart
		rules[i] = c
	}
	measures := make(map[string]Measure, len(f.Measures.Items))
	for name, m := range f.Measures.Items {
		m.Text = ""
		measures[name] = m
	}
	text, err := json.Marshal(map[string]any{"dimensions": f.Dimensions.Items, "windows": f.Windows.Items, "measures": measures, "claims": rules})
	if err != nil {
		return "", fmt.Errorf("measures and claims: %w", err)
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:8]), nil
}
