package profiler

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// known keeps the text of each stack: a table asks for the same few again and again.
var known sync.Map // trace.ID -> []string

func stackOf(id trace.ID) []string {
	if id == 0 {
		return nil
	}
	if s, ok := known.Load(id); ok {
		return s.([]string)
	}
	frames := calls(trace.Frames(id))
	out := make([]string, len(frames))
	for i, f := range frames {
		out[i] = fmt.Sprintf("%s(%d): %s", f.File, f.Line, shortName(f.Function))
	}
	known.Store(id, out)
	return out
}

// calls leaves out the library's plumbing at the inner end of a stack, which is the same
// for all operators, and the runtime's at the outer.
func calls(frames []runtime.Frame) []runtime.Frame {
	first := 0
	for first < len(frames) && plumbing(frames[first]) {
		first++
	}
	last := len(frames)
	for last > first && strings.HasPrefix(frames[last-1].Function, "runtime.") {
		last--
	}
	return frames[first:last]
}

const modulePrefix = "github.com/gotorch/gotorch/"

func plumbing(f runtime.Frame) bool {
	rest, ours := strings.CutPrefix(f.Function, modulePrefix)
	if !ours || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	pkg, _, _ := strings.Cut(rest, ".")
	switch pkg {
	case "torch", "torch/aten", "torch/linalg", "torch/fft", "torch/special", "torch/sparse", "torch/nested":
		return true
	}
	return strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "cgotorch")
}

// shortName is a function's name without the folders of its package.
func shortName(fn string) string {
	if i := strings.LastIndexByte(fn, '/'); i >= 0 {
		return fn[i+1:]
	}
	return fn
}
