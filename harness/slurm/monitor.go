package slurm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"fabriclab/base/file"
	"fabriclab/harness/progress"
)

// State is how far a task is.
type State string

// The states of a task.
const (
	Pending State = "pending"
	Running State = "running"
	Ended   State = "ended" // with or without a result
)

// settle is how long it may take until a file that a task wrote can be seen
// here: shared file systems cache.
const settle = 10 * time.Second

// monitor watches the tasks of a sweep.
type monitor struct {
	folder *Folder
	tasks  []watched
}

// watched is a task in its latest attempt.
type watched struct {
	task, attempt int
	element       element
	state         State
	standing      standing
	silent        time.Time // since when Slurm says that it has ended
	offset        int64     // of what was read of its events
	last          progress.Event
}

// made says whether a result that is there after a task's end is the task's. Of one
// that makes a run again, it may be the earlier one: then the task has to say so.
func (t *watched) made(again bool) bool {
	if again {
		return t.last.Kind == progress.Done
	}
	return t.last.Kind != progress.Failed
}

func newMonitor(f *Folder) *monitor {
	m := &monitor{folder: f, tasks: make([]watched, len(f.Tasks))}
	for i := range m.tasks {
		m.tasks[i] = watched{task: i, state: Ended} // not submitted: it had a result
	}
	for _, s := range f.Submissions {
		m.follow(s)
	}
	return m
}

// follow watches the tasks of a new submission.
func (m *monitor) follow(s Submission) {
	for i, n := range s.Tasks {
		m.tasks[n] = watched{task: n, attempt: s.Attempt, element: element{s.Job, i}, state: Pending}
	}
}

// open are the array jobs that have tasks that have not ended.
func (m *monitor) open() []string {
	var jobs []string
	for _, t := range m.tasks {
		if t.state != Ended && !slices.Contains(jobs, t.element.job) {
			jobs = append(jobs, t.element.job)
		}
	}
	return jobs
}

// poll asks Slurm and reads what the tasks have written. forward gets the
// events in the order of the tasks; ended are those that have ended since.
func (m *monitor) poll(ctx context.Context, forward func(task int, e progress.Event)) (ended []int, err error) {
	// Slurm is asked first: what it says has ended has written everything.
	known, err := states(ctx, m.open())
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for i := range m.tasks {
		t := &m.tasks[i]
		if t.state == Ended {
			continue
		}
		s := known[t.element]
		if err := m.read(t, forward); err != nil {
			return ended, err
		}
		if s.waits() && s != t.standing && !s.usual() {
			forward(t.task, progress.Event{Kind: progress.Waiting, Time: now, Text: "waits in Slurm: " + s.reason})
		}
		if s.state != "" { // what ended a while ago is not listed
			t.standing = s
		}
		switch {
		case t.last.Kind == progress.Done || t.last.Kind == progress.Cached || t.last.Kind == progress.Failed:
			t.state = Ended
		case s.waits():
			t.state, t.silent = Pending, time.Time{}
		case s.runs():
			t.state, t.silent = Running, time.Time{}
		case t.silent.IsZero():
			t.silent = now
		case now.Sub(t.silent) > settle:
			t.state = Ended
		}
		if t.state == Ended {
			ended = append(ended, t.task)
		}
	}
	return ended, nil
}

// read takes in the events a task has written since.
func (m *monitor) read(t *watched, forward func(task int, e progress.Event)) error {
	f, err := file.Open(m.folder.events(t.task, t.attempt))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(t.offset, io.SeekStart); err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(text, '\n') + 1 // a line may be half-written
	t.offset += int64(end)
	for line := range bytes.Lines(text[:end]) {
		var e progress.Event
		if json.Unmarshal(line, &e) != nil {
			continue // nothing that run-one writes
		}
		switch e.Kind {
		case progress.Queued, progress.Summary, progress.Canceled: // said here, or by Slurm
			continue
		}
		t.last = e
		forward(t.task, e)
	}
	return nil
}
