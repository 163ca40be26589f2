package torch

import (
	"fmt"
	"math/bits"

	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/recording"
)

// AuditEvery is how often a graph is compared with the function that it was made of. A call that is
// audited runs the function, without the graph, and compares the operators that it calls, in order, with their
// numbers and tensors. So a branch, a number or a tensor of the program that has changed since the recording is found.
//
// The default is 0: calls 4, 16, 64, 256 and so on are audited; the first three make the graph. With 1 each
// call is, which a test of a step wants; with n each n-th. A negative number is ErrValue.
type AuditEvery int

// checkAuditEvery panics with ErrValue for a number that is none.
func checkAuditEvery(op string, n AuditEvery) int {
	if n < 0 {
		panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected AuditEvery of 0 or more, got %d", int(n))))
	}
	return int(n)
}

// audits says which calls of a graph are audited.
type audits struct {
	every int
	calls int // of the graph
}

// recorded is how many calls there are before a graph can be replayed.
const recorded = 3

// due counts a call and says whether it is to be audited.
func (a *audits) due() bool {
	a.calls++
	n := a.calls + recorded
	if a.every > 0 {
		return n%a.every == 0
	}
	return bits.OnesCount(uint(n)) == 1 && bits.TrailingZeros(uint(n))%2 == 0 //nolint:gosec // not negative
}

// audit makes a step by fn, which is given copies of sources, and compares it with what the graph was made of. why says
// how it differs, nothing where it does not. The results are of the innermost scope. It returns false, and has done
// nothing, where there is no room for another recording.
func (g *Graph) audit(op string, fn func() []*Tensor, copies, sources []*Tensor) (results []*Tensor, why string, ok bool) {
	native, number, st := g.native.Audit()
	if st != 0 {
		_ = statusError(op, st, nil) // too many recordings at once: another call will do
		return nil, "", false
	}
	t := &take{native: native, number: number, r: recording.Start(number, true), unnamed: true}
	defer native.Free()
	defer t.r.Stop(number)
	results = t.pass(op, fn, copies, sources)
	if why := t.r.Failure(); why != "" {
		return results, why, true
	}
	err := Try(func() {
		var at uint32
		defer nameStack(&at)
		raw := BeginRaw(op)
		at, st = capture.Compare(raw.Ctx, native)
		raw.Status(st)
	})
	if err != nil {
		why = typed(err).Message
	}
	return results, why, true
}

// audited makes a step by the function that the graph was made of, and has results and gradients be those of a replay.
// It returns false, and has done nothing, where there is no room for another recording.
func (g *Graph) audited(op string) (ok bool) {
	if e := g.check(op); e != nil {
		panic(e)
	}
	Scope(func() {
		var results []*Tensor
		var why string
		if results, why, ok = g.audit(op, g.fn, nil, nil); !ok {
			return
		}
		if why != "" {
			panic(&Error{Op: op, Kind: ErrValue, Message: why, Remedy: "this call was made without the graph; capture the step again, or torch.CaptureByShape, which goes on without a graph"})
		}
		g.adopt(op, results)
	})
	return ok
}

// adopt has leaves have the gradients that a replay gives them, with the values of those of an audit, and results of the
// graph the values of the audit's.
func (g *Graph) adopt(op string, results []*Tensor) {
	now := Handles(op, results, false)
	raw := BeginRaw(op, results...)
	raw.Status(capture.Adopt(raw.Ctx, g.native, now))
}

// check returns an error where the program has changed what the graph stands on, as a replay would.
func (g *Graph) check(op string) *Error {
	err := Try(func() {
		raw := BeginRaw(op)
		raw.Status(capture.Check(raw.Ctx, g.native))
	})
	if err != nil {
		return typed(err)
	}
	return nil
}
