package first

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
)

// config is config.txt of HPCC's simulator, and what of it says where the other
// files are and when the run stops.
type config struct {
	path  string // "": there is none
	lines map[string]configLine

	topology, flows, preset string
	stop                    int64 // ps, 0: not said
}

type configLine struct {
	line  int
	words []string
}

// ofNoEffect are keys that change nothing in a run: output, what the simulator
// reads and does not use, and what belongs to schemes that are refused.
var ofNoEffect = strings.Fields(`TRACE_FILE TRACE_OUTPUT_FILE FCT_OUTPUT_FILE PFC_OUTPUT_FILE ENABLE_TRACE QLEN_MON_FILE QLEN_MON_START QLEN_MON_END
PAUSE_TIME DATA_RATE LINK_DELAY USE_DYNAMIC_PFC_THRESHOLD L2_CHUNK_SIZE L2_ACK_INTERVAL PINT_LOG_BASE PINT_PROB DCTCP_RATE_AI ACK_HIGH_PRIO
FLOW_INPUT_FILE CNP_OUTPUT_FILE VOQ_MON_FILE VOQ_MON_DETAIL_FILE UPLINK_MON_FILE CONN_MON_FILE EST_ERROR_MON_FILE SW_MONITORING_INTERVAL LOAD RANDOM_SEED
FLOWGEN_START_TIME FLOWGEN_STOP_TIME CONWEAVE_TX_EXPIRY_TIME CONWEAVE_REPLY_TIMEOUT_EXTRA CONWEAVE_PATH_PAUSE_TIME CONWEAVE_EXTRA_VOQ_FLUSH_TIME
CONWEAVE_DEFAULT_VOQ_WAITING_TIME`)

var known = append(strings.Fields(`TOPOLOGY_FILE FLOW_FILE SIMULATOR_STOP_TIME CC_MODE ENABLE_QCN ENABLE_PFC ENABLE_IRN LB_MODE PACKET_PAYLOAD_SIZE
ERROR_RATE_PER_LINK L2_BACK_TO_ZERO ALPHA_RESUME_INTERVAL RATE_DECREASE_INTERVAL CLAMP_TARGET_RATE RP_TIMER EWMA_GAIN FAST_RECOVERY_TIMES RATE_AI RATE_HAI
MIN_RATE HAS_WIN GLOBAL_T VAR_WIN FAST_REACT U_TARGET MI_THRESH INT_MULTI MULTI_RATE SAMPLE_FEEDBACK RATE_BOUND LINK_DOWN KMAX_MAP KMIN_MAP PMAX_MAP
BUFFER_SIZE`), ofNoEffect...)

// presets by CC_MODE.
var publicPresets = map[string]string{"1": "dcqcn-public", "3": "hpcc-public", "7": "timely-public"}

// readConfig reads a config.txt, if there is one.
func readConfig(from HPCC) (c *config, notes []string, err error) {
	c = &config{path: from.Config, lines: map[string]configLine{}, topology: from.Topology, flows: from.Flows, preset: from.Preset}
	if c.path != "" {
		if notes, err = c.read(); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range []struct {
		key, usual, flag string
		value            *string
	}{
		{"TOPOLOGY_FILE", "topology.txt", "--topology", &c.topology}, {"FLOW_FILE", "flow.txt", "--flows", &c.flows},
	} {
		if *f.value != "" {
			continue
		}
		*f.value = f.usual
		if c.has(f.key) {
			if *f.value, err = c.file(f.key, f.flag); err != nil {
				return nil, nil, err
			}
		}
	}
	if c.has("SIMULATOR_STOP_TIME") {
		if c.stop, err = c.scaled("SIMULATOR_STOP_TIME", 1e12); err != nil {
			return nil, nil, err
		}
	}
	switch mode := c.text("CC_MODE"); {
	case c.preset != "":
	case mode == "":
		c.preset = "hpcc-public"
	case publicPresets[mode] == "":
		return nil, nil, c.wrong("CC_MODE", "%s is a congestion control that is not here as HPCC's simulator has it: here are 1 (DCQCN), 3 (HPCC) and 7 (TIMELY); or choose one with --preset", mode)
	default:
		c.preset = publicPresets[mode]
	}
	return c, notes, nil
}

func (c *config) read() (notes []string, err error) {
	in, err := os.Open(c.path)
	if err != nil {
		return nil, fmt.Errorf("%w; name a config.txt of HPCC's simulator", err)
	}
	defer in.Close() // only read
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "{") // config_doc.txt says there what a key means
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		key := words[0]
		switch {
		case !slices.Contains(known, key):
			notes = append(notes, fmt.Sprintf("%s:%d: %s is not a key of HPCC's simulator or ConWeave's; it is left out%s", c.path, n, key, catalog.Hint(key, known)))
			continue
		case len(words) == 1:
			return nil, fmt.Errorf("%s:%d: %s has no value", c.path, n, key)
		}
		c.lines[key] = configLine{n, words[1:]}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	if len(c.lines) == 0 {
		return nil, fmt.Errorf("%s: there is no key of HPCC's simulator, such as CC_MODE; name its config.txt", c.path)
	}
	return notes, nil
}

// file is a file that the config names, relative to where the simulator runs,
// which is a folder above the config's own.
func (c *config) file(key, flag string) (string, error) {
	name := filepath.FromSlash(c.text(key))
	for dir := filepath.Dir(c.path); ; dir = filepath.Join(dir, "..") {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if full, err := filepath.Abs(dir); err != nil || filepath.Dir(full) == full {
			return "", c.wrong(key, "%s is neither beside the file nor below a folder above it; name it with %s", name, flag)
		}
	}
}

func (c *config) has(key string) bool { return c.lines[key].words != nil }

func (c *config) text(key string) string {
	if !c.has(key) {
		return ""
	}
	return c.lines[key].words[0]
}

func (c *config) wrong(key, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %w", c.path, c.lines[key].line, key, fmt.Errorf(format, args...))
}

func (c *config) scaled(key string, scale int64) (int64, error) {
	n, err := scaled(c.text(key), scale)
	if err != nil {
		return 0, c.wrong(key, "%w", err)
	}
	return n, nil
}

// number is a decimal number as it stands there.
func (c *config) number(key string) (string, error) {
	x, err := strconv.ParseFloat(c.text(key), 64)
	if err != nil {
		return "", c.wrong(key, "%q is no number", c.text(key))
	}
	return strconv.FormatFloat(x, 'f', -1, 64), nil
}

func (c *config) rate(key string) (int64, error) {
	n, err := nsRate(c.text(key))
	if err != nil {
		return 0, c.wrong(key, "%w", err)
	}
	return n, nil
}

// flag is 0 or 1.
func (c *config) flag(key string) (bool, error) {
	is, err := strconv.ParseBool(c.text(key))
	if err != nil {
		return false, c.wrong(key, "%q is neither 0 nor 1", c.text(key))
	}
	return is, nil
}

// needs refuses values that mean something that is not here.
func (c *config) needs(key, value, why string) error {
	if !c.has(key) {
		return nil
	}
	is, err1 := strconv.ParseFloat(c.text(key), 64)
	want, err2 := strconv.ParseFloat(value, 64)
	if err := errors.Join(err1, err2); err != nil || is != want {
		return c.wrong(key, "it is %s; %s: write %s", c.text(key), why, value)
	}
	return nil
}

// byRate is a map from rates to values.
func (c *config) byRate(key string, scale int64) (map[int64]int64, error) {
	words := c.lines[key].words
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 1 || len(words) != 1+2*n {
		return nil, c.wrong(key, "it is not a number of rates, and a rate in bit/s and a value for each")
	}
	values := map[int64]int64{}
	for i := range n {
		rate, err := scaled(words[1+2*i], 1)
		if err == nil {
			values[rate], err = scaled(words[2+2*i], scale)
		}
		if err != nil {
			return nil, c.wrong(key, "%w", err)
		}
	}
	return values, nil
}

// settings are what an experiment says beside its files.
type settings struct {
	slots    []string // lines
	params   map[string][][2]string
	nodes    []string // lines below nodes:
	failures string   // lines of the topology
}

func (s *settings) param(component, name, value string) {
	for i, p := range s.params[component] {
		if p[0] == name {
			s.params[component][i][1] = value
			return
		}
	}
	s.params[component] = append(s.params[component], [2]string{name, value})
}

func (s *settings) yaml() string {
	var b strings.Builder
	for _, line := range s.slots {
		b.WriteString(line + "\n")
	}
	components := make([]string, 0, len(s.params))
	for c := range s.params {
		components = append(components, c)
	}
	slices.Sort(components)
	if len(components) > 0 {
		b.WriteString("params:\n")
	}
	for _, c := range components {
		var values []string
		for _, p := range s.params[c] {
			values = append(values, p[0]+": "+p[1])
		}
		fmt.Fprintf(&b, "  %s: {%s}\n", c, strings.Join(values, ", "))
	}
	if len(s.nodes) > 0 {
		b.WriteString("nodes:    # PFC's alpha grows with a port's rate\n" + strings.Join(s.nodes, "\n") + "\n")
	}
	return b.String()
}

// microseconds writes a number of microseconds of the config.
func microseconds(c *config, key string) (string, error) {
	ps, err := c.scaled(key, 1e6)
	return units.FormatTime(ps), err
}
