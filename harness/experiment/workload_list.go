package experiment

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/workload"
)

func init() {
	registerWorkload(Workload{
		Name: "list", Title: "flows written out",
		Keys:    "[experiments.md](experiments.md#workload)",
		Happens: "flows written out",
		Help: map[string]string{
			"flows": "the flows, numbered from 0",
		},
		read: (*loader).flowList,
	})
}

func (l *loader) flowList(s *reader.Section, t *topology.Topology, rules workload.Rules) workload.Generator {
	before := l.Found
	var entries []workload.Entry
	s.Need("flows", "[{src: host0, dst: host1, start: 0us, size: 1MB}]")
	items := s.Items("flows")
	listed := 0.0
	for i, n := range items {
		entry := l.flow(n, s.Name("flows."+strconv.Itoa(i)), t, rules)
		entries = append(entries, entry)
		if listed += float64(entry.Flows()); listed > mostListed {
			l.Problem(n, "%s.%d: with these there are more than %d flows in the list, which is held in memory; give them as a file, or by a workload that makes them", s.Name("flows"), i, mostListed)
			break
		}
	}
	s.Done()
	if l.Found > before {
		return nil
	}
	list, err := workload.NewList(entries)
	var entry *workload.EntryError
	if errors.As(err, &entry) {
		l.Problem(items[entry.Index], "%s.%d: %v", s.Name("flows"), entry.Index, entry.Err)
		return nil
	}
	return list
}

func (l *loader) flow(n *yaml.Node, name string, t *topology.Topology, rules workload.Rules) workload.Entry {
	before := l.Found
	s := l.Section(n, n, name)
	hosts := func(key string) []uint32 {
		text, at, ok := s.Required(key, t.HostNames()[0])
		if !ok {
			return nil
		}
		ids, err := workload.Hosts(text, t.Host)
		if err != nil {
			l.Problem(at, "%s: %v", s.Name(key), err)
		}
		return ids
	}
	sources, destinations := hosts("src"), hosts("dst")
	pairs := s.Choice("join", topology.Joins...) == "pairs"
	e := workload.Entry{
		Name:  s.Str("name"),
		Count: int(s.Integer("count", 1, 1, 1<<24)),
		Flow: scenario.Flow{
			Group:   uint32(s.Integer("group", 0, 0, math.MaxUint32)),
			Size:    flowSize(s),
			StartPs: s.Time("start", 0), StopPs: s.Time("stop", -1),
			SrcPort: uint16(s.Integer("src_port", 0, 0, math.MaxUint16)),
			DstPort: uint16(s.Integer("dst_port", 0, 0, math.MaxUint16)),
			Class:   uint8(s.Integer("class", int64(rules.DefaultClass()), 0, math.MaxUint8)),
			Weight:  s.Float("weight", 1),
		},
	}
	e.Flow.Measured = rules.Measured(e.Flow.StartPs)
	s.Done()
	if l.Found > before {
		return e
	}
	joined, err := workload.Join(sources, destinations, pairs)
	if err == nil {
		for src, dst := range joined {
			e.Flow.Src, e.Flow.Dst = src, dst
			if err = rules.Check(e.Flow); err != nil {
				break
			}
			e.Pairs = append(e.Pairs, [2]uint32{src, dst})
		}
	}
	var broken *workload.FlowError
	if errors.As(err, &broken) {
		at := s.Get(broken.Field)
		if at == nil {
			at = n
		}
		l.Problem(at, "%s.%v", name, broken)
	}
	return e
}

// flowSize is a flow's payload in bytes, 0 for unlimited.
func flowSize(s *reader.Section) uint64 {
	s.Need("size", "1MB (or unlimited)")
	size, _ := reader.Quantity(s, "size", func(text string) (int64, error) {
		if text == "unlimited" {
			return 0, nil
		}
		n, err := units.ParseBytes(text)
		if err == nil && n == 0 {
			err = fmt.Errorf("a flow of %q has nothing to send; write a size above 0, or unlimited", text)
		}
		return n, err
	})
	return uint64(size)
}
