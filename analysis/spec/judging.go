package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// judging is the version of how measures, claims and controls are judged. Raise it where
// the same runs come to another verdict: records are then out of date.
const judging = 2

// Judging is the hash of what says how runs are measured and judged: dimensions,
// windows, measures and claims, without their texts. What was judged by another one
// is out of date.
func (f *Figure) Judging() (string, error) {
	rules := make([]Claim, len(f.Claims))
	for i, c := range f.Claims {
		c.Text, c.Source, c.Check, c.Note, c.Notes, c.Line = "", "", "", "", nil, 0
		c.Control = nil // Controls
		rules[i] = c
	}
	measures := make(map[string]Measure, len(f.Measures.Items))
	for name, m := range f.Measures.Items {
		m.Text = ""
		measures[name] = m
	}
	return hashOf(map[string]any{"version": judging, "dimensions": f.Dimensions.Items, "windows": f.Windows.Items, "measures": measures, "claims": rules})
}

// Controls is the hash of the claims' controls: what was judged with others is out of
// date, too.
func (f *Figure) Controls() (string, error) {
	controls := map[string]Control{}
	for _, c := range f.Claims {
		if c.Control != nil && c.Superseded == nil {
			control := *c.Control
			control.None = "" // a reason
			controls[c.ID] = control
		}
	}
	return hashOf(controls)
}

func hashOf(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("measures and claims: %w", err)
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:8]), nil
}
