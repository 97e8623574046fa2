package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Settings are what is asked of Slurm. What is zero is left to the cluster.
type Settings struct {
	Partition string
	Time      time.Duration // of a task
	Memory    int64         // of a task, in bytes
	Cores     int           // of a task
	Throttle  int           // tasks of an array at a time
	Args      []string      // further arguments of sbatch
}

// args are the settings as arguments of sbatch.
func (s Settings) args() []string {
	var args []string
	if s.Partition != "" {
		args = append(args, "--partition="+s.Partition)
	}
	if s.Time > 0 {
		args = append(args, fmt.Sprintf("--time=%d", int64(math.Ceil(s.Time.Minutes()))))
	}
	if s.Memory > 0 {
		const mib = 1 << 20
		args = append(args, fmt.Sprintf("--mem=%dM", (s.Memory+mib-1)/mib))
	}
	if s.Cores > 0 {
		args = append(args, fmt.Sprintf("--cpus-per-task=%d", s.Cores))
	}
	return append(args, s.Args...)
}

// call runs one of Slurm's programs.
func call(ctx context.Context, program string, args ...string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is not here: log in to a machine from which the cluster takes jobs, or use --executor local", program)
	}
	c := exec.CommandContext(ctx, path, args...)
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(errOut.String()))
	}
	return out.String(), nil
}

// submit submits an array of n elements and returns its number.
func submit(ctx context.Context, f *Folder, s Settings, list string, n int) (job string, err error) {
	array := fmt.Sprintf("--array=0-%d", n-1)
	if s.Throttle > 0 {
		array += fmt.Sprintf("%%%d", s.Throttle)
	}
	args := append([]string{
		"--parsable", "--job-name=fabriclab-" + f.ID, array, "--chdir=" + f.Dir,
		"--output=" + filepath.Join(f.Dir, logsFolder, "%A-%a.log"),
	}, s.args()...)
	out, err := call(ctx, "sbatch", append(args, filepath.Join(f.Dir, scriptFile), list)...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // the cluster's name may follow
	if _, err := strconv.Atoi(job); err != nil {
		return "", fmt.Errorf("sbatch printed %q, which is no number of a job", out)
	}
	return job, nil
}

// largestArray is how many elements an array may have.
func largestArray(ctx context.Context) (int, error) {
	out, err := call(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "MaxArraySize" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil && n > 1 {
				return n - 1, nil // it is the first index that is too large
			}
		}
	}
	return 0, errors.New("scontrol show config says no MaxArraySize; is Slurm older than 2.6, or are job arrays switched off?")
}

// element is one task of an array, as Slurm knows it.
type element struct {
	job   string
	index int
}

// standing is what Slurm says of an element: its state, and the reason of that.
type standing struct{ state, reason string }

// states asks Slurm for the elements of jobs. Those that ended a while ago are
// not among them.
func states(ctx context.Context, jobs []string) (map[element]standing, error) {
	found := map[element]standing{}
	if len(jobs) == 0 {
		return found, nil
	}
	out, err := call(ctx, "squeue", "--noheader", "--array", "--states=all", "--jobs="+strings.Join(jobs, ","), "--format=%F|%K|%T|%r")
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") {
			return found, nil // all of them ended a while ago
		}
		return nil, err
	}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(fields) != 4 {
			continue
		}
		index, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		found[element{fields[0], index}] = standing{fields[2], fields[3]}
	}
	return found, nil
}

func (s standing) waits() bool {
	switch s.state {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD":
		return true
	}
	return false
}

func (s standing) runs() bool {
	switch s.state {
	case "RUNNING", "COMPLETING", "SUSPENDED", "SIGNALING", "STAGE_OUT", "STOPPED", "RESIZING":
		return true
	}
	return false
}

// usual are the reasons to wait that pass by themselves.
func (s standing) usual() bool {
	switch s.reason {
	case "", "None", "Priority", "Resources", "JobArrayTaskLimit", "BeginTime", "Dependency":
		return true
	}
	return false
}

// ended says how Slurm ended a task, for people.
func (s standing) ended() string {
	if s.state == "" || s.waits() || s.runs() {
		return "Slurm no longer knows it (was it canceled?), and it left no result"
	}
	switch s.state {
	case "TIMEOUT":
		return "Slurm ended it at its time limit; give it more with --slurm-time"
	case "OUT_OF_MEMORY":
		return "Slurm ended it because it took more memory than it may; give it more with --slurm-memory"
	case "CANCELLED":
		return "it was canceled in Slurm"
	}
	return fmt.Sprintf("Slurm says %s (%s), and it left no result", s.state, s.reason)
}

// limited: Slurm ended it at a limit, at which it would end again.
func (s standing) limited() bool { return s.state == "TIMEOUT" || s.state == "OUT_OF_MEMORY" }

// cancel takes jobs off the cluster.
func cancel(ctx context.Context, jobs []string) error {
	_, err := call(ctx, "scancel", jobs...)
	return err
}
