package build

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Checks asks the model what it would refuse (docs/formats.md, Checks). Its
// program starts with the first question.
type Checks struct {
	ctx     context.Context
	program string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Checks asks the program that Describe got the catalog from.
func (b *Builder) Checks(ctx context.Context) (*Checks, error) {
	program, err := b.Tool(ctx, describeBinary)
	return &Checks{ctx: ctx, program: program}, err
}

// Check asks about a scenario.
func (c *Checks) Check(question []byte) ([]byte, error) {
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return nil, c.failed(err)
		}
	}
	if _, err := c.in.Write(append(question, '\n')); err != nil {
		return nil, c.failed(err)
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, c.failed(err)
	}
	return answer, nil
}

func (c *Checks) start() error {
	cmd := exec.CommandContext(c.ctx, c.program, "--check")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 1<<16)
	return nil
}

func (c *Checks) failed(err error) error {
	return fmt.Errorf("%s --check: %w; build it anew with: fabriclab build", c.program, err)
}

// Close ends the program.
func (c *Checks) Close() error {
	if c == nil || c.cmd == nil {
		return nil
	}
	err := c.in.Close()
	_, _ = io.Copy(io.Discard, c.out) // one that says more than was asked would wait for a reader forever
	err = errors.Join(err, c.cmd.Wait())
	c.cmd = nil
	return err
}
