package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/doctor"
	"fabriclab/harness/engine"
)

type simulator struct {
	title string
	err   error
	note  string
}

func (simulator) Name() string      { return "fake" }
func (s simulator) Title() string   { return s.title }
func (simulator) Binary() string    { return "fabric-fake" }
func (simulator) Kernels() []string { return nil }
func (simulator) Sources() []string { return nil }
func (s simulator) Find() (engine.Installation, error) {
	return engine.Installation{Path: "/opt/fake", Version: "7.1", Note: s.note}, s.err
}

func find(t *testing.T, findings []doctor.Finding, name string) doctor.Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "nothing about "+name)
	return doctor.Finding{}
}

func TestWhatIsThereAndWhatIsMissing(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "cmake"), []byte("#!/bin/sh\necho cmake version 3.99; echo more\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "ninja"), []byte("#!/bin/sh\nexit 3\n"), 0o755))
	t.Setenv("PATH", bin)
	findings := doctor.Examine(context.Background(), []engine.Engine{
		simulator{title: "First", note: "newer than 7.0"}, simulator{title: "Second", err: errors.New("it is not installed; get it from the shop")},
	}, filepath.Join(t.TempDir(), "not", "yet", "there"))

	assert.Equal(t, doctor.Finding{Name: "cmake", OK: true, Required: true, Detail: "cmake version 3.99 in " + bin + "/cmake"}, find(t, findings, "cmake"))
	assert.False(t, find(t, findings, "ninja").OK)
	assert.Contains(t, find(t, findings, "make").Detail, "not installed")
	assert.Equal(t, "run: make deps", find(t, findings, "make").Advice)
	assert.Equal(t, doctor.Finding{Name: "First", OK: true, Required: true, Detail: "7.1 in /opt/fake, newer than 7.0"}, find(t, findings, "First"))
	assert.Equal(t, doctor.Finding{Name: "Second", Detail: "it is not installed", Advice: "get it from the shop"}, find(t, findings, "Second"))
	assert.Contains(t, find(t, findings, "results folder").Detail, "GiB free")
	assert.False(t, doctor.Healthy(findings))

	var out strings.Builder
	require.NoError(t, doctor.Render(&out, findings))
	assert.Regexp(t, `make +MISSING`, out.String())
	assert.Regexp(t, `Second +absent \(optional\)`, out.String())
	assert.Contains(t, out.String(), "Second: get it from the shop")
}

// TestWithoutTheUsualSimulator: the last engine stands in for one that is not
// there; one that is there and does not work is a fault.
func TestWithoutTheUsualSimulator(t *testing.T) {
	last := simulator{title: "Last"}
	absent := simulator{title: "First", err: engine.Absent(errors.New("it is not installed; get it from the shop"))}
	f := find(t, doctor.Examine(context.Background(), []engine.Engine{absent, last}, t.TempDir()), "First")
	assert.Equal(t, doctor.Finding{Name: "First", Detail: "it is not installed", Advice: "get it from the shop; until then Last, which needs no simulator, stands in for it"}, f)
	broken := simulator{title: "First", err: errors.New("there is nothing in /opt/first")}
	assert.True(t, find(t, doctor.Examine(context.Background(), []engine.Engine{broken, last}, t.TempDir()), "First").Required)
}

func TestOptionalThingsDoNotMakeItIll(t *testing.T) {
	assert.True(t, doctor.Healthy([]doctor.Finding{{Name: "a", OK: true, Required: true}, {Name: "b"}}))
	assert.False(t, doctor.Healthy([]doctor.Finding{{Name: "a", Required: true}}))
}
