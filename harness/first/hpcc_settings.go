package first

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/units"
)

// settings are those of the simulator for this network. What follows from the
// network there is derived from it: T, HPCC's increase, rates and thresholds.
func (n *network) settings(c *config, first int64) (*settings, []string, error) {
	s := &settings{params: map[string][][2]string{}}
	var notes []string
	if err := n.linkDown(c, s, first); err != nil {
		return nil, nil, err
	}
	if !slices.Contains(slices.Collect(maps.Values(publicPresets)), c.preset) {
		if c.path != "" {
			notes = append(notes, fmt.Sprintf("the preset %s keeps its own parameters: of %s only files, stop and LINK_DOWN are taken", c.preset, c.path))
		}
		return s, notes, nil
	}
	for _, set := range []func(*config, *settings) ([]string, error){n.common, n.control, n.fasterPorts} {
		more, err := set(c, s)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
	}
	return s, notes, nil
}

// linkDown is the failure of a link.
func (n *network) linkDown(c *config, s *settings, first int64) error {
	if !c.has("LINK_DOWN") || c.text("LINK_DOWN") == "0" {
		return nil
	}
	words := c.lines["LINK_DOWN"].words
	if len(words) != 3 {
		return c.wrong("LINK_DOWN", "it is not a time in us after 2 s and the two ends of a link")
	}
	after, err := scaled(words[0], 1e6)
	if err != nil {
		return c.wrong("LINK_DOWN", "%w", err)
	}
	var ends [2]int64
	for i := range ends {
		if ends[i], err = whole(words[1+i], "an end of the link", n.nodes-1); err != nil {
			return c.wrong("LINK_DOWN", "%w", err)
		}
		if !n.isSwitch(ends[i]) {
			return c.wrong("LINK_DOWN", "%s is a host; links between switches fail here", n.name(ends[i]))
		}
	}
	link := n.name(ends[0]) + "->" + n.name(ends[1])
	if at := 2e12 + after - first; at > 0 {
		s.failures = fmt.Sprintf("  failures: [{link: %q, at: %s}]\n", link, units.FormatTime(at))
	} else {
		s.failures = fmt.Sprintf("  failed: [%q]\n", link)
	}
	return nil
}

// headers are what a public preset has around the payload.
var headers = map[string]int64{"hpcc-public": 48, "dcqcn-public": 48, "timely-public": 56}

// common is what all congestion controls have.
func (n *network) common(c *config, s *settings) (notes []string, err error) {
	for _, need := range [][3]string{
		{"ENABLE_IRN", "0", "IRN is not here"}, {"LB_MODE", "0", "the scheme's parameters are other ones here; import with ECMP and choose path_selector in the experiment"},
		{"ERROR_RATE_PER_LINK", "0", "links lose nothing here"}, {"L2_BACK_TO_ZERO", "0", "what is lost is sent again from there on"}, {"RATE_BOUND", "1", "flows are paced here"},
	} {
		if err := c.needs(need[0], need[1], need[2]); err != nil {
			return nil, err
		}
	}
	s.param("host", "retransmit_timeout", "0s")
	if c.has("PACKET_PAYLOAD_SIZE") {
		payload, err := c.scaled("PACKET_PAYLOAD_SIZE", 1)
		if err != nil {
			return nil, err
		}
		s.param("host", "mtu", fmt.Sprintf("%dB", payload+headers[c.preset]))
	}
	s.param("port", "headroom", "0B") // derived, port by port
	if c.has("ENABLE_PFC") {
		pfc, err := c.flag("ENABLE_PFC")
		if err != nil {
			return nil, err
		}
		s.param("port", "pfc", strconv.FormatBool(pfc))
	}
	if c.has("BUFFER_SIZE") {
		mib, err := c.scaled("BUFFER_SIZE", 1)
		if err != nil {
			return nil, err
		}
		s.param("switch", "buffer", fmt.Sprintf("%dMiB", mib))
		return nil, nil
	}
	// run.py has 16 MB for NICs of 50 Gb/s.
	buffer := max(1, int64(math.Ceil(float64(n.nicRate())*16/50e9)))
	if least := 2 * n.headroom() >> 20; least >= buffer {
		buffer = least + 1
		notes = append(notes, fmt.Sprintf("switch.buffer is %d MiB, twice what PFC's headroom takes at one switch", buffer))
	}
	s.param("switch", "buffer", fmt.Sprintf("%dMiB", buffer))
	return notes, nil
}

// nicRate is what the simulator takes for the rate of NICs.
func (n *network) nicRate() int64 { return n.ofHosts[n.hosts[0]][0].rateBps }

// headroom is about the most that the ports of a switch keep for PFC, in bytes.
func (n *network) headroom() (most int64) {
	const frames, classes = 4096 + 4096, 2 // three frames and the reserve
	of := map[int64]int64{}
	for _, l := range n.links {
		for _, end := range []int64{l.a, l.b} {
			of[end] += classes * (int64(2*float64(l.delays)/1e12*float64(l.rateBps)/8) + frames)
		}
	}
	for s := range n.switches {
		most = max(most, of[s])
	}
	return most
}

// rates are RATE_AI and RATE_HAI, or those of run.py per Gb/s of the NIC.
func (n *network) increases(c *config, ai, hai float64) (rates [2]int64, err error) {
	for i, key := range []string{"RATE_AI", "RATE_HAI"} {
		rates[i] = int64([]float64{ai, hai}[i] * float64(n.nicRate()) / 1000)
		if c.has(key) {
			if rates[i], err = c.rate(key); err != nil {
				return rates, err
			}
		}
	}
	return rates, nil
}

// control is what the congestion control has.
func (n *network) control(c *config, s *settings) (notes []string, err error) {
	component := strings.TrimSuffix(c.preset, "-public")
	if c.has("MIN_RATE") {
		least, err := c.rate("MIN_RATE")
		if err != nil {
			return nil, err
		}
		s.param(component, "min_rate", units.FormatRate(least))
	}
	switch component {
	case "hpcc":
		return n.hpcc(c, s)
	case "timely":
		if err := c.needs("HAS_WIN", "0", "TIMELY has no window here"); err != nil {
			return nil, err
		}
		rates, err := n.increases(c, 1, 5)
		if err != nil {
			return nil, err
		}
		if rates[0] == 0 || rates[1]%rates[0] != 0 {
			return nil, c.wrong("RATE_HAI", "it is not a multiple of RATE_AI; the hyperactive increase is so many times the additive one here")
		}
		s.param("timely", "delta", units.FormatRate(rates[0]))
		s.param("timely", "hai_factor", strconv.FormatInt(rates[1]/rates[0], 10))
		return nil, nil
	}
	return nil, n.dcqcn(c, s)
}

func (n *network) hpcc(c *config, s *settings) (notes []string, err error) {
	for key, value := range map[string]string{"HAS_WIN": "1", "VAR_WIN": "1", "GLOBAL_T": "1", "FAST_REACT": "1", "MULTI_RATE": "0", "SAMPLE_FEEDBACK": "0"} {
		if err := c.needs(key, value, "HPCC has one window that every ACK changes, and one T for all flows, here"); err != nil {
			return nil, err
		}
	}
	for _, p := range [][2]string{{"U_TARGET", "eta"}, {"MI_THRESH", "max_stage"}} {
		if !c.has(p[0]) {
			continue
		}
		value, err := c.number(p[0])
		if err != nil {
			return nil, err
		}
		s.param("hpcc", p[1], value)
	}
	payload := int64(1000)
	if c.has("PACKET_PAYLOAD_SIZE") {
		if payload, err = c.scaled("PACKET_PAYLOAD_SIZE", 1); err != nil {
			return nil, err
		}
	}
	t := n.longestRTT(payload)
	rates, err := n.increases(c, 0.5, 0.5)
	if err != nil {
		return nil, err
	}
	s.param("host", "base_rtt", units.FormatTime(t))
	s.param("hpcc", "w_ai", fmt.Sprintf("%dB", int64(float64(rates[0])*float64(t)/8e12+0.5)))
	if c.has("INT_MULTI") && c.text("INT_MULTI") != "4" {
		notes = append(notes, fmt.Sprintf("%s:%d: INT_MULTI %s: telemetry counts in units of 512 and 320 B here, as with 4", c.path, c.lines["INT_MULTI"].line, c.text("INT_MULTI")))
	}
	return notes, nil
}

func (n *network) dcqcn(c *config, s *settings) error {
	if err := c.needs("HAS_WIN", "0", "DCQCN has no window here"); err != nil {
		return err
	}
	for _, p := range [][2]string{{"ALPHA_RESUME_INTERVAL", "alpha_timer"}, {"RATE_DECREASE_INTERVAL", "decrease_interval"}, {"RP_TIMER", "increase_timer"}} {
		if c.has(p[0]) {
			value, err := microseconds(c, p[0])
			if err != nil {
				return err
			}
			s.param("dcqcn", p[1], value)
		}
	}
	for _, p := range [][2]string{{"EWMA_GAIN", "g"}, {"FAST_RECOVERY_TIMES", "fast_recovery"}} {
		if c.has(p[0]) {
			value, err := c.number(p[0])
			if err != nil {
				return err
			}
			s.param("dcqcn", p[1], value)
		}
	}
	if c.has("CLAMP_TARGET_RATE") {
		clamp, err := c.flag("CLAMP_TARGET_RATE")
		if err != nil {
			return err
		}
		s.param("dcqcn", "clamp_target", strconv.FormatBool(clamp))
	}
	rates, err := n.increases(c, 0.2, 2)
	if err != nil {
		return err
	}
	s.param("dcqcn", "rate_ai", units.FormatRate(rates[0]))
	s.param("dcqcn", "rate_hai", units.FormatRate(rates[1]))
	if c.has("ENABLE_QCN") {
		marks, err := c.flag("ENABLE_QCN")
		if err != nil {
			return err
		}
		if !marks {
			s.slots = append(s.slots, "queues: [fifo, fifo]    # ENABLE_QCN 0")
			return nil
		}
	}
	return n.thresholds(c, s)
}

// thresholds are those of the ECN maps. They are set once, for the slowest of the
// network's rates, and scale with the rate: so have the maps to.
func (n *network) thresholds(c *config, s *settings) error {
	var rates []int64
	for _, l := range n.links {
		rates = append(rates, l.rateBps)
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	for _, m := range []struct {
		key, param, unit string
		scale            int64
		proportional     bool
	}{{"KMIN_MAP", "kmin", "B", 1000, true}, {"KMAX_MAP", "kmax", "B", 1000, true}, {"PMAX_MAP", "pmax", "", 1e9, false}} {
		if !c.has(m.key) {
			continue
		}
		values, err := c.byRate(m.key, m.scale)
		if err != nil {
			return err
		}
		first := values[rates[0]]
		for _, rate := range rates {
			value, is := values[rate]
			if !is {
				return c.wrong(m.key, "there is no value for links of %s, which the network has; add one", units.FormatRate(rate))
			}
			want := float64(first)
			if m.proportional {
				want *= float64(rate) / float64(rates[0])
			}
			if math.Abs(float64(value)-want) > 1e-6*want {
				return c.wrong(m.key, "the values for %s and %s are not in proportion to the rates (for pmax: not the same); thresholds scale with the rate here: make them so", units.FormatRate(rates[0]), units.FormatRate(rate))
			}
		}
		text := strconv.FormatInt(first, 10) + m.unit
		if !m.proportional {
			text = strconv.FormatFloat(float64(first)/float64(m.scale), 'f', -1, 64)
		} else {
			s.param("red", "per_rate", units.FormatRate(rates[0]))
		}
		s.param("red", m.param, text)
	}
	return nil
}

// fasterPorts have a larger share of the buffer in the simulator: twice as much
// for each doubling of the NIC's rate, up to all of it.
func (n *network) fasterPorts(_ *config, s *settings) (notes []string, err error) {
	alphas := map[int64][]float64{}
	for _, l := range n.links {
		alpha := 0.125
		for rate := l.rateBps; rate > n.nicRate() && alpha < 1; rate /= 2 {
			alpha *= 2
		}
		for _, end := range []int64{l.a, l.b} {
			alphas[end] = append(alphas[end], alpha)
		}
	}
	var mixed []string
	for _, sw := range sortedKeys(n.switches) {
		of := alphas[sw]
		if len(of) == 0 {
			continue
		}
		switch least, most := slices.Min(of), slices.Max(of); {
		case least != most:
			mixed = append(mixed, n.name(sw))
		case most != 0.125:
			s.nodes = append(s.nodes, fmt.Sprintf("  %s: {params: {port: {pfc_alpha: %g}}}", n.name(sw), most))
		}
	}
	if len(mixed) > 0 {
		notes = append(notes, fmt.Sprintf("at %s and %d more switches with ports of several rates, all ports pause at 1/8 of the free buffer; HPCC's simulator has a larger share for the faster ones", mixed[0], len(mixed)-1))
	}
	return notes, nil
}
