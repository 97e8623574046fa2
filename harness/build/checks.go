package build

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Checks asks the model what it would refuse (docs/formats.md, Checks). Its
// program starts with the first question, and the first failure is the last.
type Checks struct {
	ctx     context.Context
	program string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // to standard error
	err     error        // of the first failure
}

// Checks asks the program that Describe got the catalog from.
func (b *Builder) Checks(ctx context.Context) *Checks {
	return &Checks{ctx: ctx, program: b.binary(describeBinary)}
}

// Check asks about a scenario.
func (c *Checks) Check(question []byte) (answer []byte, err error) {
	if c.err != nil {
		return nil, c.err
	}
	if c.cmd == nil {
		err = c.start()
	}
	if err == nil {
		_, err = c.in.Write(append(question, '\n'))
	}
	if err == nil {
		answer, err = c.out.ReadBytes('\n')
	}
	if err != nil {
		c.err = c.failed(err)
	}
	return answer, c.err
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
	cmd.Stderr = &c.said
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 1<<16)
	return nil
}

// failed ends the program and says why there is no answer: what it said last,
// or how it ended.
func (c *Checks) failed(err error) error {
	if ended := c.Close(); ended != nil {
		err = ended
	}
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	if said := strings.TrimSpace(c.said.String()); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
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
