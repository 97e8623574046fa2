package measure

import (
	"fmt"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "pauses", Quantity: Count, Better: Lower,
		Title: "XOFF frames sent by `node`, at `port` if given",
		From:  []string{"pauses"},
		Needs: []string{"node", "class", "window"}, Allows: []string{"port"}, Complete: true,
		Take: pauses,
	})
	register(Kind{
		Name: "paused_time", Quantity: Time, Better: Lower,
		Title: "time the port was paused",
		From:  []string{"links.paused_ps"},
		Needs: []string{"port", "window"}, Complete: true, Counts: true,
		Take: pausedTime,
	})
}

// A PauseKey is where pause frames were sent: a port, `node->neighbour`, and the
// class they pause.
type PauseKey struct {
	Node  string
	Port  string
	Class int64
}

// PauseCount is how many pause frames were sent.
type PauseCount struct{ Xoff, Xon int64 }

// PausesSent counts the pause frames sent in the window, by node, port and class.
func PausesSent(dir string, w series.Window) (map[PauseKey]PauseCount, error) {
	counts := map[PauseKey]PauseCount{}
	columns := []table.Column{
		{Name: "time_ps", Type: table.Int}, {Name: "class", Type: table.Int},
		{Name: "xoff", Type: table.Bool}, {Name: "sent", Type: table.Bool},
		{Name: "node", Type: table.String}, {Name: "link", Type: table.String},
	}
	err := table.Scan(dir, "pauses", columns, func(r *table.Rows) error {
		for i := range r.N {
			if !r.Bool(3, i) || !w.Contains(r.Int(0, i)) {
				continue
			}
			key := PauseKey{r.String(4, i), r.String(5, i), r.Int(1, i)}
			c := counts[key]
			if r.Bool(2, i) {
				c.Xoff++
			} else {
				c.Xon++
			}
			counts[key] = c
		}
		return nil
	})
	return counts, err
}

// XoffSent is the number of XOFF frames for a class sent by a node, at one port or
// (port empty) at all of its ports.
func XoffSent(counts map[PauseKey]PauseCount, node, port string, class int64) int64 {
	var n int64
	for key, c := range counts {
		if key.Node == node && key.Class == class && (port == "" || key.Port == port) {
			n += c.Xoff
		}
	}
	return n
}

func pauses(x in) (float64, error) {
	network, err := table.ReadNetwork(x.dir)
	if err == nil {
		err = network.CheckNode(x.m.Node)
	}
	if err == nil && x.port != "" && !strings.HasPrefix(x.port, x.m.Node+"->") {
		err = inRun(x.dir, fmt.Errorf("%s is no port of %s, whose frames are counted", x.port, x.m.Node))
	}
	if err != nil {
		return 0, err
	}
	counts, err := PausesSent(x.dir, x.window)
	return float64(XoffSent(counts, x.m.Node, x.port, x.class)), err
}

func pausedTime(x in) (float64, error) {
	s, err := PausedTime(x.dir, x.port, x.window.From)
	if err != nil {
		return 0, inRun(x.dir, err)
	}
	return s.Growth(x.window), nil
}
