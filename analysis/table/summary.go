package table

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"fabriclab/base/file"
)

// Summary reads the summary of the run in dir (docs/formats.md, Summary).
func Summary(dir string, into any) error {
	path := filepath.Join(dir, "summary.json")
	data, err := file.Read(path)
	if err != nil {
		return fmt.Errorf("run %s: reading its summary: %w", dir, err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return corrupt(dir, path, err)
	}
	return nil
}

// RunEnd is the simulated time in ps at which the run in dir ended.
func RunEnd(dir string) (int64, error) {
	var s struct {
		SimPs int64 `json:"sim_ps"`
	}
	err := Summary(dir, &s)
	return s.SimPs, err
}
