package run

import (
	"path/filepath"
	"sync"

	"fabriclab/harness/store"
)

// defaultMemory is the memory expected of a run of which nothing is known.
const defaultMemory = 512_000_000

// experience is what runs took, to expect the same of those to come.
type experience struct {
	mu   sync.Mutex
	took map[store.Key]*took // of keys with parts left out
}

// took is what the runs behind a key took.
type took struct {
	memory int64 // of the largest
	wall   float64
	runs   int
}

// recall reads the manifests of the jobs' experiments, whichever build made
// the runs. Manifests that cannot be read tell nothing.
func recall(s *store.Store, jobs []Job) *experience {
	e := &experience{took: map[store.Key]*took{}}
	if len(jobs) == 1 {
		return e // it waits for nobody; on a cluster, a thousand of its like would read a thousand manifests
	}
	seen := map[string]bool{}
	for _, job := range jobs {
		if seen[job.Key.Experiment] {
			continue
		}
		seen[job.Key.Experiment] = true
		dirs, err := store.Runs(filepath.Join(s.Root(), filepath.FromSlash(job.Key.Experiment)))
		if err != nil {
			continue
		}
		for _, dir := range dirs {
			m, err := store.Read(dir)
			if err != nil || m.Experiment != job.Key.Experiment {
				continue
			}
			e.learn(store.Key{Experiment: m.Experiment, ScenarioHash: m.ScenarioHash, Engine: m.Engine.Name, Seed: m.Seed}, m.Resources)
		}
	}
	return e
}

// kinds are a run, the point and the experiment it belongs to, on its engine.
func kinds(k store.Key) [3]store.Key {
	point, all := k, k
	const anySeed = ^uint64(0) // no seed is as large
	point.Seed, all.Seed = anySeed, anySeed
	all.ScenarioHash = ""
	return [3]store.Key{k, point, all}
}

func (e *experience) learn(k store.Key, r store.Resources) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, kind := range kinds(k) {
		t := e.took[kind]
		if t == nil {
			t = &took{}
			e.took[kind] = t
		}
		t.memory = max(t.memory, r.PeakRSSBytes)
		t.wall += r.WallS
		t.runs++
	}
}

// expect says what a run will take: what the same run took, or other seeds of
// its point, or the largest of its experiment. The time is 0 if nothing is
// known.
func (e *experience) expect(k store.Key) (memory int64, wallS float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, kind := range kinds(k) {
		if t := e.took[kind]; t != nil {
			return t.memory, t.wall / float64(t.runs)
		}
	}
	return defaultMemory, 0
}
