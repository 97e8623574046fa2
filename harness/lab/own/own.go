// Package own tests mechanisms of one's own.
package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"fabriclab/base/file"
	"fabriclab/harness/lab"
)

// Tests says how to test mechanisms of one's own.
type Tests struct {
	Args   []string // for the unit tests
	Update bool     // write what is generated in the pages
}

// ownTests is the program with the unit tests beside mechanisms.
const ownTests = "own-tests"

// Test runs the unit tests beside the mechanisms of one's own and checks
// their pages.
func Test(ctx context.Context, lab *lab.Lab, o Tests) error {
	own, err := lab.Own()
	if err != nil {
		return err
	}
	if len(own) == 0 {
		return errors.New("there is no mechanism of one's own; name their folder with --mechanisms, or in fabriclab.yaml as mechanism_path")
	}
	if err := Pages(ctx, lab, o.Update); err != nil {
		return err
	}
	var tests int
	for _, folder := range own {
		tests += len(folder.Files("_test.cc"))
	}
	if tests == 0 {
		return errors.New("there is no unit test beside the mechanisms; a file NAME_test.cc is one, and fabriclab new mechanism writes a first one")
	}
	b, err := lab.Builder()
	if err != nil {
		return err
	}
	program, err := b.Fresh(ctx, ownTests)
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, program, o.Args...)
	child.Stdout, child.Stderr = lab.Out, lab.Err
	if err := child.Run(); err != nil {
		return fmt.Errorf("unit tests: %w; what failed is above", err)
	}
	return nil
}

// Pages compares the tables of parameters in the pages beside mechanisms with
// the descriptions, or with update writes them. Every mechanism has its page.
func Pages(ctx context.Context, lab *lab.Lab, update bool) error {
	own, err := lab.Own()
	if err != nil {
		return err
	}
	c, err := lab.Catalog(ctx)
	if err != nil {
		return err
	}
	parts, err := parts(lab)
	if err != nil {
		return err
	}
	var problems []error
	for _, folder := range own {
		var pages strings.Builder
		for _, page := range folder.Files(".md") {
			text, err := os.ReadFile(page)
			if err != nil {
				return err
			}
			filled, err := c.FillMarkdown(string(text))
			if err != nil {
				return fmt.Errorf("%s: %w", page, err)
			}
			pages.WriteString(filled)
			switch {
			case filled == string(text):
			case update:
				if err := file.Write(page, []byte(filled), 0o666); err != nil {
					return err
				}
				fmt.Fprintln(lab.Out, "updated", page)
			default:
				problems = append(problems, fmt.Errorf("%s is out of date; write it anew with: fabriclab test --update", page))
			}
		}
		for _, name := range parts[folder.Name] {
			if block := "<!-- params:" + name + " -->"; !strings.Contains(pages.String(), block) {
				problems = append(problems, fmt.Errorf("no page in %s has the table of %s; add the lines %s and <!-- /params -->", folder.Dir, name, block))
			}
		}
	}
	return errors.Join(problems...)
}

// parts are the components by the folder that describes them.
func parts(lab *lab.Lab) (map[string][]string, error) {
	b, err := lab.Builder()
	if err != nil {
		return nil, err
	}
	of, err := b.Described()
	if err != nil {
		return nil, err
	}
	parts := map[string][]string{}
	for component, part := range of {
		parts[part] = append(parts[part], component)
	}
	for _, components := range parts {
		slices.Sort(components)
	}
	return parts, nil
}
