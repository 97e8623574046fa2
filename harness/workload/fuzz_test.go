package workload_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

// FuzzFlowFile: a flow list that is taken gives flows that keep the rules; one
// that is not is refused with a reason.
func FuzzFlowFile(f *testing.F) {
	for _, text := range []string{
		"src,dst,size_bytes,start_ps\nh0,h1,1000,0\nh1,h0,0,5\n",
		"flow,src,dst,size_bytes,start_ps,stop_ps,class,group,weight,src_port,dst_port,persistent,closed_loop\n7,h0,h1,1000,0,-1,1,2,0.5,1,2,true,true\n",
		"src,dst,size_bytes,start_ps\nh0,h0,1000,0\n", "src,dst,size_bytes,start_ps\nh0,h1,18446744073709551615,9223372036854775807\n",
		"src,dst,size_bytes,start_ps\nh0,h1,1e3,-0\n", "src,dst\n", "", "\"", "src,dst,size_bytes,start_ps\nh0,h1,1,2\nh0,h1,1,1\n",
		"src,dst,size,start,stop\nh0,h1,1KB,2us,\nh0,h1,unlimited,5us,1ms\n",
		"id,src,dst,size,after,delay\na,h0,h1,1KB,,\nb,h1,h2,1KB,a+3us,1us\nt,h1,,,a;b,\nc,h1,h0,5B,t,\n",
		"id,src,dst,size,after\na,h0,h1,1KB,b\nb,h1,h0,1KB,a\n", "flow,src,dst,size_bytes,start_ps,after,delay_ps\n1,h1,h0,9,0,0,5\n0,h0,h1,9,3,,\n",
	} {
		f.Add(text)
	}
	path := filepath.Join(f.TempDir(), "flows.csv")
	host := func(name string) (uint32, error) {
		var id uint32
		if n, err := fmt.Sscanf(name, "h%d", &id); n != 1 || err != nil || id > 9 {
			return 0, fmt.Errorf("no host %q", name)
		}
		return id, nil
	}
	rules := workload.Rules{StopPs: 1e12, Classes: 2, ToPs: 1e12}
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		graph(t, path, host, rules)
		file, err := workload.OpenFile(path, host, rules)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		last := int64(0)
		for flow, err := range file.Flows(1) {
			require.NoError(t, err)
			require.NoError(t, rules.Check(flow))
			require.GreaterOrEqual(t, flow.StartPs, last)
			last = flow.StartPs
		}
	})
}

// graph reads the list as messages that wait for each other: each waits for
// others that are there, end, and do so where it starts.
func graph(t *testing.T, path string, host func(string) (uint32, error), rules workload.Rules) {
	d, err := workload.OpenDAG(path, host, rules)
	if err != nil {
		require.NotEmpty(t, err.Error())
		return
	}
	flows := map[uint32]scenario.Flow{}
	for f, err := range d.Flows(1) {
		require.NoError(t, err)
		require.True(t, f.Task() || rules.Check(f) == nil)
		flows[f.ID] = f
	}
	for id := range uint32(len(flows)) {
		for _, d := range flows[id].After {
			on, there := flows[d.On]
			require.True(t, there && d.On != id && d.DelayPs >= 0)
			require.True(t, on.Dst == flows[id].Src || on.Src == flows[id].Src)
			require.True(t, on.Task() || on.Size > 0 && on.StopPs == -1)
		}
	}
}
