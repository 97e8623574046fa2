package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/progress"
	"fabriclab/harness/slurm"
	"fabriclab/harness/slurm/slurmtest"
)

// statusOf is what `fabriclab status` says of the only sweep.
func statusOf(t *testing.T, c *slurmtest.Cluster, results string) slurm.Status {
	t.Helper()
	stdout, stderr, err := fabriclab(t, c.Env, "status", "--json", "--out", results)
	require.NoError(t, err, stderr)
	var all []slurm.Status
	require.NoError(t, json.Unmarshal([]byte(stdout), &all))
	require.Len(t, all, 1)
	return all[0]
}

// waitFor waits until the sweep's status is as wanted.
func waitFor(t *testing.T, c *slurmtest.Cluster, results string, wanted func(slurm.Status) bool) slurm.Status {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		s := statusOf(t, c, results)
		if wanted(s) {
			return s
		}
		require.True(t, time.Now().Before(end), "%+v", s)
	}
}

// TestSlurm runs sweeps on a real Slurm.
func TestSlurm(t *testing.T) {
	t.Parallel() // it waits most of the time
	c := slurmtest.Start(t, lab.root)
	local := filepath.Join(t.TempDir(), "results")
	_, stderr, err := fabriclab(t, nil, "run", resumeSweep, "--out", local)
	require.NoError(t, err, stderr)
	want := tablesOf(t, local)
	onSlurm := func(results string, args ...string) (string, string, error) {
		return fabriclab(t, c.Env, append([]string{"run", "--executor", "slurm", "--out", results}, args...)...)
	}

	t.Run("the tables are those of this machine", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		stdout, stderr, err := onSlurm(results, resumeSweep, "--json", "--slurm-partition", "main", "--slurm-throttle", "3",
			"--slurm-time", "90s", "--slurm-memory", "1GB", "--slurm-arg", "--comment=a sweep")
		require.NoError(t, err, stderr)
		requireSame(t, want, tablesOf(t, results), "on Slurm")
		kinds := map[progress.Kind]int{}
		for line := range strings.Lines(stdout) {
			var e progress.Event
			require.NoError(t, json.Unmarshal([]byte(line), &e), line)
			kinds[e.Kind]++
			if e.Kind == progress.Summary {
				assert.Equal(t, progress.Counts{Runs: 8, Done: 8}, *e.Counts)
			}
		}
		assert.Equal(t, []int{8, 8, 8, 1}, []int{kinds[progress.Queued], kinds[progress.Started], kinds[progress.Done], kinds[progress.Summary]})
		s := statusOf(t, c, results)
		assert.Equal(t, slurm.StatusCounts{Runs: 8, Done: 8}, s.Counts)
		require.Len(t, s.Jobs, 1)
		asked := c.Run(t, "scontrol", "show", "job", s.Jobs[0])
		for _, text := range []string{"ArrayTaskThrottle=3", "TimeLimit=00:02:00", "Partition=main", "Comment=a sweep"} {
			assert.Contains(t, asked, text)
		}
		assert.Regexp(t, `MinMemoryNode=954M`, asked, "1 GB in MiB, rounded up")

		stdout, stderr, err = onSlurm(results, resumeSweep)
		require.NoError(t, err, stderr)
		assert.Equal(t, 8, strings.Count(stdout, " valid "), stdout)
		assert.Len(t, statusOf(t, c, results).Jobs, 1, "nothing was submitted")
	})

	t.Run("a reading, on two cores", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		args := []string{resumeSweep, "--reading", "stages=none", "--seed", "1"}
		_, stderr, err := onSlurm(results, append(args, "--threads", "2")...)
		require.NoError(t, err, stderr)
		here := filepath.Join(t.TempDir(), "results")
		_, stderr, err = fabriclab(t, nil, append([]string{"run", "--out", here}, args...)...)
		require.NoError(t, err, stderr)
		requireSame(t, tablesOf(t, here), tablesOf(t, results), "on Slurm")
		s := statusOf(t, c, results)
		assert.Contains(t, c.Run(t, "scontrol", "show", "job", s.Jobs[0]), "CPUs/Task=2")
	})

	t.Run("submitted and collected later", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		stdout, stderr, err := onSlurm(results, resumeSweep, "--no-wait", "--slurm-arg=--hold")
		require.NoError(t, err, stderr)
		job := regexp.MustCompile(`Slurm job (\d+): 8 runs`).FindStringSubmatch(stdout)
		require.NotNil(t, job, stdout)
		s := statusOf(t, c, results)
		assert.Equal(t, slurm.StatusCounts{Runs: 8, Pending: 8}, s.Counts)
		assert.Equal(t, "JobHeldUser", s.Tasks[0].Text)

		// One task is taken off the cluster before the others go on (in the
		// middle: TestSlurmLosesNodes); it is submitted again.
		c.Run(t, "scancel", job[1]+"_7")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			stdout, stderr, err = onSlurm(results, resumeSweep, "--retry", "1")
		}()
		// The others are held until then: a job that is over when the sweep comes back has nothing to try again.
		waitFor(t, c, results, func(s slurm.Status) bool { return s.Tasks[7].Attempt == 2 })
		c.Run(t, "scontrol", "release", job[1])
		<-ended
		require.NoError(t, err, stderr)
		assert.Regexp(t, `failed and is tried again \(attempt 2\): (it was canceled in Slurm|Slurm no longer knows it)`, stderr)
		assert.Equal(t, 8, strings.Count(stdout, " done ")+strings.Count(stdout, " valid "), stdout)
		s = statusOf(t, c, results)
		assert.Equal(t, slurm.StatusCounts{Runs: 8, Done: 8}, s.Counts)
		assert.Len(t, s.Jobs, 2, "the first one was found and not submitted again")
		assert.Equal(t, 2, s.Tasks[7].Attempt)
		requireSame(t, want, tablesOf(t, results), "collected")
	})

	t.Run("failures are named", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		stdout, stderr, err := onSlurm(results, resumeSweep, "--memory-limit", "1MB", "--retry", "1", "--seed", "1", "--set", "preset=fncc")
		require.Error(t, err)
		assert.Contains(t, stderr, "2 of 2 runs failed")
		assert.Regexp(t, `run resume-[0-9a-f]{8} preset=fncc rate=50Gbps ns3 seed 1: it took [0-9.]+MB of memory, more than its limit of 1MB`, stderr)
		assert.NotContains(t, stderr, "tried again", "it would come out the same")
		assert.Equal(t, 2, strings.Count(stdout, "FAILED"), stdout)
		s := statusOf(t, c, results)
		assert.Equal(t, slurm.StatusCounts{Runs: 2, Failed: 2}, s.Counts)

		// Without the limit the same command makes them.
		_, stderr, err = onSlurm(results, resumeSweep, "--seed", "1", "--set", "preset=fncc")
		require.NoError(t, err, stderr)
	})

	t.Run("changed after it was submitted", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		text, err := os.ReadFile(resumeSweep)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "resume.yaml")
		require.NoError(t, os.WriteFile(file, text, 0o644))
		_, stderr, err := onSlurm(results, file, "--no-wait", "--slurm-arg=--hold", "--seed", "1", "--set", "preset=hpcc")
		require.NoError(t, err, stderr)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "20us", "30us", 1)), 0o644))
		c.Run(t, "scontrol", "release", statusOf(t, c, results).Jobs[0])
		s := waitFor(t, c, results, func(s slurm.Status) bool { return s.Counts.Failed == 2 })
		assert.Contains(t, s.Tasks[0].Text, "was changed since the sweep was submitted; submit it again")
	})

	t.Run("a project with mechanisms of its own", func(t *testing.T) {
		p := project{t: t, dir: t.TempDir(), cache: t.TempDir()}
		p.must("new", "mechanism", "my_cc", "--dir", "mine")
		p.must("new", "experiment", "sub/first", "--preset", "my_cc")
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, "fabriclab.yaml"), []byte("jobs: 1\n"), 0o644))
		results := filepath.Join(t.TempDir(), "results") // not in the project
		run := func(args ...string) string {
			p.env = c.Env
			return p.must(append([]string{"run", "sub/first", "--executor", "slurm", "--out", results}, args...)...)
		}
		assert.Equal(t, 1, strings.Count(run("--mechanisms", "mine"), " done "))
		want := tablesOf(t, results)
		assert.Equal(t, 1, strings.Count(run("--mechanisms", filepath.Join(p.dir, "mine")), " valid "), "the same folder, written otherwise")
		p.must("run", "sub/first", "--mechanisms", "mine")
		requireSame(t, tablesOf(t, filepath.Join(p.dir, "results")), want, "on Slurm")
		p.change("mine/my_cc/my_cc.cc", "+= static", "+= 2 * static")
		assert.Equal(t, 1, strings.Count(run("--mechanisms", "mine"), " done "), "the mechanism has changed")
	})

	t.Run("Ctrl-C takes it off the cluster", func(t *testing.T) {
		results := filepath.Join(t.TempDir(), "results")
		s := startSweep(t, results, append(os.Environ(), c.Env...), "--executor", "slurm", "--slurm-arg=--hold")
		require.Eventually(t, func() bool {
			dirs := slurm.Folders(results)
			if len(dirs) == 0 {
				return false
			}
			f, err := slurm.Open(dirs[0])
			return err == nil && len(f.Submissions) == 1
		}, patience, 50*time.Millisecond)
		require.NoError(t, s.Process.Signal(syscall.SIGINT))
		<-s.ended
		require.Error(t, s.status)
		assert.Contains(t, s.out.String(), "interrupted")
		require.Eventually(t, func() bool { return strings.TrimSpace(c.Run(t, "squeue", "--noheader")) == "" }, patience, 200*time.Millisecond)
	})
}
