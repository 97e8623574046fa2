package first

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree is a network of two leaves with two hosts each and three spines.
const tree = "9 5 10\n4 5 6 7 8\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n" +
	"4 6 100Gbps 1us 0\n4 7 100Gbps 1us 0\n4 8 100Gbps 1us 0\n5 6 100Gbps 1us 0\n5 7 100Gbps 1us 0\n5 8 100Gbps 1us 0\n"

func put(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

// imported makes an experiment of files and returns it and its list.
func imported(t *testing.T, from HPCC, texts map[string]string) (yaml, csv string, notes []string, err error) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, texts)
	for _, file := range []*string{&from.Topology, &from.Flows, &from.Config} {
		if *file != "" {
			*file = filepath.Join(dir, *file)
		}
	}
	files, notes, err := FromHPCC(dir, "x", from, func(string) error { return nil })
	if err != nil {
		return "", "", nil, err
	}
	var read []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		read = append(read, string(text))
	}
	return read[1], read[0], notes, nil
}

// TestMurmur pins the hash to values that the simulator's own function gave.
func TestMurmur(t *testing.T) {
	assert.Equal(t, uint32(0xeae3b97c), murmur(320, [3]uint32{0x0b000001, 0x0b000101, 10000 | 100<<16}))
	assert.Equal(t, uint32(0xe9d78ad6), murmur(0, [3]uint32{1, 2, 3}))
	assert.Equal(t, uint32(0x4369f5cc), murmur(375, [3]uint32{0x0b010001, 0x0b003f01, 10007 | 4791<<16}))
	assert.Equal(t, []uint32{0x0b000001, 0x0b00ff01, 0x0b010001}, []uint32{address(0), address(255), address(256)})
}

// TestPublicPaths: data and ACKs go by the spines that the simulator's hash
// chooses, whose next hops are those with the highest number first.
func TestPublicPaths(t *testing.T) {
	var flows strings.Builder
	flows.WriteString("40\n")
	for i := range 40 {
		fmt.Fprintf(&flows, "%d %d 3 100 1000 2.0\n", i%2, 2+i/2%2)
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"t.txt": tree, "f.txt": flows.String()})
	n, _, err := readHPCC(filepath.Join(dir, "t.txt"), hpccNetwork)
	require.NoError(t, err)
	list, _, err := readHPCC(filepath.Join(dir, "f.txt"), n.flows)
	require.NoError(t, err)
	numberPorts(list)
	public := append([]hpccFlow(nil), list...)
	assert.Equal(t, []int64{10000, 10000, 10000, 10000, 10001}, []int64{list[0].srcPort, list[1].srcPort, list[2].srcPort, list[3].srcPort, list[4].srcPort})
	built, err := n.build()
	require.NoError(t, err)
	require.NoError(t, n.steer(built, list))
	spines := []string{"s8", "s7", "s6"}
	used := map[string]int{}
	for i, f := range list {
		for _, back := range []bool{false, true} {
			p, q := public[i], f
			if back {
				p.src, p.dst, p.srcPort, p.dstPort = p.dst, p.src, p.dstPort, p.srcPort
				q.src, q.dst, q.srcPort, q.dstPort = q.dst, q.src, q.dstPort, q.srcPort
			}
			leaf := uint32(4 + p.src/2)
			want := spines[murmur(leaf, [3]uint32{address(p.src), address(p.dst), uint32(p.srcPort) | uint32(p.dstPort)<<16})%3]
			hash := built.FlowHash(uint32(q.src), uint32(q.dst), uint16(q.srcPort), uint16(q.dstPort), false)
			assert.Equal(t, fmt.Sprintf("s%d->%s", leaf, want), built.PortName(built.Path(uint32(q.src), uint32(q.dst), hash, 0)[1]))
			used[want]++
		}
	}
	assert.Len(t, used, 3)
}

// TestFirstLines: the topologies of HPCC's descendants are the same network.
func TestFirstLines(t *testing.T) {
	const flow = "1\n0 2 3 100 1000 2\n"
	const links = "\n3\n0 3 %[1]s 1us 0\n1 3 %[1]s 1us 0\n2 3 %[1]s 0.001ms 0.000000\n"
	want, _, _, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt"}, map[string]string{"t.txt": "4 1 3" + fmt.Sprintf(links, "25Gbps"), "f.txt": flow})
	require.NoError(t, err)
	for _, first := range []string{"4 1 1 3", "4 1 1 3 25000000000 25000000000", "4 8 0 1 3 A100"} {
		got, _, _, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt"}, map[string]string{"t.txt": first + fmt.Sprintf(links, "25000000000.0"), "f.txt": flow})
		require.NoError(t, err, first)
		assert.Equal(t, want, got, first)
	}
}

// TestFlowsWithoutPorts are ConWeave's.
func TestFlowsWithoutPorts(t *testing.T) {
	_, csv, _, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt"}, map[string]string{
		"t.txt": "4 1 3\n3\n0 3 25Gbps 1us 0\n1 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n",
		"f.txt": "3\n0 2 3 1000 2.000000001\n0 1 3 2000 2.00001\n1 2 3 3000 2.00002\n",
	})
	require.NoError(t, err)
	assert.Equal(t, "src,dst,size_bytes,start_ps,src_port,dst_port\nh0,h2,1000,0,10000,100\nh0,h1,2000,9999000,10001,100\nh1,h2,3000,19999000,10000,101\n", csv)
}

// TestSettingsFollowFromTheNetwork: without a config those of run.py.
func TestSettingsFollowFromTheNetwork(t *testing.T) {
	const network = "5 2 4\n3 4\n0 3 200Gbps 2us 0\n1 3 200Gbps 2us 0\n2 4 200Gbps 2us 0\n3 4 400Gbps 5us 0\n"
	const flow = "1\n0 2 3 100 1000 1e-05\n"
	yaml, _, notes, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt"}, map[string]string{"t.txt": network, "f.txt": flow})
	require.NoError(t, err)
	// T is 2 * 9 us and 1000 B twice at 200 and once at 400 Gb/s; 100 Mb/s of it are 226 B.
	assert.Contains(t, yaml, "host: {retransmit_timeout: 0s, base_rtt: 18.1us}")
	assert.Contains(t, yaml, "hpcc: {w_ai: 226B}")
	assert.Contains(t, yaml, "port: {headroom: 0B}")
	assert.Contains(t, yaml, "switch: {buffer: 64MiB}")
	assert.Contains(t, yaml, "- s3\n    - s4\n")
	assert.Contains(t, strings.Join(notes, "\n"), "starts count from 10us")
	assert.Contains(t, strings.Join(notes, "\n"), "at s3 and 1 more switches with ports of several rates")

	yaml, _, _, err = imported(t, HPCC{Topology: "t.txt", Flows: "f.txt", Preset: "dcqcn-public"}, map[string]string{"t.txt": network, "f.txt": flow})
	require.NoError(t, err)
	assert.Contains(t, yaml, "dcqcn: {rate_ai: 40Mbps, rate_hai: 400Mbps}")

	yaml, _, _, err = imported(t, HPCC{Topology: "t.txt", Flows: "f.txt", Preset: "fncc"}, map[string]string{"t.txt": network, "f.txt": flow})
	require.NoError(t, err)
	assert.NotContains(t, yaml, "params")
}

func TestConfig(t *testing.T) {
	const flow = "2\n0 2 3 100 1000 2\n0 2 3 100 1000 5\n"
	with := func(config string) (string, []string, error) {
		yaml, _, notes, err := imported(t, HPCC{Config: "config.txt"}, map[string]string{"t.txt": tree, "f.txt": flow,
			"config.txt": "TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\n" + config})
		return yaml, notes, err
	}
	yaml, notes, err := with("CC_MODE 1 {which}\nALPHA_RESUME_INTERVAL 50\nRATE_DECREASE_INTERVAL 4.5\nRP_TIMER 55\nEWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 5\nCLAMP_TARGET_RATE 1\n" +
		"RATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nHAS_WIN 0\nPACKET_PAYLOAD_SIZE 1400\nENABLE_PFC 0\nBUFFER_SIZE 9\nSIMULATOR_STOP_TIME 4.0\n" +
		"KMAX_MAP 2 100000000000 1600 25000000000 400\nKMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.25\nLINK_DOWN 1500 4 6\nCC_MOD 3\n")
	require.NoError(t, err)
	for _, want := range []string{
		"preset: dcqcn-public", "{min_rate: 100Mbps, alpha_timer: 50us, decrease_interval: 4.5us, increase_timer: 55us, g: 0.00390625, fast_recovery: 5, clamp_target: true, rate_ai: 50Mbps, rate_hai: 100Mbps}",
		"mtu: 1448B", "pfc: false", "buffer: 9MiB", "stop: 2s", "red: {per_rate: 100Gbps, kmin: 400000B, kmax: 1600000B, pmax: 0.25}", `failures: [{link: "s4->s6", at: 1.5ms}]`,
	} {
		assert.Contains(t, yaml, want)
	}
	all := strings.Join(notes, "\n")
	assert.Contains(t, all, `config.txt:22: CC_MOD is not a key of HPCC's simulator or ConWeave's; it is left out; did you mean "CC_MODE"?`)
	assert.Contains(t, all, "config.txt:17: SIMULATOR_STOP_TIME: 1 flows that start then or later are left out")

	yaml, _, err = with("CC_MODE 3\nRATE_AI 80Mb/s\nU_TARGET 0.9\nMI_THRESH 5\nHAS_WIN 1\nVAR_WIN 1\n")
	require.NoError(t, err)
	assert.Contains(t, yaml, "hpcc: {eta: 0.9, max_stage: 5, w_ai: 83B}") // T is 8.32 us
	yaml, _, err = with("CC_MODE 7\nRATE_AI 100Mb/s\nRATE_HAI 500Mb/s\nHAS_WIN 0\n")
	require.NoError(t, err)
	assert.Contains(t, yaml, "timely: {delta: 100Mbps, hai_factor: 5}")
	yaml, _, err = with("CC_MODE 1\nENABLE_QCN 0\n")
	require.NoError(t, err)
	assert.Contains(t, yaml, "queues: [fifo, fifo]")

	for config, want := range map[string]string{
		"CC_MODE 8\n":                             "config.txt:3: CC_MODE: 8 is a congestion control that is not here",
		"CC_MODE 3\nHAS_WIN 0\n":                  "config.txt:4: HAS_WIN: it is 0; HPCC has one window",
		"CC_MODE 1\nHAS_WIN 1\n":                  "config.txt:4: HAS_WIN: it is 1; DCQCN has no window here: write 0",
		"ENABLE_IRN 1\n":                          "ENABLE_IRN: it is 1; IRN is not here",
		"LB_MODE 9\n":                             "choose path_selector in the experiment",
		"ERROR_RATE_PER_LINK 0.01\n":              "links lose nothing here",
		"CC_MODE\n":                               "config.txt:3: CC_MODE has no value",
		"CC_MODE 1\nKMIN_MAP 1 25000000000 100\n": "config.txt:4: KMIN_MAP: there is no value for links of 100Gbps",
		"CC_MODE 1\nKMIN_MAP 2 100 100\n":         "it is not a number of rates",
		"LINK_DOWN 5 0 4\n":                       "config.txt:3: LINK_DOWN: h0 is a host",
		"SIMULATOR_STOP_TIME 1\n":                 "no flow starts before it",
		"TOPOLOGY_FILE none.txt\n":                "config.txt:3: TOPOLOGY_FILE: none.txt is neither beside the file nor below a folder above it; name it with --topology",
	} {
		_, _, err := with(config)
		require.ErrorContains(t, err, want)
	}
}

// TestHPCCRefuses what no network or list here has, where it stands.
func TestHPCCRefuses(t *testing.T) {
	const star = "4 1 3\n3\n0 3 25Gbps 1us 0\n1 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n"
	for _, tt := range []struct{ topology, flows, want string }{
		{"4 0 4\n\n0 1 25Gbps 1us 0\n", "", "t.txt:1: the first line says that there are no switches"},
		{"5 1 4 0\n4\n", "", "t.txt:1: the first line says that there are no links; HPCC and ConWeave have three numbers"},
		{"4 1\n", "", "t.txt:1: the first line has 2 words; HPCC and ConWeave have three numbers"},
		{"5 8 1 1 3 A100\n", "", "NVSwitches (SimAI)"},
		{"4 1 x\n", "", `t.txt:1: the first line: the number of links: "x" is not a number`},
		{"4 1 4\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n0 1 1Gbps 1us 0\n", "", "t.txt:6: the link joins the hosts h0 and h1"},
		{"5 2 4\n3 4\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n0 4 2Gbps 1us 0\n", "", "t.txt:6: h0 has a link of 2Gbps here and one of 1Gbps in line 3"},
		{"4 1 3\n3\n0 3 1Gbps 1us\n", "", "t.txt:3: the line has 4 words; a link has five"},
		{"4 1 3\n3\n0 3 1Gbps 5 0\n", "", "t.txt:3: delay: "},
		{star, "2\n0 1 3 100 10 2\n1 1 3 100 10 2\n", "f.txt:3: the flow goes from h1 to itself"},
		{star, "1\n0 1 3 100 0 2\n", "f.txt:2: the flow has the size 0; leave it out"},
		{star, "1\n0 1 0 100 5 2\n", "f.txt:2: the flow is in the priority group 0"},
		{star, "2\n0 1 3 100 5 2\n0 1 2 100 5 2\n", "f.txt:3: the flow is in the priority group 2, others are in 3"},
		{star, "1\n0 1 3 5\n", "f.txt:2: the line has 4 words; a flow has six"},
		{star, "2\n0 1 3 100 5 2\n0 1 3 5 2\n", "f.txt:3: the line has 5 words, the first flow has 6"},
		{star, "1\n0 1 3 100 5 -2\n", `f.txt:2: a flow's start, in seconds: "-2" is no number that is 0 or more`},
		{"6 2 4\n4 5\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 5 1Gbps 1us 0\n3 5 1Gbps 1us 0\n", "1\n0 2 3 100 5 2\n", "t.txt: topology links: there is no way from host h0 to host h2"},
	} {
		_, _, _, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt"}, map[string]string{"t.txt": tt.topology, "f.txt": tt.flows})
		require.ErrorContains(t, err, tt.want)
	}
	twice := strings.Replace(star, "4 1 3", "4 1 4", 1) + "2 3 25Gbps 1us 0\n"
	_, _, _, err := imported(t, HPCC{Topology: "t.txt", Flows: "f.txt", PublicPaths: true}, map[string]string{"t.txt": twice, "f.txt": "1\n0 1 3 100 5 2\n"})
	require.ErrorContains(t, err, "lines 5 and 6 join the same two nodes")
}

// TestWhatIsRefusedIsNotWritten: the check has the last word.
func TestWhatIsRefusedIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"t.txt": "4 1 3\n3\n0 3 25Gbps 1us 0\n1 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n", "f.txt": "1\n0 1 3 100 5 2\n"})
	_, _, err := FromHPCC(dir, "x", HPCC{Topology: filepath.Join(dir, "t.txt"), Flows: filepath.Join(dir, "f.txt")}, func(file string) error {
		assert.FileExists(t, file)
		return fmt.Errorf("not this one")
	})
	require.ErrorContains(t, err, "is refused, and nothing is written: not this one")
	assert.NoFileExists(t, filepath.Join(dir, "x.yaml"))
	assert.NoFileExists(t, filepath.Join(dir, "x.csv"))
}
