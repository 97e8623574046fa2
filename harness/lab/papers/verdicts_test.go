package papers

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/statement"
	"fabriclab/harness/build"
	"fabriclab/harness/lab"
)

func checkout(t *testing.T) *lab.Lab {
	t.Helper()
	root, err := build.FindRoot(".")
	require.NoError(t, err)
	return &lab.Lab{Out: io.Discard, Err: io.Discard, Set: lab.Settings{Root: root}}
}

// The statements are those of the papers' texts, none dropped, and split where the number has two sides (C03); they fit
// the claims of the figures.
func TestShippedStatements(t *testing.T) {
	l := checkout(t)
	for paper, want := range map[string][2]int{"fncc": {32, 0}, "conga": {22, 15}, "numfabric": {40, 0}, "flowtune": {36, 0}, "dart": {40, 0}} {
		f, loose, err := Statements(l, paper)
		require.NoError(t, err)
		assert.Empty(t, loose)
		var got [2]int
		for _, s := range f.Statements {
			if s.Recalled {
				got[1]++
			} else {
				got[0]++
			}
		}
		assert.Equal(t, want, got, paper)
	}
	_, _, err := Statements(l, "fnc")
	require.ErrorContains(t, err, `did you mean "fncc"?`)
}

// A claim that decides no statement is a warning where figures are looked at.
func TestClaimsThatDecideNothing(t *testing.T) {
	l := checkout(t)
	var said bytes.Buffer
	l.Err, l.Set.Project = &said, t.TempDir()
	dir := filepath.Join(l.Set.Project, "configs", "mine")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, StatementsFile), []byte("paper: Mine\nstatements:\n  - {id: M01, fact: f, source: s, claims: {mine/a: [one]}}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(`figure:
  measures: {x: {kind: drops, window: [0us, 1ms], unit: "1"}}
  claims:
    - {id: one, text: t, source: s, holds: x == 0}
    - {id: two, text: t, source: s, holds: x == 0}
`), 0o600))
	made := []Made{{ID: "mine/a", Scale: "quick", Claims: []claims.Result{{ID: "one", Verdict: claims.Reproduced}}}}
	judged := VerdictsOf(l, made)
	require.Len(t, judged, 1)
	assert.Equal(t, statement.Holds, judged[0].Verdicts[0].Verdict)
	want := "warning: " + filepath.Join(dir, "a.yaml") + ":5: claim two decides no statement; name it in " + filepath.Join(dir, StatementsFile) + ", mark it with check or superseded, or delete it\n"
	assert.Equal(t, want, said.String())

	said.Reset()
	_, err := Verdicts(l, []string{"mine"})
	require.NoError(t, err)
	assert.Equal(t, want, said.String())
	said.Reset()
	Warn(l, []string{"mine/b", "other"})
	assert.Empty(t, said.String())

	// A statement that names no claim there is cannot be judged; the others' figures go on.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("figure: {}\n"), 0o600))
	said.Reset()
	assert.Empty(t, VerdictsOf(l, made))
	assert.Contains(t, said.String(), "warning: the statements of mine are not judged: ")
	_, err = Verdicts(l, []string{"mine"})
	require.ErrorContains(t, err, "has no claim")
}

// Every claim has its control, or says why not; one that was replaced names its seeds.
func TestClaimsHaveControls(t *testing.T) {
	l := checkout(t)
	for _, paper := range []string{"fncc", "conga", "numfabric", "flowtune", "dart", "ai", "validation"} {
		figures, err := claimsIn(filepath.Join(l.Set.Root, "configs"), paper)
		require.NoError(t, err)
		for figure, claims := range figures {
			for _, c := range claims {
				assert.True(t, c.Control != nil || c.Check != "" || c.Superseded != nil, "%s: %s has no control", figure, c.ID)
				if c.Superseded != nil && c.Superseded.By != "" {
					assert.NotEmpty(t, c.Superseded.Seeds, "%s: %s does not say which seeds judged it", figure, c.ID)
				}
			}
		}
	}
}

// What does not hold as it stands has its cause in a sentence.
func TestVerdictsOfTheRecords(t *testing.T) {
	papers, err := Verdicts(checkout(t), nil)
	require.NoError(t, err)
	assert.Len(t, papers, 5)
	for _, p := range papers {
		for _, v := range p.Verdicts {
			if v.Verdict == statement.DoesNotHold || v.Verdict == statement.HoldsIf {
				assert.NotEmpty(t, v.Statement.Cause, "%s %s %s: %s", p.ID, v.ID, v.Verdict, v.Why)
			}
			if v.Verdict == statement.HoldsIf {
				assert.Contains(t, v.Command, "--reading", "%s %s", p.ID, v.ID)
			}
		}
	}
}
