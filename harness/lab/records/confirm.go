package records

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/analysis/record"
	"fabriclab/harness/engine"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/agreement"
	"fabriclab/harness/parity"
)

// Confirm takes over records whose sources have changed without moving a byte: the
// experiment's parity digests are those of the time of the record, and the sources
// of today give them. It runs the points of the digests. One that cannot be
// confirmed does not keep the others from it.
func Confirm(ctx context.Context, lab *lab.Lab, names []string) ([]string, error) {
	known := map[string]engine.Sources{}
	return writeEach(lab, names, func(dir, name string) (*record.Record, error) {
		r, err := record.Read(dir, name)
		if err != nil {
			return nil, err
		}
		changed, err := changedParts(lab, r, known)
		if err != nil || len(changed) == 0 { // nothing to confirm
			return nil, err
		}
		if err := confirm(ctx, lab, r, known); err != nil {
			return nil, fmt.Errorf("the record of %s is not confirmed: %w", name, err)
		}
		return r, nil
	})
}

// confirm gives a record the sources of today, if they give what its own gave.
func confirm(ctx context.Context, lab *lab.Lab, r *record.Record, known map[string]engine.Sources) error {
	anew := "; make it again with: " + r.Outcomes[0].Command + " && fabriclab record " + r.Figure + " --scale " + r.Scale
	scenarios, err := changedScenarios(ctx, lab, r)
	switch {
	case err != nil:
		return err
	case len(scenarios) > 0:
		return errors.New(strings.Join(scenarios, "; ") + anew)
	}
	hash, scales, err := digestsOf(lab, r.Figure)
	switch {
	case err != nil:
		return err
	case len(scales) == 0:
		return errors.New("its experiment has no parity digest to confirm it with" + anew)
	case r.Digests == "":
		return errors.New("it has no digests: an earlier fabriclab made it" + anew)
	case hash != r.Digests:
		return errors.New("its experiment's parity digests have moved since" + anew)
	}
	used := map[string]string{}
	for _, scale := range scales {
		at := *lab
		at.Set.Scale = scale
		for _, name := range slices.Sorted(maps.Keys(r.Engines)) { // what others make of the sources is for parity
			if _, simulates := known[name]; !simulates {
				continue
			}
			parts, err := agreement.CheckDigest(ctx, &at, name, r.Figure)
			if err != nil {
				return err
			}
			maps.Copy(used, parts)
		}
	}
	var beside []string // parts that only readings use, of which the digests say nothing
	for _, part := range slices.Sorted(maps.Keys(r.Parts)) {
		if now, covered := used[part]; covered {
			r.Parts[part] = now
		} else if !slices.ContainsFunc(slices.Collect(maps.Values(known)), func(s engine.Sources) bool { return s.Hash[part] == r.Parts[part] }) {
			beside = append(beside, part)
		}
	}
	if len(beside) > 0 {
		return errors.New("no point of its parity digests uses " + strings.Join(beside, ", ") + ", which has changed" + anew)
	}
	r.Confirmed = lab.Tool.Version
	return nil
}

// digestsOf is the SHA-256 of the tables that an experiment's parity digests have,
// and the scales of these; "" without any.
func digestsOf(lab *lab.Lab, experiment string) (hash string, scales []string, err error) {
	dir, err := agreement.Digests(lab)
	if err != nil {
		return "", nil, err
	}
	all, err := parity.Files(dir)
	if err != nil {
		return "", nil, err
	}
	h := sha256.New()
	for _, d := range all {
		if d.Experiment != experiment {
			continue
		}
		scales = append(scales, d.Scale)
		tables := map[string]any{"scale": d.Scale}
		for name, p := range d.Points {
			tables["point "+name] = p.Seeds
		}
		text, err := json.Marshal(tables) // in the order of keys
		if err != nil {
			return "", nil, err
		}
		h.Write(text)
	}
	if len(scales) == 0 {
		return "", nil, nil
	}
	return hex.EncodeToString(h.Sum(nil)), scales, nil
}
