package workload_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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
