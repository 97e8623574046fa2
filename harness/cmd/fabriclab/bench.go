package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/bench"
)

// benchExperiments are run when none are given.
var benchExperiments = []string{"bench/hpcc-dumbbell", "bench/fat-tree", "bench/fncc-star", "bench/tcp-leaf-spine", "bench/dart-fat-tree"}

func (a *app) benchCommand() *cobra.Command {
	var sweep, beside, page string
	var allocatorFlows uint64
	var scaling bool
	cmd := &cobra.Command{
		Use:               "bench [EXPERIMENT…]",
		Short:             "measure the speed of simulation and harness; writes bench/bench.json in the results folder",
		ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if scaling {
				if len(args) == 0 {
					args = []string{"bench/fat-tree", "bench/tcp-leaf-spine", "bench/dart-fat-tree"}
				}
				return bench.Scaling(cmd.Context(), a.Lab, args)
			}
			if len(args) == 0 {
				args = benchExperiments
				if err := a.AllSimulators(); err != nil {
					return err
				}
				if !cmd.Flags().Changed("sweep") {
					sweep = bench.Sweep
				}
				if !cmd.Flags().Changed("ns3-tcp") && slices.Contains(a.Set.Engines, "ns3") {
					beside = bench.NS3TCP
				}
				if !cmd.Flags().Changed("allocator") {
					allocatorFlows = bench.AllocatorFlows
				}
			}
			return bench.Measure(cmd.Context(), a.Lab, args, sweep, beside, allocatorFlows, page)
		},
	}
	cmd.Flags().StringVar(&sweep, "sweep", "", "experiment of which all runs are made, one at a time and --jobs at a time (default without EXPERIMENT: "+bench.Sweep+")")
	cmd.Flags().StringVar(&beside, "ns3-tcp", "", "experiment whose load ns-3's own TCP carries, too (default without EXPERIMENT: "+bench.NS3TCP+")")
	cmd.Flags().Uint64Var(&allocatorFlows, "allocator", 0, fmt.Sprintf("measure Flowtune's allocator for up to so many flows (default without EXPERIMENT: %d)", bench.AllocatorFlows))
	cmd.Flags().StringVar(&page, "page", "", "a Markdown page whose table of speeds is renewed, between <!-- bench --> and <!-- /bench -->")
	cmd.Flags().BoolVar(&scaling, "scaling", false, "instead: how much faster 2 to 64 threads could be at most")
	return cmd
}
