package papers

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		f, err := Statements(l, paper)
		require.NoError(t, err)
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
	_, err := Statements(l, "fnc")
	require.ErrorContains(t, err, `did you mean "fncc"?`)
}

// Every claim that decides a statement has its control, or says why not.
func TestClaimsHaveControls(t *testing.T) {
	l := checkout(t)
	for _, paper := range []string{"fncc", "conga", "numfabric", "flowtune", "dart"} {
		figures, err := claimsIn(filepath.Join(l.Set.Root, "configs"), paper)
		require.NoError(t, err)
		for figure, claims := range figures {
			for _, c := range claims {
				assert.True(t, c.Control != nil || c.Check != "" || c.Superseded != nil, "%s: %s has no control", figure, c.ID)
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
