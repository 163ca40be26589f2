// Package lines finds the program's line in a stack: the innermost call outside this
// library.
package lines

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Unknown is the result for a stack in which no function of the program appears.
const Unknown = "(unknown line)"

// known caches the line of each stack.
var known sync.Map // trace.ID -> string

// functions maps each line to the name of its function. A closure that the compiler inlines
// has several names; the map keeps the one found first.
var functions sync.Map // from file and line to string

// Of returns the line of a recorded stack, as "file.go:12 package.Function".
func Of(id trace.ID) string {
	if s, ok := known.Load(id); ok {
		return s.(string)
	}
	line := OfCalls(trace.Frames(id))
	known.Store(id, line)
	return line
}

// OfCalls returns the program's line in a stack. calls begins with the innermost call.
func OfCalls(calls []runtime.Frame) string {
	f, ok := trace.Site(calls)
	if !ok {
		return Unknown
	}
	name, _ := functions.LoadOrStore(fmt.Sprintf("%s:%d", f.File, f.Line), f.Function)
	fn := name.(string)
	// Remove the directories, because the function's name contains the package.
	if i := strings.LastIndexByte(fn, '/'); i >= 0 {
		fn = fn[i+1:]
	}
	return fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, fn)
}

// OfView returns the line that created a tensor and, if it differs, the line that created
// its memory.
func OfView(made, memory trace.ID) string {
	line, base := Of(made), Of(memory)
	if line == base {
		return line
	}
	return line + ", over memory of " + base
}

// Backward names an allocation of a backward pass by two lines: the line of the operator
// whose gradient was computed, and the line of the call to Backward.
func Backward(forward, call string) string { return forward + ", in the backward pass of " + call }
