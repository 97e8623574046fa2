package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/analysis/figure"
	"fabriclab/harness/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [experiment|preset|sizes]",
		Short: "print the JSON Schema of a kind of file, for editors and other tools",
		Long: `Prints the JSON Schema (draft 7) of experiments, of presets or of tables of flow sizes. It is made
of what validation asks for and of the mechanisms' descriptions; docs/how-to/editors.md says how
editors use it.`,
		Example: `  fabriclab schema > build/experiment.schema.json`,
		Args:    cobra.MaximumNArgs(1), ValidArgs: schema.Names,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := schema.Names[0]
			if len(args) > 0 {
				name = args[0]
			}
			c, err := a.Catalog(cmd.Context())
			if err != nil {
				return err
			}
			s, err := schema.Make(name, c, figure.Schema())
			if err != nil {
				return fmt.Errorf("schema: %w", err)
			}
			return a.Print(s)
		},
	}
}
