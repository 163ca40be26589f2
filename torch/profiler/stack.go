package profiler

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// known caches the text of each stack, because a table contains the same few stacks many times.
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

// calls removes the library's internal frames from the inner end of a stack, and the
// frames of package runtime from the outer end.
func calls(frames []runtime.Frame) []runtime.Frame {
	first, sources := 0, trace.SourcesOf(frames)
	for first < len(frames) && plumbing(sources.Library(frames[first])) {
		first++
	}
	last := len(frames)
	for last > first && strings.HasPrefix(frames[last-1].Function, "runtime.") {
		last--
	}
	return frames[first:last]
}

// plumbing reports whether a directory of the library implements operators, so that
// stacks omit its frames.
func plumbing(folder string, library bool) bool {
	switch folder {
	case "torch", "torch/aten", "torch/linalg", "torch/fft", "torch/special", "torch/sparse", "torch/nested":
		return library
	}
	return library && (strings.HasPrefix(folder, "internal/") || strings.HasPrefix(folder, "cgotorch"))
}

// shortName returns a function's name without the path of its package.
func shortName(fn string) string {
	if i := strings.LastIndexByte(fn, '/'); i >= 0 {
		return fn[i+1:]
	}
	return fn
}
