// Package capture records the operators of a step below autograd and replays them over
// fixed memory in one crossing. It is a cgo package of its own so that a change here
// recompiles little. Programs use torch.Capture.
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
#cgo noescape gt_capture_fits
#cgo nocallback gt_capture_fits
#cgo noescape gt_require
#cgo nocallback gt_require
#cgo noescape gt_capture_info
#cgo nocallback gt_capture_info
#cgo nocallback gt_capture_free
#include "capture.h"
*/
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Graph is a recording, and the graph that it becomes.
type Graph uintptr

// Require fails with a message where an element of ok, a tensor of bools of the CPU, is false. A recording has it as an
// operator: each replay asks again.
func Require(cx abi.Ctx, ok abi.Tensor, message string) abi.Status {
	return abi.Status(C.gt_require(C.gt_ctx(cx), C.gt_tensor(ok), (*C.char)(unsafe.Pointer(unsafe.StringData(message))), C.int64_t(len(message))))
}

// Stats says what a graph consists of.
type Stats struct {
	Calls    int // operators that were recorded
	Replayed int // and that a replay calls
	Arena    [2]Block
	Own      int64
	Eager    int64
}

// Block is memory of a graph's own, of no bytes if it is not there.
type Block struct {
	At    uintptr
	Bytes int64
}

// New makes a recording, which the caller frees, and returns the number of its mode. What a
// replay could not repeat is an error of who does it; of a lenient one it is End's.
func New(lenient bool) (g Graph, number uint32, st abi.Status) {
	var out C.gt_capture
	var n C.uint32_t
	var l C.int32_t
	if lenient {
		l = 1
	}
	st = abi.Status(C.gt_capture_new(l, &out, &n))
	return Graph(out), uint32(n), st
}

// Pass begins one of the two passes, or that of an audit. The step is given copies of sources.
func Pass(cx abi.Ctx, g Graph, copies, sources []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_pass(C.gt_ctx(cx), C.gt_capture(g), list(copies), list(sources), C.int64_t(len(copies))))
}

// End ends the recording. The step has to read the inputs. The results of a lenient recording lie in the memory that
// gradients get, where somebody holds those of the last replay. On an error stack is that of the call at fault, 0 for
// none.
func End(cx abi.Ctx, g Graph, inputs, results []abi.Tensor) (stack uint32, st abi.Status) {
	var at C.uint32_t
	st = abi.Status(C.gt_capture_end(C.gt_ctx(cx), C.gt_capture(g), list(inputs), C.int64_t(len(inputs)), list(results), C.int64_t(len(results)), &at))
	return uint32(at), st
}

// Audit makes a recording of one pass, which the caller frees, that is compared with what a graph was made of.
func (g Graph) Audit() (audit Graph, number uint32, st abi.Status) {
	var out C.gt_capture
	var n C.uint32_t
	st = abi.Status(C.gt_capture_audit(C.gt_capture(g), &out, &n))
	return Graph(out), uint32(n), st
}

// Compare ends an audit. An error says how the step differs; stack is that of the call at fault, 0 for none.
func Compare(cx abi.Ctx, audit Graph) (stack uint32, st abi.Status) {
	var at C.uint32_t
	st = abi.Status(C.gt_capture_compare(C.gt_ctx(cx), C.gt_capture(audit), &at))
	return uint32(at), st
}

// Adopt has leaves have the gradients that a replay gives them, with the values of those that they have, and the
// graph's results the values of results, after a step without the graph.
func Adopt(cx abi.Ctx, g Graph, results []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_adopt(C.gt_ctx(cx), C.gt_capture(g), list(results), C.int64_t(len(results))))
}

// Check fails if the program has changed what the graph stands on.
func Check(cx abi.Ctx, g Graph) abi.Status {
	return abi.Status(C.gt_capture_check(C.gt_ctx(cx), C.gt_capture(g)))
}

// Returned ends a pass, of which results are the step's.
func Returned(cx abi.Ctx, g Graph, results []abi.Tensor) abi.Status {
	return abi.Status(C.gt_capture_returned(C.gt_ctx(cx), C.gt_capture(g), list(results), C.int64_t(len(results))))
}

func list(ts []abi.Tensor) *C.gt_tensor { return (*C.gt_tensor)(unsafe.Pointer(unsafe.SliceData(ts))) }

// Fits says whether the gradients that a step adds to or reads are there as when it was recorded: 0 if they are, 1 if
// not, -1 if they cannot be again. After the first of two passes it may be asked too.
func Fits(cx abi.Ctx, g Graph) int { return int(C.gt_capture_fits(C.gt_ctx(cx), C.gt_capture(g))) }

// Feed copies sources into the inputs. Of a lenient graph, written says that it did not, since
// one lies in memory that the step writes to.
func Feed(cx abi.Ctx, g Graph, inputs, sources []abi.Tensor) (written bool, st abi.Status) {
	var w C.int32_t
	st = abi.Status(C.gt_capture_feed(C.gt_ctx(cx), C.gt_capture(g), list(inputs), list(sources), C.int64_t(len(sources)), &w))
	return w != 0, st
}

// Replay runs the graph. Where it fails, stack is that of the call at fault, 0 for none; stale
// says that the program has changed what the graph stands on, and nothing was done.
func Replay(cx abi.Ctx, g Graph) (stack uint32, stale bool, st abi.Status) {
	var at C.uint32_t
	var old C.int32_t
	st = abi.Status(C.gt_capture_replay(C.gt_ctx(cx), C.gt_capture(g), &at, &old))
	return uint32(at), old != 0, st
}

// Stats says what the graph consists of.
func (g Graph) Stats() Stats {
	var s C.gt_capture_stats
	C.gt_capture_info(C.gt_capture(g), &s)
	out := Stats{Calls: int(s.calls), Replayed: int(s.replayed), Own: int64(s.own_bytes), Eager: int64(s.eager_bytes)}
	for i := range out.Arena {
		out.Arena[i] = Block{uintptr(s.arena[i]), int64(s.arena_bytes[i])}
	}
	return out
}

// Free frees it.
func (g Graph) Free() { C.gt_capture_free(C.gt_capture(g)) }
