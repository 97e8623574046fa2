package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/harness/first"
)

func (a *app) importCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "import hpcc", Short: "make an experiment of another simulator's files"}
	return group(cmd, a.importHPCCCommand())
}

func (a *app) importHPCCCommand() *cobra.Command {
	var topology, flows, dir, preset string
	cmd := &cobra.Command{
		Use:   "hpcc NAME",
		Short: "make an experiment of topology.txt and flow.txt of HPCC's public simulator",
		Long: `Writes NAME.yaml, a custom topology with HPCC's node numbers (h0, h1, …, s320, …), and NAME.csv,
its flow list. Starts count from the first flow's. Paths are those of this project's ECMP, whose hash
is not HPCC's.`,
		Example: `  fabriclab import hpcc mine --topology mix/fat.txt --flows mix/flow.txt
  fabriclab run configs/mine.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			to, begin, err := a.experimentsDir(dir)
			if err != nil {
				return err
			}
			files, notes, err := first.FromHPCC(to, args[0], topology, flows, preset)
			if err != nil {
				return err
			}
			for _, note := range notes {
				fmt.Fprintln(a.Err, note)
			}
			return a.wrote(files, begin)
		},
	}
	cmd.Flags().StringVar(&topology, "topology", "topology.txt", "file of the network")
	cmd.Flags().StringVar(&flows, "flows", "flow.txt", "file of the flows")
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: configs/ of the project)")
	cmd.Flags().StringVar(&preset, "preset", "hpcc-public", "preset of the experiment")
	return cmd
}
