package slurm

import (
	"context"
	"time"

	"fabriclab/harness/progress"
	"fabriclab/harness/store"
)

// Status is how a submitted sweep stands.
type Status struct {
	ID      string       `json:"id"`
	Dir     string       `json:"dir"`
	Created time.Time    `json:"created"`
	Jobs    []string     `json:"slurm_jobs"` // arrays, the latest last
	Counts  StatusCounts `json:"counts"`
	Tasks   []TaskStatus `json:"tasks"`
}

// StatusCounts counts the tasks of a sweep.
type StatusCounts struct {
	Runs    int `json:"runs"`
	Done    int `json:"done"`
	Running int `json:"running"`
	Pending int `json:"pending"`
	Failed  int `json:"failed"`
}

// TaskStatus is how one run stands: pending, running, done or failed.
type TaskStatus struct {
	Run     string `json:"run"`
	State   string `json:"state"`
	Attempt int    `json:"attempt,omitempty"`
	Dir     string `json:"dir,omitempty"`  // of the result
	Text    string `json:"text,omitempty"` // why it failed or waits
	Log     string `json:"log,omitempty"`
	SimPS   int64  `json:"sim_ps,omitempty"`
	StopPS  int64  `json:"stop_ps,omitempty"`
}

// Look says how a sweep stands.
func (f *Folder) Look(ctx context.Context, s *store.Store) (*Status, error) {
	m := newMonitor(f)
	if _, err := m.poll(ctx, func(int, progress.Event) {}); err != nil {
		return nil, err
	}
	status := &Status{ID: f.ID, Dir: f.Dir, Created: f.Created}
	for _, submission := range f.Submissions {
		status.Jobs = append(status.Jobs, submission.Job)
	}
	status.Counts.Runs = len(f.Tasks)
	for i, t := range m.tasks {
		one := TaskStatus{Run: f.Tasks[i].Title, Attempt: t.attempt}
		_, err := s.Find(f.Tasks[i].Key, f.Tasks[i].BuildID, store.Sizes)
		switch {
		case t.last.Kind == progress.Failed:
			one.State, one.Text, one.Log = "failed", t.last.Text, t.last.Log
			status.Counts.Failed++
		case err == nil && (t.attempt == 0 || t.made(f.Again)) && (t.state == Ended || !t.silent.IsZero()):
			one.State, one.Dir = "done", s.Dir(f.Tasks[i].Key)
			status.Counts.Done++
		case t.state == Ended || !t.silent.IsZero():
			one.State, one.Text, one.Log = "failed", t.standing.ended(), f.log(t.element.job, t.element.index)
			status.Counts.Failed++
		case t.state == Running:
			one.State, one.SimPS, one.StopPS = "running", t.last.SimPS, t.last.StopPS
			status.Counts.Running++
		default:
			one.State, one.Text = "pending", t.standing.reason
			status.Counts.Pending++
		}
		status.Tasks = append(status.Tasks, one)
	}
	return status, nil
}
