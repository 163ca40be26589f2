// Package capture records the operators of a step below autograd and replays them in one
// call, reusing the same memory. It is a separate cgo package, so that changing it
// recompiles little code. Programs use torch.Capture.
package capture

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo noescape gt_capture_new
#cgo nocallback gt_capture_new
#cgo noescape gt_capture_pass
#cgo nocallback gt_capture_pass
#cgo noescape gt_capture_optimize
#cgo nocallback gt_capture_optimize
#cgo noescape gt_capture_report
#cgo nocallback gt_capture_report
#cgo noescape gt_capture_packed
#cgo nocallback gt_capture_packed
#cgo noescape gt_capture_end
#cgo nocallback gt_capture_end
#cgo noescape gt_capture_audit
#cgo nocallback gt_capture_audit
#cgo noescape gt_capture_compare
#cgo nocallback gt_capture_compare
#cgo noescape gt_capture_adopt
#cgo nocallback gt_capture_adopt
#cgo nocallback gt_capture_check
#cgo noescape gt_capture_returned
#cgo nocallback gt_capture_returned
#cgo noescape gt_capture_feed
#cgo nocallback gt_capture_feed
#cgo noescape gt_capture_replay
#cgo nocallback gt_capture_replay
#cgo noescape gt_capture_match_gradients
#cgo nocallback gt_capture_match_gradients
#cgo noescape gt_require
#cgo nocallback gt_require
#cgo noescape gt_capture_info
#cgo nocallback gt_capture_info
#cgo nocallback gt_capture_free
#include <stdlib.h>
#include "capture.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Graph is a recording, or the finished graph.
type Graph uintptr

// Require returns an error with message if an element of ok, a bool tensor on the CPU, is
// false. A recording contains this check as an operator, so each replay repeats it.
func Require(cx abi.Ctx, ok abi.Tensor, message string) abi.Status {
	return abi.Status(C.gt_require(C.gt_ctx(cx), C.gt_tensor(ok), (*C.char)(unsafe.Pointer(unsafe.StringData(message))),
		C.int64_t(len(message))))
}

// Stats describes a graph.
type Stats struct {
	Calls    int // operators recorded
	Replayed int // number of operators that a replay calls
	Arena    [2]Block
	Own      int64
	Eager    int64
}

// Block is memory owned by a graph. Its size is 0 if there is no memory.
type Block struct {
	At    uintptr
	Bytes int64
}

// New creates a recording, which the caller must free, and returns the number of its
// mode. An operation that a replay cannot repeat fails. If lenient is set, the operation
// succeeds and End returns the error.
func New(lenient bool) (g Graph, number uint32, st abi.Status) {
	var out C.gt_capture
	var n C.uint32_t
	st = abi.Status(C.gt_capture_new(boolean(lenient), &out, &n))
	return Graph(out), uint32(n), st
}

func boolean(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// Pass starts one of the two passes of a recording, or the pass of an audit. The step
// gets copies instead of sources.
func Pass(cx abi.Ctx, g Graph, copies, sources []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_pass(C.gt_ctx(cx), C.gt_capture(g), list(copies), list(sources),
		C.int64_t(len(copies))))
}

// Optimize makes End optimize the graph for inference. inputs are the tensors whose values
// change from replay to replay. bfloat16 says that layers compute in bfloat16 if the
// processor can.
func Optimize(g Graph, inputs []abi.Tensor, bfloat16 bool) {
	C.gt_capture_optimize(C.gt_capture(g), list(inputs), C.int64_t(len(inputs)), boolean(bfloat16))
}

// Report describes the graph, as gt_capture_report says.
func Report(cx abi.Ctx, g Graph) (text string, st abi.Status) {
	var out *C.char
	if st = abi.Status(C.gt_capture_report(C.gt_ctx(cx), C.gt_capture(g), &out)); st != 0 {
		return "", st
	}
	defer C.free(unsafe.Pointer(out))
	return C.GoString(out), 0
}

// Packed returns the blocks of memory that the graph computed in advance.
func (g Graph) Packed() []Block {
	var all []Block
	for {
		var at unsafe.Pointer
		var bytes C.int64_t
		if C.gt_capture_packed(C.gt_capture(g), C.int64_t(len(all)), &at, &bytes) == 0 {
			return all
		}
		all = append(all, Block{uintptr(at), int64(bytes)})
	}
}

// End ends the recording. It fails if the step has not read all inputs. Replays of a
// lenient graph write gradients to new memory if the program still holds the gradients of
// the last replay. If End fails, stack is the stack of the failing call, or 0.
func End(cx abi.Ctx, g Graph, inputs, results []abi.Tensor) (stack uint32, st abi.Status) {
	var at C.uint32_t
	st = abi.Status(C.gt_capture_end(C.gt_ctx(cx), C.gt_capture(g), list(inputs), C.int64_t(len(inputs)), list(results),
		C.int64_t(len(results)), &at))
	return uint32(at), st
}

// Audit creates a recording of one pass, to compare with the recording of the graph g.
// The caller must free it.
func (g Graph) Audit() (audit Graph, number uint32, st abi.Status) {
	var out C.gt_capture
	var n C.uint32_t
	st = abi.Status(C.gt_capture_audit(C.gt_capture(g), &out, &n))
	return Graph(out), uint32(n), st
}

// Compare ends an audit. Its error describes how the step differs from the graph's
// recording. stack is the stack of the call that differs, or 0.
func Compare(cx abi.Ctx, audit Graph) (stack uint32, st abi.Status) {
	var at C.uint32_t
	st = abi.Status(C.gt_capture_compare(C.gt_ctx(cx), C.gt_capture(audit), &at))
	return uint32(at), st
}

// Adopt prepares a graph after a step that ran without it. It gives leaves the gradient
// tensors that a replay uses, with the values of their current gradients, and gives the
// graph's results the values of results.
func Adopt(cx abi.Ctx, g Graph, results []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_adopt(C.gt_ctx(cx), C.gt_capture(g), list(results), C.int64_t(len(results))))
}

// Check returns an error if the program has changed what the graph depends on.
func Check(cx abi.Ctx, g Graph) abi.Status {
	return abi.Status(C.gt_capture_check(C.gt_ctx(cx), C.gt_capture(g)))
}

// Returned ends a pass. results are the step's results.
func Returned(cx abi.Ctx, g Graph, results []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_returned(C.gt_ctx(cx), C.gt_capture(g), list(results), C.int64_t(len(results))))
}

func list(ts []abi.Tensor) *C.gt_tensor { return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(ts))) }

// Match says whether something is the same as in the recording or, if it is not, whether
// it can become the same again.
type Match int

// The results of MatchGradients.
const (
	Matches Match = iota
	Differs
	NeverMatches
)

// MatchGradients compares the gradients that a step adds to or reads with the gradients
// in the recording. It may also be called after the first of two passes.
func MatchGradients(cx abi.Ctx, g Graph) Match {
	return Match(C.gt_capture_match_gradients(C.gt_ctx(cx), C.gt_capture(g)))
}

// Feed copies sources to the inputs. In a lenient graph, if the step writes to the memory
// of a source, Feed copies nothing and returns true for written.
func Feed(cx abi.Ctx, g Graph, inputs, sources []abi.Tensor) (written bool, st abi.Status) {
	var w C.int32_t
	st = abi.Status(C.gt_capture_feed(C.gt_ctx(cx), C.gt_capture(g), list(inputs), list(sources),
		C.int64_t(len(sources)), &w))
	return w != 0, st
}

// Replay runs the graph. If it fails, stack is the stack of the failing call, or 0. If
// the program has changed what the graph depends on, stale is true and nothing was run.
func Replay(cx abi.Ctx, g Graph) (stack uint32, stale bool, st abi.Status) {
	var at C.uint32_t
	var old C.int32_t
	st = abi.Status(C.gt_capture_replay(C.gt_ctx(cx), C.gt_capture(g), &at, &old))
	return uint32(at), old != 0, st
}

// Stats returns statistics of the graph.
func (g Graph) Stats() Stats {
	var s C.gt_capture_stats
	C.gt_capture_info(C.gt_capture(g), &s)
	out := Stats{Calls: int(s.calls), Replayed: int(s.replayed), Own: int64(s.own_bytes), Eager: int64(s.eager_bytes)}
	for i := range out.Arena {
		out.Arena[i] = Block{uintptr(s.arena[i]), int64(s.arena_bytes[i])}
	}
	return out
}

// Free frees the graph.
func (g Graph) Free() { C.gt_capture_free(C.gt_capture(g)) }
