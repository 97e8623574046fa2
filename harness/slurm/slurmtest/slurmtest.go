// Package slurmtest runs a real Slurm on this machine for tests: munged,
// slurmctld and a slurmd for each node on loopback, with a configuration and
// ports of their own, started and stopped by the test.
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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// packages are Debian's.
var packages = []string{"slurm-wlm", "munge"}

// patience is how long what has to happen is waited for; on a busy machine
// little happens at once.
const patience = 5 * time.Minute

// cpus is how many tasks run at a time, however many cores there are.
const cpus = 4

// Cluster is a running Slurm.
type Cluster struct {
	// Env makes Slurm's programs talk to it.
	Env   []string
	dir   string
	slurm map[string]*exec.Cmd // the daemons of the nodes
}

// Start starts a cluster of one node that ends with the test. Slurm is
// installed if it is missing; where that cannot be done the test is skipped,
// and says so. root is the checkout.
func Start(t *testing.T, root string) *Cluster {
	t.Helper()
	return StartNodes(t, root, 1)
}

// StartNodes starts a cluster of several nodes, node1 and so on, of which one
// that does not answer is down after some seconds.
func StartNodes(t *testing.T, root string, nodes int) *Cluster {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: a Slurm of one's own is started by root only")
	}
	install(t, root)
	c := &Cluster{dir: t.TempDir(), slurm: map[string]*exec.Cmd{}}
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
	ports := freePorts(t, 1+nodes)
	// A single node is never down: a busy machine may keep it from answering.
	timeout := 600
	if nodes > 1 {
		timeout = 5
	}
	text := fmt.Appendf(nil, configuration, host, ports[0], munge("socket"), c.dir, timeout)
	for i := range nodes {
		text = fmt.Appendf(text, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=16000 State=UNKNOWN\n", Node(i+1), host, ports[1+i], cpus/nodes)
		require.NoError(t, os.Mkdir(c.Spool(Node(i+1)), 0o700))
	}
	text = append(text, "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"...)
	require.NoError(t, os.WriteFile(conf, text, 0o666))

	c.daemon(t, "munged", "--foreground", "--force", "--key-file="+munge("key"), "--socket="+munge("socket"),
		"--pid-file="+munge("pid"), "--log-file="+munge("log"), "--seed-file="+munge("seed"))
	require.Eventually(t, func() bool { _, err := os.Stat(munge("socket")); return err == nil }, patience, 50*time.Millisecond, "munged does not listen")
	c.daemon(t, "slurmctld", "-D", "-c", "-f", conf)
	for i := range nodes {
		c.StartNode(t, Node(i+1))
	}
	return c
}

// Node is the name of a node, counted from 1.
func Node(i int) string { return fmt.Sprintf("node%d", i) }

// Spool is a node's folder for what it runs.
func (c *Cluster) Spool(node string) string { return filepath.Join(c.dir, "spool", node) }

// StartNode starts a node and waits until it is there.
func (c *Cluster) StartNode(t *testing.T, node string) {
	t.Helper()
	c.slurm[node] = c.daemon(t, "slurmd", "-D", "-N", node, "-f", filepath.Join(c.dir, "slurm.conf"))
	var last string
	for end := time.Now().Add(patience); strings.TrimSpace(last) != "idle"; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(t, "Slurm's node does not come up", "%s\n%s", last, c.logs())
		}
		last = c.Try("sinfo", "--noheader", "--format=%T", "--nodes="+node)
	}
}

// KillNode kills a node with all that runs on it, as a power failure does.
func (c *Cluster) KillNode(t *testing.T, node string) {
	t.Helper()
	require.NoError(t, c.slurm[node].Process.Kill())
	for range 3 { // what was just started, too
		for _, pid := range c.processesOf(node) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// processesOf are the processes of tasks on a node of this cluster.
func (c *Cluster) processesOf(node string) []int {
	var pids []int
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range entries {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		ofTask := bytes.Contains(environment, []byte("SLURMD_NODENAME="+node+"\x00")) && bytes.Contains(environment, []byte(c.Env[0]+"\x00"))
		if ofTask || bytes.HasPrefix(command, []byte("slurmstepd")) && bytes.Contains(environment, []byte(c.dir)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// configuration is that of the cluster without its nodes.
const configuration = `ClusterName=fabriclab
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[2]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[3]s,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation=%[4]s/state
SlurmdSpoolDir=%[4]s/spool/%%n
SlurmctldPidFile=%[4]s/slurmctld.pid
SlurmdPidFile=%[4]s/slurmd-%%n.pid
SlurmctldLogFile=%[4]s/slurmctld.log
SlurmdLogFile=%[4]s/slurmd-%%n.log
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
SlurmdTimeout=%[5]d

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
func (c *Cluster) daemon(t *testing.T, program string, args ...string) *exec.Cmd {
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
	return d
}

// Log is what a node has logged.
func (c *Cluster) Log(t *testing.T, node string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "slurmd-"+node+".log"))
	require.NoError(t, err)
	return string(text)
}

// logs are the ends of the daemons' logs.
func (c *Cluster) logs() string {
	var text strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	for _, file := range append(files, filepath.Join(c.dir, "munge", "log")) {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fmt.Fprintf(&text, "%s:\n%s\n", file, content[max(0, len(content)-4000):])
	}
	return text.String()
}

// Try runs one of Slurm's programs and returns what it printed, also if it fails.
func (c *Cluster) Try(program string, args ...string) string {
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
