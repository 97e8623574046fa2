package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/base/units"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology/svg"
)

func (a *app) topologyCommand() *cobra.Command {
	var s plan.Selection
	var draw bool
	var output string
	cmd := &cobra.Command{
		Use:   "topology EXPERIMENT",
		Short: "print an experiment's network, or draw it: -o FILE.svg",
		Long:  "Prints the network of an experiment's first point, or draws it; --set chooses another point.",
		Example: `  fabriclab topology fncc/fig13
  fabriclab topology fncc/fig13 -o network.svg`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "" && filepath.Ext(output) != ".svg" {
				return fmt.Errorf("%s: a network is drawn as .svg; give the file this ending", output)
			}
			e, err := plan.LoadOne(cmd.Context(), a.Lab, args[0], s)
			if err != nil {
				return err
			}
			point := e.Points[0]
			switch {
			case output != "":
				return file.Write(output, svg.Draw(point.Topology, e.Name), 0o666)
			case draw:
				_, err := a.Out.Write(svg.Draw(point.Topology, e.Name))
				return err
			}
			return a.printTopology(e.Experiment, point)
		},
	}
	cmd.Flags().BoolVar(&draw, "svg", false, "draw it as SVG, on standard output")
	cmd.Flags().StringVarP(&output, "output", "o", "", "draw it to a file, NAME.svg")
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "set a value of the experiment: path=value, such as topology.k=4")
	oneReadingFlag(cmd, &s)
	return cmd
}

// printTopology counts what the network is made of.
func (a *app) printTopology(e *experiment.Experiment, point *experiment.Point) error {
	t := point.Topology
	hosts := len(t.HostNames())
	fmt.Fprintf(a.Out, "%s, scale %s: %d hosts, %d switches, %d links\n", e.Name, e.Scale, hosts, len(t.Nodes)-hosts, len(t.Links))
	type kind struct {
		what        string
		rate, delay int64
	}
	counts := map[kind]int{}
	var kinds []kind
	for _, l := range t.Links {
		k := kind{"between switches", l.RateBps, l.DelayPs}
		if t.Nodes[l.A].Kind == scenario.Host || t.Nodes[l.B].Kind == scenario.Host {
			k.what = "to hosts"
		}
		if counts[k] == 0 {
			kinds = append(kinds, k)
		}
		counts[k]++
	}
	w := columns.New(a.Out)
	for _, k := range kinds {
		fmt.Fprintf(w, "  %d links %s\t%s\t%s\n", counts[k], k.what, units.FormatRate(k.rate), units.FormatTime(k.delay))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "base RTT of the longest path in use: %s\n", units.FormatTime(point.MaxBaseRTT()))
	return nil
}
