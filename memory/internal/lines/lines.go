// Package lines names the line of a program that is to blame for something: of a
// stack, the innermost call outside of this library.
package lines

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Unknown stands for a stack without a line of the program's own.
const Unknown = "(unknown line)"

// known keeps the line of each stack, since a report asks for the same few again
// and again.
var known sync.Map // trace.ID -> string

// Of names the line of a recorded stack, as "file.go:12 package.Function".
func Of(id trace.ID) string {
	if s, ok := known.Load(id); ok {
		return s.(string)
	}
	line := OfCalls(trace.Frames(id))
	known.Store(id, line)
	return line
}

// OfCalls names the line of a stack, innermost call first.
func OfCalls(calls []runtime.Frame) string {
	f, ok := trace.Site(calls)
	if !ok {
		return Unknown
	}
	// Without the folders: the function says which package it is.
	fn := f.Function
	if i := strings.LastIndexByte(fn, '/'); i >= 0 {
		fn = fn[i+1:]
	}
	return fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, fn)
}

// OfView names the line that made a tensor and, if it is another, the line that
// made the memory it lies in.
func OfView(made, memory trace.ID) string {
	line, base := Of(made), Of(memory)
	if line == base {
		return line
	}
	return line + ", over memory of " + base
}

// Backward names what a backward pass allocated: by the line of the operator whose
// gradient was computed and that of the call to Backward.
func Backward(forward, call string) string { return forward + ", in the backward pass of " + call }
