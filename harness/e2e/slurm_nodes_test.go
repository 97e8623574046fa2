package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/slurm"
	"fabriclab/harness/slurm/slurmtest"
)

// longer makes the runs of the sweep last long enough to be disturbed.
var longer = []string{"--set", "trace.rates.interval=20ns", "--set", "trace.queues.interval=20ns"}

// TestSlurmLosesNodes: whatever happens to nodes and tasks of a cluster, the
// same command comes to the same bytes.
func TestSlurmLosesNodes(t *testing.T) {
	t.Parallel() // it waits most of the time
	whole := t   // in which nodes live on when one of its parts is over
	c := slurmtest.StartNodes(t, lab.root, 2)
	local := filepath.Join(t.TempDir(), "results")
	_, stderr, err := fabriclab(t, nil, append([]string{"run", resumeSweep, "--out", local}, longer...)...)
	require.NoError(t, err, stderr)
	want := tablesOf(t, local)

	// begin starts the sweep on the cluster and waits until tasks are at work.
	begin := func(t *testing.T, results string, atWork int) (*sweep, slurm.Status) {
		t.Helper()
		s := startSweep(t, results, append(os.Environ(), c.Env...), append([]string{"--executor", "slurm", "--retry", "2"}, longer...)...)
		require.Eventually(t, func() bool { return len(slurm.Folders(results)) == 1 }, patience, 50*time.Millisecond)
		return s, waitFor(t, c, results, func(s slurm.Status) bool { return s.Counts.Running >= atWork || s.Counts.Done > 0 })
	}
	end := func(t *testing.T, s *sweep, results, because string) {
		t.Helper()
		<-s.ended
		require.NoError(t, s.status, s.out.String())
		requireSame(t, want, tablesOf(t, results), because)
		requireTidy(t, elsewhere(t, results, "resume"))
		assert.Equal(t, 8, statusOf(t, c, results).Counts.Done)
	}

	t.Run("a task is requeued", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		s, status := begin(t, results, 2)
		c.Try("scontrol", "requeue", status.Jobs[0]+"_0") // one of them may have ended just now
		c.Try("scontrol", "requeue", status.Jobs[0]+"_1")
		end(t, s, results, "after a requeue")
	})

	t.Run("a task is canceled in the middle", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		s, status := begin(t, results, 2)
		c.Try("scancel", status.Jobs[0]+"_0", status.Jobs[0]+"_1", status.Jobs[0]+"_5")
		end(t, s, results, "after scancel")
	})

	t.Run("a node dies", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		launched := func() int { return strings.Count(c.Log(t, slurmtest.Node(2)), "Launching batch job") }
		before := launched()
		s, _ := begin(t, results, 1)
		require.Eventually(t, func() bool { return launched() > before }, patience, 10*time.Millisecond, "it has nothing to do")
		c.KillNode(t, slurmtest.Node(2))
		end(t, s, results, "after a node died")
		c.StartNode(whole, slurmtest.Node(2))
	})

	t.Run("a node's spool is full", func(t *testing.T) {
		spool := c.Spool(slurmtest.Node(2))
		if err := syscall.Mount("none", spool, "tmpfs", 0, "size=64k"); err != nil {
			t.Skipf("a small file system cannot be mounted: %v", err)
		}
		defer func() { require.NoError(t, syscall.Unmount(spool, syscall.MNT_DETACH)) }()
		_ = os.WriteFile(filepath.Join(spool, "full"), make([]byte, 1<<20), 0o644) // as much as goes in
		results := filepath.Join(t.TempDir(), "results")
		s := startSweep(t, results, append(os.Environ(), c.Env...), append([]string{"--executor", "slurm", "--retry", "2"}, longer...)...)
		// Slurm holds what it could not launch, or drains the node: whoever looks after it makes room and lets go.
		freed := false
		for !s.over() {
			time.Sleep(500 * time.Millisecond)
			held := c.Try("squeue", "--noheader", "--array", "--states=PENDING", "--format=%A %r")
			if !freed && (strings.Contains(held, "held") || strings.Contains(c.Try("sinfo", "--noheader", "--format=%T"), "drain")) {
				require.NoError(t, os.Remove(filepath.Join(spool, "full")))
				freed = true
				c.Try("scontrol", "update", "nodename="+slurmtest.Node(2), "state=resume")
			}
			for line := range strings.Lines(held) {
				if job, reason, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(reason, "held") {
					c.Try("scontrol", "release", job)
				}
			}
		}
		assert.Contains(t, c.Log(t, slurmtest.Node(2)), "No space left on device")
		end(t, s, results, "with a full spool")
	})
}
