// Command fabriclab runs the mechanisms of datacenter-fabric papers on real
// simulators and says whether the papers' claims hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"fabriclab/harness/progress"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitInterrupted = 130
)

func main() { os.Exit(execute()) }

// errInterrupted is the cause of a context ended by Ctrl-C.
var errInterrupted = errors.New("interrupted; what was running was stopped, nothing half-written is left, the next call goes on from here")

func execute() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(errInterrupted)
		signal.Stop(signals) // a second Ctrl-C ends this process at once
	}()

	stderr := progress.VisibleWriter{File: os.Stderr}
	err := newApp(progress.VisibleWriter{File: os.Stdout}, stderr).command().ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(context.Cause(ctx), errInterrupted):
		fmt.Fprintln(stderr, "fabriclab:", errInterrupted)
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "fabriclab:", err)
	return exitFailed
}
