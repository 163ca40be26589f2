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

// Training is a run of a program. Its methods may be called by several goroutines.
type Training struct {
	context.Context
	Flags
	Out io.Writer

	log   *twin.Log
	mu    sync.Mutex // guards log and steps
	steps int
}

// Run trains in a scope of its own, with seed and threads as the flags say, and checks that all
// native memory is back at the end. Mistakes that panic with a *torch.Error are errors.
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

// Add notes the loss of a step.
func (t *Training) Add(loss float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.Add(loss)
	t.steps++
}

// Ended says whether there were all the steps that -steps asks for, or Ctrl-C.
func (t *Training) Ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Err() != nil || t.Steps >= 0 && t.steps >= t.Steps
}
