package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/harness/first"
	"fabriclab/harness/lab/plan"
)

func (a *app) importCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "import hpcc", Short: "make an experiment of another simulator's files"}
	return group(cmd, a.importHPCCCommand())
}

func (a *app) importHPCCCommand() *cobra.Command {
	var from first.HPCC
	var dir, paths string
	cmd := &cobra.Command{
		Use:   "hpcc NAME",
		Short: "make an experiment of the files of HPCC's public simulator",
		Long: `Writes NAME.yaml, a custom topology with HPCC's node numbers (h0, h1, …, s320, …), and NAME.csv,
its flow list. Read are topology.txt and flow.txt as HPCC, ConWeave, ns3-datacenter and SimAI have them,
and with --config their config.txt: congestion control, windows, rates, ECN and PFC. What cannot be said
here is refused, with file and line, and nothing is written that cannot run. Starts count from the first
flow's. With --paths hpcc flows take the paths of HPCC's ECMP, so that runs compare flow by flow.`,
		Example: `  fabriclab import hpcc mine --config mix/config.txt --paths hpcc
  fabriclab import hpcc other --topology mix/fat.txt --flows mix/flow.txt
  fabriclab run mine`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if paths != "ecmp" && paths != "hpcc" {
				return fmt.Errorf("--paths %s: it is ecmp, this project's, or hpcc, those of HPCC's simulator", paths)
			}
			from.PublicPaths = paths == "hpcc"
			to, begin, err := a.experimentsDir(dir)
			if err != nil {
				return err
			}
			files, notes, err := first.FromHPCC(to, args[0], from, func(file string) error {
				_, err := plan.Load(cmd.Context(), a.Lab, []string{file}, plan.Selection{})
				return err
			})
			if err != nil {
				return err
			}
			for _, note := range notes {
				fmt.Fprintln(a.Err, note)
			}
			return a.wrote(files, begin)
		},
	}
	cmd.Flags().StringVar(&from.Topology, "topology", "", "file of the network (default: the config's TOPOLOGY_FILE, or topology.txt)")
	cmd.Flags().StringVar(&from.Flows, "flows", "", "file of the flows (default: the config's FLOW_FILE, or flow.txt)")
	cmd.Flags().StringVar(&from.Config, "config", "", "the simulator's config.txt (default: what its run.py sets)")
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: configs/ of the project)")
	cmd.Flags().StringVar(&from.Preset, "preset", "", "preset of the experiment (default: by the config's CC_MODE, or hpcc-public)")
	cmd.Flags().StringVar(&paths, "paths", "ecmp", "whose paths flows take: ecmp (this project's) or hpcc")
	return cmd
}
