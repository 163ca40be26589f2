package failing

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch"
)

// A Case is a call that changes state.
type Case struct {
	Call func() error // the call; a panic with a *torch.Error counts as an error
	// returns the tensors that Call may change; nil for a missing tensor
	State func() []*torch.Tensor
	Close []io.Closer // values to close after the call, because no scope frees them
}

// Do converts fn, which returns no error, to a Case's Call.
func Do(fn func()) func() error {
	return func() error { fn(); return nil }
}

// Faults are the faults that Sweep has found. Each text names the first allocation whose
// failure showed the fault.
type Faults struct {
	Failed  int    // number of calls that returned an error
	Changed string // A call failed and had changed the state.
	// A call failed and was repeated, but the state then differed from the state after a
	// single call.
	Retried string
	Other   string // A call returned an error that is not ErrOutOfMemory.
}

// Sweep makes a call again and again, with failing allocations. For each n it makes
// allocation n fail alone, and then together with all later allocations. Unless
// thorough.Asked returns true, it tests only some values of n. fresh creates the same
// state each time, in a scope. The first call is not counted, because it fills caches.
func Sweep(fresh func() Case) (faults Faults) {
	undisturbed(fresh)
	total, want := undisturbed(fresh)
	step := int64(1)
	if !thorough.Asked() {
		step = max(1, total/8)
	}
	for n := int64(0); n < total; n += step {
		for mode, within := range map[string]func(int64, func()) bool{"alone": At, "and all after it": From} {
			where := fmt.Sprintf("allocation %d of %d, %s", n, total, mode)
			torch.Scope(func() { faults.one(fresh(), want, func(fn func()) { within(n, fn) }, where) })
		}
	}
	return faults
}

func undisturbed(fresh func() Case) (allocations int64, want string) {
	torch.Scope(func() {
		c := fresh()
		defer c.close()
		var err error
		allocations = Count(func() { err = c.try() })
		if err != nil {
			panic(err)
		}
		want = c.print()
	})
	return allocations, want
}

func (f *Faults) one(c Case, want string, failing func(func()), where string) {
	defer c.close()
	before := c.print()
	var err error
	failing(func() { err = c.try() })
	if err == nil {
		if got := c.print(); got != want {
			note(&f.Retried, where+": a call without an error: "+difference(got, want))
		}
		return
	}
	f.Failed++
	if !errors.Is(err, torch.ErrOutOfMemory) {
		note(&f.Other, where+": "+err.Error())
	}
	if after := c.print(); after != before {
		note(&f.Changed, where+": "+difference(after, before))
	}
	if err := c.try(); err != nil {
		note(&f.Retried, where+": "+err.Error())
	} else if got := c.print(); got != want {
		note(&f.Retried, where+": "+difference(got, want))
	}
}

func (c Case) close() {
	for _, x := range c.Close {
		_ = x.Close()
	}
}

func note(to *string, text string) {
	if *to == "" {
		*to = text
	}
}

func (c Case) try() (err error) {
	if panicked := torch.Try(func() { err = c.Call() }); panicked != nil {
		return panicked
	}
	return err
}

// print returns the values of the state's tensors as text. Two texts are equal if and
// only if the values are.
func (c Case) print() string {
	var b strings.Builder
	torch.Scope(func() {
		for i, t := range c.State() {
			if t == nil {
				fmt.Fprintln(&b, i, "none")
				continue
			}
			data, err := t.Detach().Contiguous().GobEncode()
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(&b, "%d %v %v %v %x\n", i, t.DType(), t.Shape(), t.RequiresGrad(), data)
		}
	})
	return b.String()
}

// difference returns a description of the first line in which two states differ.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("tensor %d of %d", i, len(b)-1)
		}
	}
	return fmt.Sprintf("%d tensors instead of %d", len(a)-1, len(b)-1)
}
