package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/harness/trust"
)

func (a *app) trustCommand() *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "trust a folder that others may write to; without a folder: list those trusted",
		Long: `A ` + settingsFile + ` names programs that are compiled and run as you. One that belongs to
somebody else, or lies where everybody may write, is refused until its folder is trusted.`,
		Args:              cobra.MaximumNArgs(1),
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // the settings may be what is not trusted yet
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && remove:
				return errors.New("--remove: name the folder; fabriclab trust lists them")
			case len(args) == 0:
				return a.listTrusted()
			}
			act, said := trust.Add, "trusted"
			if remove {
				act, said = trust.Remove, "no longer trusted"
			}
			dir, err := act(args[0])
			if err == nil {
				_, err = fmt.Fprintf(a.Out, "%s: %s\n", said, dir)
			}
			return err
		},
	}
	c.Flags().BoolVar(&remove, "remove", false, "trust the folder no longer")
	return c
}

func (a *app) listTrusted() error {
	list, err := trust.List()
	if err != nil {
		return err
	}
	for _, dir := range list {
		fmt.Fprintln(a.Out, dir)
	}
	return nil
}
