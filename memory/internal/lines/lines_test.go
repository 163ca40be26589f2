package lines_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory/internal/lines"
)

func TestOfCalls(t *testing.T) {
	call := func(function, file string, line int) runtime.Frame {
		return runtime.Frame{Function: function, File: file, Line: line}
	}
	library := call("github.com/gotorch/gotorch/torch.Zeros", "/src/gotorch/torch/create.go", 9)
	assert.Equal(t, "model.go:34 model.load", lines.OfCalls([]runtime.Frame{
		library, call("example.com/me/model.load", "/src/me/model.go", 34), call("main.main", "/src/me/main.go", 5),
	}))
	assert.Equal(t, lines.Unknown, lines.OfCalls([]runtime.Frame{library}))
	assert.Equal(t, lines.Unknown, lines.Of(0))
	assert.Equal(t, "a, in the backward pass of b", lines.Backward("a", "b"))
}

// The compiler names a closure after each function that it is inlined into. All names stand for one line.
func TestInlinedClosuresAreOneLine(t *testing.T) {
	at := func(function string) string {
		return lines.OfCalls([]runtime.Frame{{Function: function, File: "/src/me/inlined.go", Line: 7}})
	}
	first := at("main.step.func4")
	assert.Equal(t, "inlined.go:7 main.step.func4", first)
	assert.Equal(t, first, at("main.step.func5"))
	assert.Equal(t, first, at("main.main.step.func6"))
}
