package build

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
)

// used are the parts that a run with a component uses.
func used(t *testing.T, root, component string) map[string]string {
	t.Helper()
	s, err := readSources(root, []string{"fake-modules"})
	require.NoError(t, err)
	return s.Used([]string{component})
}

// TestAChangeCountsWhereItIsUsed: a and c stand alone, b includes c, lib has no
// component.
func TestAChangeCountsWhereItIsUsed(t *testing.T) {
	root, elsewhere := checkout(t), t.TempDir()
	describes := func(name string) string { return "auto d = Describe<X>(\"" + name + "\", Kind::Queue, \"\");\n" }
	put(t, root, "mechanisms/core/port.cc", "// core")
	put(t, root, "mechanisms/runner/main.cc", `#include "mechanisms/headers/h.h"`)
	put(t, root, "mechanisms/headers/h.h", "struct H;")
	put(t, root, "mechanisms/fourth/engine.cmake", "add_executable(fabric-fourth engine.cc)")
	put(t, root, "mechanisms/tools/describe.cc", `#include "mechanisms/a/a.h"`)
	put(t, root, "mechanisms/a/a.cc", "#include \"a.h\"\n"+describes("a"))
	put(t, root, "mechanisms/a/a.h", "#include <vector>")
	put(t, root, "mechanisms/c/c.h", "struct C;")
	put(t, root, "mechanisms/c/c.cc", "  Describe<C> description(\"c\", Kind::Queue, \"\");")
	put(t, elsewhere, "b/b.cc", "#  include \"../c/c.h\"\n#include \"b.inc\"\n#include \"../common/common.h\"\n"+describes("b"))
	put(t, elsewhere, "b/b.inc", "int one;")
	put(t, elsewhere, "common/common.h", "#include \"deeper.h\"")
	put(t, elsewhere, "common/deeper.h", "int one;")
	require.NoError(t, os.Symlink(filepath.Join(root, "mechanisms/c"), filepath.Join(elsewhere, "c")))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "b"), filepath.Join(root, "mechanisms/b")))

	keys := func(m map[string]string) (names []string) {
		for name := range m {
			names = append(names, name)
		}
		return names
	}
	assert.ElementsMatch(t, []string{engine.Base, "headers", "a"}, keys(used(t, root, "a")))
	assert.ElementsMatch(t, []string{engine.Base, "headers", "b", "c"}, keys(used(t, root, "b")))
	assert.ElementsMatch(t, []string{engine.Base, "headers", "c"}, keys(used(t, root, "c")))
	assert.ElementsMatch(t, []string{engine.Base, "headers", "a", "b", "c"}, keys(used(t, root, "of_a_macro")))

	for _, change := range []struct {
		in, file, text string
		voids          []string
	}{
		{root, "mechanisms/a/a.h", "int changed;", []string{"a"}},
		{root, "mechanisms/c/c.cc", describes("c"), []string{"b", "c"}},
		{elsewhere, "b/b.inc", "int changed;", []string{"b"}},
		{elsewhere, "common/deeper.h", "int changed;", []string{"b"}},
		{elsewhere, "b/new.h", "int changed;", []string{"b"}},
		{root, "mechanisms/core/port.cc", "int changed;", []string{"a", "b", "c"}},
		{root, "mechanisms/runner/main.cc", "int changed;", []string{"a", "b", "c"}},
		{root, "fake-modules/node.cc", "int changed;", []string{"a", "b", "c"}},
		{root, "mechanisms/CMakeLists.txt", "project(x)", []string{"a", "b", "c"}},
		{root, "mechanisms/lib/lib.cc", "Register all;", []string{"a", "b", "c"}},
		{root, "mechanisms/tools/describe.cc", "int changed;", nil},
		{root, "mechanisms/fourth/engine.cc", "int changed;", nil}, // an engine of its own
		{elsewhere, "b/b_test.cc", "TEST(B, Works) {}", nil},
		{elsewhere, "b/b.md", "text", nil},
		{root, "mechanisms/a/a.cc", "#include HEADER\n" + describes("a"), []string{"a"}},
		{root, "mechanisms/c/c.cc", "int again;\n" + describes("c"), []string{"a", "b", "c"}}, // what a includes is not known
		{root, "mechanisms/a/a.cc", describes("a") + describes("c"), []string{"a", "c"}},
	} {
		before := map[string]map[string]string{}
		for _, name := range []string{"a", "b", "c"} {
			before[name] = used(t, root, name)
		}
		put(t, change.in, change.file, change.text)
		var voided []string
		for _, name := range []string{"a", "b", "c"} {
			if !assert.ObjectsAreEqual(before[name], used(t, root, name)) {
				voided = append(voided, name)
			}
		}
		assert.Equal(t, change.voids, voided, change.file)
	}
}

// TestBuiltInMechanismsAreApart: each component is described in one folder of
// the checkout, and what every run needs holds no mechanism but the defaults.
func TestBuiltInMechanismsAreApart(t *testing.T) {
	root, err := FindRoot(".")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "base/catalog/testdata/catalog.json"))
	require.NoError(t, err)
	c, err := catalog.Load(text)
	require.NoError(t, err)
	for _, e := range engines.All() {
		folder := e.Sources()[0]
		alone, isAlone := strings.CutPrefix(folder, "mechanisms/")
		s, err := readSources(root, e.Sources())
		require.NoError(t, err)
		assert.Empty(t, s.Unclear)
		for _, component := range c.Components {
			assert.Contains(t, s.Of, component.Name, "no source has Describe<…>(%q", component.Name)
		}
		var defaults []string
		for _, slot := range c.Slots {
			if slot.Default != "" {
				defaults = append(defaults, slot.Default)
			}
		}
		assert.Subset(t, []string{engine.Base, "headers", alone}, append(s.Needs[engine.Base], engine.Base), folder)
		names := func(components ...string) (parts []string) {
			for part := range s.Used(append(components, defaults...)) {
				if part != "headers" && part != alone { // it is ns-3 that writes capture files
					parts = append(parts, part)
				}
			}
			return parts
		}
		assert.Equal(t, isAlone, slices.Contains(s.Needs[engine.Base], alone))
		usual := []string{engine.Base, "ecmp", "none", "queue", "scheduler", "transport"}
		assert.ElementsMatch(t, usual, names("host", "switch", "port"), folder)
		assert.ElementsMatch(t, append([]string{"hpcc"}, usual...), names("hpcc", "hpcc_int", "hpcc_echo"), folder)
		assert.ElementsMatch(t, append([]string{"hpcc", "fncc"}, usual...), names("fncc"), folder)
		assert.ElementsMatch(t, append([]string{"conga", "dre", "path", "tcp"}, usual...), names("conga", "dre", "tcp", "newreno"), folder)
	}
}

func TestTheProgramOfARunHasTheBuildIDOfWhatItUses(t *testing.T) {
	root := checkout(t)
	put(t, root, "mechanisms/a/a.cc", `Describe<A>("a", 1)`)
	put(t, root, "mechanisms/b/b.cc", `Describe<B>("b", 1)`)
	builder := New(root, Release, io.Discard)
	program := func() *engine.Program {
		p, err := builder.Program(context.Background(), fake{})
		require.NoError(t, err)
		return p
	}
	before := program()
	put(t, root, "mechanisms/a/a.cc", `Describe<A>("a", 2)`)
	after := program()
	assert.NotEqual(t, before.BuildID, after.BuildID)
	assert.NotEqual(t, before.For([]string{"a"}).BuildID, after.For([]string{"a"}).BuildID)
	assert.Equal(t, before.For([]string{"b"}).BuildID, after.For([]string{"b"}).BuildID)
}
