package slurm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/engine"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

// The real thing is in harness/e2e/slurm_test.go. Here Slurm's programs are
// scripts that play what a test cannot make a real one do.

// play puts scripts in front of Slurm's programs. sbatch gives out the numbers
// 1, 2, … and keeps its arguments in sbatch.log.
func play(t *testing.T, squeue string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, script := range map[string]string{
		"sbatch":   `echo "$@" >>$D/sbatch.log; wc -l <$D/sbatch.log`,
		"squeue":   squeue,
		"scontrol": `echo "MaxArraySize            = 3"`,
		"scancel":  `echo "$@" >>$D/scancel.log`,
	} {
		text := "#!/bin/sh\nD=" + dir + "\n" + script + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

type recorder struct {
	mu     sync.Mutex
	events []progress.Event
}

func (r *recorder) Event(e progress.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) texts(kind progress.Kind) (texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			texts = append(texts, e.Run+": "+e.Text)
		}
	}
	return texts
}

func executor(t *testing.T) (*Executor, *recorder) {
	t.Helper()
	sink := &recorder{}
	return &Executor{
		Options:  run.Options{Settings: run.Settings{KeepGoing: true}, Store: store.New(t.TempDir()), Sink: sink},
		Settings: Settings{Partition: "fast", Time: 61 * time.Second, Memory: 1 << 30, Cores: 4, Throttle: 5, Args: []string{"--account=lab"}},
		Command:  []string{"run-one", "--root", "/a b's"},
		Spec:     func(run.Job) (json.RawMessage, error) { return json.RawMessage(`{}`), nil },
		Poll:     10 * time.Millisecond,
	}, sink
}

func jobs(n int) []run.Job {
	all := make([]run.Job, n)
	for i := range all {
		all[i] = run.Job{
			Key:   store.Key{Experiment: "test/x", ScenarioHash: "cafe", Engine: "ns3", Seed: uint64(i)},
			Title: fmt.Sprint("run ", i), Program: &engine.Program{BuildID: "b"},
		}
	}
	return all
}

func TestLargeSweepsAreSeveralArrays(t *testing.T) {
	dir := play(t, "")
	x, _ := executor(t)
	f, err := x.Submit(context.Background(), jobs(5))
	require.NoError(t, err)
	assert.Equal(t, []Submission{{"1", 1, []int{0, 1}}, {"2", 1, []int{2, 3}}, {"3", 1, []int{4}}}, f.Submissions)
	log, err := os.ReadFile(filepath.Join(dir, "sbatch.log"))
	require.NoError(t, err)
	calls := strings.Split(strings.TrimSpace(string(log)), "\n")
	require.Len(t, calls, 3)
	assert.Contains(t, calls[0], "--array=0-1%5 ")
	assert.Contains(t, calls[2], "--array=0-0%5 ")
	assert.Contains(t, calls[0], " --partition=fast --time=2 --mem=1024M --cpus-per-task=4 --account=lab "+f.Dir+"/job.sh list-0.json")

	opened, err := Open(f.Dir)
	require.NoError(t, err)
	assert.Equal(t, f.Submissions, opened.Submissions)
	task, events, err := opened.Mine("list-1.json", 1)
	require.NoError(t, err)
	require.NoError(t, events.Close())
	assert.Equal(t, "run 3", task.Title)
	_, _, err = opened.Mine("list-2.json", 1)
	require.ErrorContains(t, err, "has no element 1")

	script, err := os.ReadFile(filepath.Join(f.Dir, "job.sh"))
	require.NoError(t, err)
	assert.Contains(t, string(script), "/fabriclab' 'run-one' '--root' '/a b'\\''s' '"+f.Dir+"' --list \"$1\" --element \"$SLURM_ARRAY_TASK_ID\"")
}

// say writes what the first task says.
func say(t *testing.T, f *Folder, text string) {
	t.Helper()
	file, err := os.OpenFile(f.events(0, 1), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestMonitorReadsWhatTasksSay(t *testing.T) {
	play(t, `echo "1|0|RUNNING|None"; echo "1|1|PENDING|QOSMaxJobsPerUserLimit"; echo "1|7|x"; echo "1|a|RUNNING|None"`)
	x, _ := executor(t)
	f, err := x.Submit(context.Background(), jobs(2))
	require.NoError(t, err)
	m := newMonitor(f)
	var got []string
	poll := func() []int {
		ended, err := m.poll(context.Background(), func(task int, e progress.Event) { got = append(got, fmt.Sprint(task, " ", e.Kind, " ", e.Text)) })
		require.NoError(t, err)
		return ended
	}
	say(t, f, `{"event":"queued"}`+"\n"+`{"event":"started"}`+"\n"+`{"event":"war`)
	assert.Empty(t, poll())
	say(t, f, `ning","text":"half a line is read when it is whole"}`+"\nnonsense\n")
	assert.Empty(t, poll())
	assert.Equal(t, []string{"0 started ", "1 waiting waits in Slurm: QOSMaxJobsPerUserLimit", "0 warning half a line is read when it is whole"}, got)
	say(t, f, `{"event":"failed","text":"crashed","final":true}`+"\n")
	assert.Equal(t, []int{0}, poll())
	assert.Equal(t, []string{"1"}, m.open())
}

// TestFailedTasksAreSubmittedAgain: each in its own attempt, and only those for
// which it may help.
func TestFailedTasksAreSubmittedAgain(t *testing.T) {
	dir := play(t, "")
	x, sink := executor(t)
	x.Retry = 1
	// Every array's tasks fail as soon as it is submitted; the first task for
	// good.
	text := `#!/bin/sh
D=` + dir + `
echo "$@" >>$D/sbatch.log
n=$(wc -l <$D/sbatch.log)
for a; do case $a in --chdir=*) F=${a#--chdir=};; esac; done
case $n in
1) echo '{"event":"failed","text":"refused","final":true}' >$F/events/0-1.jsonl
   echo '{"event":"failed","text":"crashed"}' >$F/events/1-1.jsonl ;;
2) echo '{"event":"failed","text":"crashed again","log":"/there"}' >$F/events/1-2.jsonl ;;
esac
echo $n
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte(text), 0o755))
	results := x.Run(context.Background(), jobs(2))
	require.ErrorContains(t, results[0].Err, "run run 0: refused")
	require.ErrorContains(t, results[1].Err, "run run 1: crashed again (the last of 2 attempts)\n  log:    /there")
	assert.Equal(t, []string{"run 1: crashed"}, sink.texts(progress.Retry))
	assert.Equal(t, []string{"run 0: refused", "run 1: crashed again"}, sink.texts(progress.Failed))
	f, err := Open(FolderOf(x.Store.Root(), identify(jobs(2))))
	require.NoError(t, err)
	assert.Equal(t, []Submission{{"1", 1, []int{0, 1}}, {"2", 2, []int{1}}}, f.Submissions)
}

func TestWithoutKeepGoingTheRestIsTakenOffTheCluster(t *testing.T) {
	dir := play(t, `echo "1|1|PENDING|Resources"`)
	x, sink := executor(t)
	x.KeepGoing = false
	f, err := x.Submit(context.Background(), jobs(2))
	require.NoError(t, err)
	say(t, f, `{"event":"failed","text":"crashed"}`+"\n")
	results := x.Run(context.Background(), jobs(2)) // finds what was submitted
	require.ErrorContains(t, results[0].Err, "crashed")
	require.ErrorIs(t, results[1].Err, run.ErrSkipped)
	assert.Len(t, sink.texts(progress.Canceled), 1)
	log, err := os.ReadFile(filepath.Join(dir, "scancel.log"))
	require.NoError(t, err)
	assert.Equal(t, "1\n", string(log))
}

func TestWithoutSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	x, sink := executor(t)
	results := x.Run(context.Background(), jobs(2))
	require.ErrorContains(t, results[1].Err, "scontrol is not here: log in to a machine from which the cluster takes jobs, or use --executor local")
	assert.Len(t, sink.texts(progress.Canceled), 2)
}

func TestControllerThatIsAway(t *testing.T) {
	dir := play(t, "")
	x, sink := executor(t)
	_, err := x.Submit(context.Background(), jobs(1))
	require.NoError(t, err)
	// The first answer says that the job runs, then none comes for a while.
	squeue := `#!/bin/sh
n=$(cat ` + dir + `/n 2>/dev/null || echo 0); echo $((n+1)) >` + dir + `/n
case $n in 0) echo "1|0|RUNNING|None";; 1|2) echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1;;
*) echo '{"event":"failed","text":"crashed"}' >` + x.Store.Root() + `/.sweeps/*/events/0-1.jsonl;; esac
`
	squeue = strings.Replace(squeue, x.Store.Root()+"/.sweeps/*", FolderOf(x.Store.Root(), identify(jobs(1))), 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte(squeue), 0o755))
	results := x.Run(context.Background(), jobs(1))
	require.ErrorContains(t, results[0].Err, "crashed")
	warnings := sink.texts(progress.Warning)
	require.Len(t, warnings, 2)
	assert.Contains(t, warnings[0], "Unable to contact slurm controller")
}

// TestLimitsOfSlurmAreFinal: the same limits would end the task again.
func TestLimitsOfSlurmAreFinal(t *testing.T) {
	for state, again := range map[string]bool{"TIMEOUT": false, "OUT_OF_MEMORY": false, "NODE_FAIL": true, "CANCELLED": true} {
		x, sink := executor(t)
		x.Retry = 1
		r := &running{Executor: x, jobs: jobs(1), results: make([]run.Result, 1), folder: &Folder{}}
		assert.Equal(t, again, r.collect(&watched{attempt: 1, standing: standing{state: state}}), state)
		assert.Equal(t, again, len(sink.texts(progress.Retry)) == 1, state)
		assert.Equal(t, again, r.results[0].Err == nil, state)
	}
}

// complete makes a job's result.
func complete(t *testing.T, x *Executor, job run.Job) {
	t.Helper()
	r, err := x.Store.Begin(context.Background(), job.Key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "log.txt"), []byte("well"), 0o644))
	log, err := store.HashFile(filepath.Join(r.Dir(), "log.txt"))
	require.NoError(t, err)
	require.NoError(t, r.Complete(&store.Manifest{
		Experiment: job.Key.Experiment, ScenarioHash: job.Key.ScenarioHash, Engine: store.Engine{Name: job.Key.Engine, BuildID: job.Program.BuildID},
		Seed: job.Key.Seed, State: store.StateOK, Summary: json.RawMessage(`{}`),
		Outputs: map[string]store.File{"log.txt": log},
	}))
	_, err = x.Store.Find(job.Key, job.Program.BuildID, x.Verify)
	require.NoError(t, err)
}

// TestAnEarlierResultIsNotAgain: with --again a task that Slurm ends leaves the
// result that there was before, which is not what it has made.
func TestAnEarlierResultIsNotAgain(t *testing.T) {
	for _, c := range []struct {
		again bool
		last  progress.Kind
		made  bool
	}{{false, progress.Started, true}, {true, progress.Done, true}, {true, progress.Started, false}, {true, "", false}} {
		play(t, "")
		x, sink := executor(t)
		x.Again = c.again
		complete(t, x, jobs(1)[0])
		r := &running{Executor: x, jobs: jobs(1), results: make([]run.Result, 1), folder: &Folder{}}
		assert.False(t, r.collect(&watched{attempt: 1, last: progress.Event{Kind: c.last}, standing: standing{state: "CANCELLED"}}))
		assert.Equal(t, c.made, r.results[0].Err == nil, "%+v", c)
		assert.Equal(t, c.made, len(sink.texts(progress.Done)) == 1, "%+v", c)

		f, err := create(FolderOf(x.Store.Root(), "s"), Sweep{ID: "s", Again: c.again, Tasks: []Task{{Title: "run 0", Key: jobs(1)[0].Key, BuildID: "b"}}}, "", nil)
		require.NoError(t, err)
		require.NoError(t, f.submitted(Submission{"1", 1, []int{0}}))
		if c.last != "" {
			say(t, f, `{"event":"`+string(c.last)+"\"}\n")
		}
		status, err := f.Look(context.Background(), x.Store)
		require.NoError(t, err)
		assert.Equal(t, c.made, status.Counts.Done == 1, "%+v", c)
	}
}

// TestARunThatWasNotSubmittedIsNotForgotten: a sweep is on the cluster without a
// run that had a result then. Who asks for that run again got nothing, and no error.
func TestARunThatWasNotSubmittedIsNotForgotten(t *testing.T) {
	play(t, `echo "1|0|RUNNING|None"`)
	x, _ := executor(t)
	complete(t, x, jobs(2)[0])
	f, err := x.Submit(context.Background(), jobs(2))
	require.NoError(t, err)
	require.Equal(t, []Submission{{"1", 1, []int{1}}}, f.Submissions)
	x.Again = true
	_, err = x.Submit(context.Background(), jobs(2))
	require.ErrorContains(t, err, "is on the cluster without run 0")
	results := x.Run(context.Background(), jobs(2))
	require.ErrorContains(t, results[0].Err, "is on the cluster without run 0")
}
