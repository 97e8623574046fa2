package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Base is the part of the sources that every run uses.
const Base = "base"

// Sources are what a runner is made of: the part that every run uses, and the
// folders of the mechanisms.
type Sources struct {
	// Hash says what each part consists of, by its name.
	Hash map[string]string `json:"hash,omitempty"`
	// Needs are the parts whose files a part includes.
	Needs map[string][]string `json:"needs,omitempty"`
	// Of is the part that describes a component, where just one does.
	Of map[string]string `json:"of,omitempty"`
	// Unclear are parts of which it is not known what they need.
	Unclear []string `json:"unclear,omitempty"`
}

// Used are the parts that a run with these components uses, with their hashes:
// the base, the components' own folders, and what those include. Where that is
// not clear, it is all of them.
func (s Sources) Used(components []string) map[string]string {
	todo := []string{Base}
	for _, name := range components {
		part, known := s.Of[name]
		if !known {
			return maps.Clone(s.Hash)
		}
		todo = append(todo, part)
	}
	used := map[string]string{}
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		if _, done := used[part]; done {
			continue
		}
		if slices.Contains(s.Unclear, part) {
			return maps.Clone(s.Hash)
		}
		used[part] = s.Hash[part]
		todo = append(todo, s.Needs[part]...)
	}
	return used
}

// For is the program as a run with these components uses it: its build ID is
// that of the sources that matter to the run. A program of which the sources
// are not known stays as it is.
func (p *Program) For(components []string) *Program {
	if p == nil || len(p.Sources.Hash) == 0 {
		return p
	}
	q := *p
	q.Used = p.Sources.Used(components)
	q.BuildID = BuildID(q.Used, p.Version)
	return &q
}

// BuildID is the identity of a build: which parts of the sources were compiled,
// how, and against which simulator. It does not depend on where that was.
func BuildID(sources map[string]string, v Version) string {
	var words []string
	for _, part := range slices.Sorted(maps.Keys(sources)) {
		words = append(words, part, sources[part])
	}
	words = append(words, v.Engine, v.EngineVersion, v.Compiler, v.BuildType, v.Flags)
	if v.Libraries != "" {
		words = append(words, v.Libraries)
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:16])
}
