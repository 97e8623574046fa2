// Package slurmtest runs a real Slurm on this machine for tests: munged,
// slurmctld and slurmd on loopback, with a configuration and ports of their
// own, started and stopped by the test.
package slurmtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// packages are Debian's.
var packages = []string{"slurm-wlm", "munge"}

// cpus is how many tasks run at a time, however many cores there are.
const cpus = 4

// Cluster is a running Slurm of one node.
type Cluster struct {
	// Env makes Slurm's programs talk to it.
	Env []string
	dir string
}

// Start starts a cluster that ends with the test. Slurm is installed if it is
// missing; where that cannot be done the test is skipped, and says so. root is
// the checkout.
func Start(t *testing.T, root string) *Cluster {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: a Slurm of one's own is started by root only")
	}
	install(t, root)
	c := &Cluster{dir: t.TempDir()}
	conf := filepath.Join(c.dir, "slurm.conf")
	c.Env = []string{"SLURM_CONF=" + conf}
	for _, name := range []string{"munge", "spool", "state"} {
		require.NoError(t, os.Mkdir(filepath.Join(c.dir, name), 0o700))
	}
	key := make([]byte, 128)
	_, err := rand.Read(key)
	require.NoError(t, err)
	munge := func(name string) string { return filepath.Join(c.dir, "munge", name) }
	require.NoError(t, os.WriteFile(munge("key"), key, 0o600))
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	ports := freePorts(t, 2)
	require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil, configuration, host, ports[0], ports[1], munge("socket"), c.dir, cpus), 0o644))

	c.daemon(t, "munged", "--foreground", "--force", "--key-file="+munge("key"), "--socket="+munge("socket"),
		"--pid-file="+munge("pid"), "--log-file="+munge("log"), "--seed-file="+munge("seed"))
	require.Eventually(t, func() bool { _, err := os.Stat(munge("socket")); return err == nil }, 20*time.Second, 50*time.Millisecond, "munged does not listen")
	c.daemon(t, "slurmctld", "-D", "-c", "-f", conf)
	c.daemon(t, "slurmd", "-D", "-f", conf)
	var last string
	for end := time.Now().Add(60 * time.Second); !strings.Contains(last, "idle"); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(t, "Slurm's node does not come up", "%s\n%s", last, c.logs())
		}
		last = c.try("sinfo", "--noheader", "--format=%T")
	}
	return c
}

// configuration is of one node that is all of the cluster.
const configuration = `ClusterName=fabriclab
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[2]d
SlurmdPort=%[3]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[4]s
CryptoType=crypto/munge
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
KillWait=5
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[6]d RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// install gets Debian's packages, one process at a time.
func install(t *testing.T, root string) {
	t.Helper()
	missing := false
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = true
		}
	}
	if !missing {
		return
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("SKIPPED: Slurm is not installed, and there is no apt-get to install it with")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	args := append([]string{filepath.Join(os.TempDir(), "apt.lock"), filepath.Join(root, "ci", "deps.sh")}, packages...)
	if out, err := exec.CommandContext(ctx, "flock", args...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: Slurm is not installed and cannot be: %v\n%s", err, out)
	}
}

// freePorts finds ports nobody listens on.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		defer l.Close() // when all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// daemon starts a program that is ended with the test, the last one first.
func (c *Cluster) daemon(t *testing.T, program string, args ...string) {
	t.Helper()
	d := exec.CommandContext(context.Background(), program, args...)
	d.Env = append(os.Environ(), c.Env...)
	var out bytes.Buffer
	d.Stdout, d.Stderr = &out, &out
	d.WaitDelay = time.Second
	require.NoError(t, d.Start())
	ended := make(chan struct{})
	go func() {
		_ = d.Wait() // it is ended by a signal
		close(ended)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", c.logs())
		}
		_ = d.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(15 * time.Second):
			_ = d.Process.Kill()
			<-ended
		}
	})
}

// logs are the ends of the daemons' logs.
func (c *Cluster) logs() string {
	var text strings.Builder
	for _, name := range []string{"munge/log", "slurmctld.log", "slurmd.log"} {
		content, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			continue
		}
		fmt.Fprintf(&text, "%s:\n%s\n", name, content[max(0, len(content)-4000):])
	}
	return text.String()
}

// try runs one of Slurm's programs and returns what it printed.
func (c *Cluster) try(program string, args ...string) string {
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Env = append(os.Environ(), c.Env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

// Run runs one of Slurm's programs.
func (c *Cluster) Run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), c.Env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
