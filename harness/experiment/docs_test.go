package experiment

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"fabriclab/harness/workload"
)

// docBases are experiments that a page's fragment is laid over; it has to be
// right over one of them.
var docBases = []string{
	`
topology: {type: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 32, parallel_links: 2, rate: 100Gbps, host_rate: 10Gbps, delay: 1us, extra_hosts: [{name: allocator, switches: "spine*", rate: 40Gbps, delay: 2us}]}
workload: {type: list, flows: [{name: flow0, src: host0, dst: host40, size: 1MB}]}
preset: hpcc
run: {stop: 100ms}
trace: {flows: {}}
`, `
topology: {type: chain, switches: 3, hosts: {sender0: s1, sender1: s2, receiver0: s3}, rate: 100Gbps, delay: 1.5us}
workload: {type: list, flows: [{name: flow0, src: sender0, dst: receiver0, size: 1MB}, {name: flow1, src: sender1, dst: receiver0, size: 1MB}]}
preset: hpcc
run: {stop: 700us}
trace: {flows: {}, queues: {interval: 1us, ports: ["s1->s2"]}}
matrix: {preset: [dcqcn, hpcc, fncc]}
`, `
topology: {type: dumbbell, switches: 3, senders: 2, receivers: 1, rate: 100Gbps, delay: 1.5us}
workload: {type: list, flows: [{name: flow0, src: sender0, dst: receiver0, size: 1MB}]}
preset: rocc
run: {stop: 700us}
trace: {flows: {}}
`, `
topology: {type: star, hosts: 9, rate: 100Gbps, delay: 1us}
workload: {type: list, flows: [{name: flow0, src: host0, dst: host1, size: 1MB}]}
preset: numfabric
run: {stop: 100ms}
trace: {flows: {}}
`, `
topology: {type: star, hosts: 3, rate: 100Gbps, delay: 1us}
workload: {type: permutation}
preset: hpcc
run: {stop: 100ms}
trace: {flows: {}}
`}

// otherFormats are blocks that are no experiments.
var otherFormats = regexp.MustCompile(`(?m)^(mechanism_path|paper: |confidence|# yaml-language-server|workload: web-search +#)`)

// fenced are the code blocks of a language on a page, by the line of the first
// one's text.
func fenced(page, language string) map[int]string {
	blocks := map[int]string{}
	start := 0
	var text strings.Builder
	for i, line := range strings.Split(page, "\n") {
		switch {
		case start == 0 && line == "```"+language:
			start = i + 2
			text.Reset()
		case start > 0 && line == "```":
			blocks[start], start = text.String(), 0
		case start > 0 && strings.TrimSpace(line) != "…":
			text.WriteString(line + "\n")
		case start == 0 && strings.HasPrefix(line, "```"):
			start = -1 // of another language
		case start < 0 && line == "```":
			start = 0
		}
	}
	return blocks
}

func pages(t *testing.T, call func(path, page string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			var page []byte
			if page, err = os.ReadFile(path); err == nil {
				call(path, string(page))
			}
		}
		return err
	}))
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	call("../../README.md", string(page))
}

// TestExamplesOfTheDocs: every piece of YAML on a page is valid.
func TestExamplesOfTheDocs(t *testing.T) {
	pages(t, func(path, page string) {
		for line, text := range fenced(page, "yaml") {
			if otherFormats.MatchString(text) {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", strings.TrimPrefix(path, "../../"), line), func(t *testing.T) {
				assert.NoError(t, validExample(t, text), text)
			})
		}
	})
}

// validExample loads a whole experiment, a preset, or a fragment of one.
func validExample(t *testing.T, text string) error {
	t.Helper()
	switch {
	case strings.HasPrefix(text, "    - {"):
		text = "workload:\n  type: list\n  flows:\n" + text
	case strings.HasPrefix(text, "  "):
		text = "topology:\n" + text
	}
	var example map[string]any
	if err := yaml.Unmarshal([]byte(text), &example); err != nil {
		return err
	}
	dir := t.TempDir()
	write := func(name string, of map[string]any) string {
		out, err := yaml.Marshal(of)
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, out, 0o644))
		return file
	}
	if _, whole := example["game"]; whole || example["allocator"] != nil {
		_, err := loadFile(t, write("exp.yaml", example), "")
		return err
	}
	if name, is := example["preset"].(string); is && example["topology"] == nil && (example["title"] != nil || example["extends"] != nil) {
		write(name+".yaml", example)
		example = map[string]any{"preset": "./" + name + ".yaml"}
		if name == "aimd" { // the page's own mechanism is tried in the end-to-end tests
			return nil
		}
	}
	var first error
	for _, base := range docBases {
		var over map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(base), &over))
		for key, value := range example {
			below, isMap := over[key].(map[string]any)
			more, also := value.(map[string]any)
			if !isMap || !also || more["type"] != nil || key == "run" {
				over[key] = value
				continue
			}
			for k, v := range more {
				below[k] = v
			}
		}
		if name, named := over["name"]; named && name != nil {
			delete(over, "name") // it says where the file lies
		}
		_, err := loadFile(t, write("exp.yaml", over), "")
		if err == nil {
			return nil
		}
		if first == nil || len(err.Error()) < len(first.Error()) {
			first = err
		}
	}
	return first
}

// TestListsOfTheDocs: every CSV list on a page is read.
func TestListsOfTheDocs(t *testing.T) {
	n := 0
	host := func(name string) (id uint32, err error) {
		_, err = fmt.Sscanf(name, "host%d", &id)
		return id, err
	}
	rules := workload.Rules{StopPs: 1e12, Classes: 2, ToPs: 1e12}
	pages(t, func(path, page string) {
		for line, text := range fenced(page, "") {
			columns, _, _ := strings.Cut(text, "\n")
			if !strings.Contains(columns, "src,dst") {
				continue
			}
			n++
			file := filepath.Join(t.TempDir(), "list.csv")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			var err error
			if strings.HasPrefix(columns, "id,") {
				_, err = workload.OpenDAG(file, host, rules)
			} else {
				_, err = workload.OpenFile(file, host, rules)
			}
			assert.NoError(t, err, "%s:%d", path, line)
		}
	})
	assert.GreaterOrEqual(t, n, 3)
}
