package torch

import (
	"fmt"
	"math/bits"

	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/recording"
)

// AuditEvery sets how often a graph is compared with the function that it was made from.
// An audited call runs the function instead of the graph and compares its operators, in
// order, with their numbers and tensors. This finds a branch, number or tensor that has
// changed since the recording.
//
// With 0, the default, calls 4, 16, 64, 256 and so on are audited. With n, every n-th
// call is audited; use 1 in tests. A negative number panics with ErrValue.
type AuditEvery int

// checkAuditEvery panics with ErrValue for a negative number.
func checkAuditEvery(op string, n AuditEvery) int {
	if n < 0 {
		panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected AuditEvery of 0 or more, got %d", int(n))))
	}
	return int(n)
}

// auditSchedule decides which calls of a graph are audited.
type auditSchedule struct {
	every int
	calls int // calls of the graph so far
}

// recorded is the number of calls before the first replay.
const recorded = 3

// due counts a call and reports whether to audit it.
func (a *auditSchedule) due() bool {
	a.calls++
	n := a.calls + recorded
	if a.every > 0 {
		return n%a.every == 0
	}
	return bits.OnesCount(uint(n)) == 1 && bits.TrailingZeros(uint(n))%2 == 0 //nolint:gosec // not negative
}

// audit runs a step with fn, passing it copies of sources, and compares the step with the
// graph. The result why describes a difference, is retriedReason if the two cannot be
// compared, or is empty. The results belong to the innermost scope. If too many
// recordings are running, audit does nothing and returns false.
func (g *Graph) audit(op string, fn func() []*Tensor,
	copies, sources []*Tensor,
) (results []*Tensor, why string, ok bool) {
	native, number, st := g.native.Audit()
	if st != 0 {
		_ = statusError(op, st, nil) // too many recordings are in progress; audit a later call
		return nil, "", false
	}
	t := &recorder{native: native, number: number, r: recording.Start(number, true), unnamed: true}
	t.r.Optimize = g.optimize
	defer native.Free()
	defer t.r.Stop(number)
	results = t.recordPass(op, fn, copies, sources)
	if why := t.r.Failure(); why != "" {
		return results, why, true
	}
	if t.r.HasRetried() {
		return results, retriedReason, true
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

// auditStep runs a step with the graph's function, and sets results and gradients as a
// replay would. If too many recordings are running, it does nothing and returns false.
func (g *Graph) auditStep(op string) (ok bool) {
	if e := g.checkNative(op); e != nil {
		panic(e)
	}
	Scope(func() {
		var results []*Tensor
		var why string
		if results, why, ok = g.audit(op, g.fn, nil, nil); !ok {
			return
		}
		if why == retriedReason {
			panic(&Error{Op: op, Kind: ErrOutOfMemory, Message: why + ": this call was made without the graph, which " +
				"cannot be used any more"})
		}
		if why != "" {
			panic(&Error{Op: op, Kind: ErrValue, Message: why, Remedy: "this call ran without the graph; " +
				"capture the step again, or use torch.CaptureByShape, which continues without a graph"})
		}
		g.adopt(op, results)
	})
	return ok
}

// adopt replaces the gradients of leaves with the tensors that a replay uses, with the
// values of the audit. It gives the graph's results the values of results.
func (g *Graph) adopt(op string, results []*Tensor) {
	now := Handles(op, results, false)
	raw := BeginRaw(op, results...)
	raw.Status(capture.Adopt(raw.Ctx, g.native, now))
}

// checkNative returns an error if the program has changed something that the graph
// depends on.
func (g *Graph) checkNative(op string) *Error {
	err := Try(func() {
		raw := BeginRaw(op)
		raw.Status(capture.Check(raw.Ctx, g.native))
	})
	if err != nil {
		return typed(err)
	}
	return nil
}
