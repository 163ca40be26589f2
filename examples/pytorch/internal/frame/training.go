package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/torch"
)

// Training is one run of a program. Several goroutines may call its methods.
type Training struct {
	context.Context
	Flags
	Out io.Writer

	log   *twin.Log
	mu    sync.Mutex // guards log and steps
	steps int
}

// Run calls train in a scope, with the seed and threads of the flags. At the end it checks
// that all native memory is free. If train panics with a *torch.Error, Run returns that
// error.
func (f Flags) Run(ctx context.Context, out io.Writer, train func(t *Training) error) (err error) {
	log, err := twin.Create(f.Losses)
	if err != nil {
		return err
	}
	t := &Training{Context: ctx, Flags: f, Out: out, log: log}
	book := account.Open()
	wrong := torch.Try(func() {
		torch.SetNumThreads(f.Threads)
		torch.ManualSeed(f.Seed)
		torch.Scope(func() { err = train(t) })
	})
	bytes, tensors, peak := book.Close()
	if err := errors.Join(wrong, err, log.Close()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintf(out, "interrupted after %d steps\n", t.steps)
	}
	fmt.Fprintf(out, "all closed: %d bytes and %d tensors more than at the start; the peak was %d bytes\n", bytes,
		tensors, peak)
	if bytes != 0 || tensors != 0 {
		return errors.New("native memory leaked")
	}
	return nil
}

// Add records the loss of a step.
func (t *Training) Add(loss float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.Add(loss)
	t.steps++
}

// Ended reports whether the training should end, because -steps steps have run or Ctrl-C
// was pressed.
func (t *Training) Ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Err() != nil || t.Steps >= 0 && t.steps >= t.Steps
}
