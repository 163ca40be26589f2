//go:build gotorchdebug

package torch_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

func TestErrClosedNamesThePlace(t *testing.T) {
	x := torch.Ones(torch.Shape{2})
	_ = x.Close() // line 16
	assert.ErrorContains(t, torch.Try(func() { x.Neg() }), "used after Close at ")
	assert.ErrorContains(t, torch.Try(func() { x.Neg() }), "debug_on_test.go:16")

	var y *torch.Tensor
	torch.Scope(func() { // line 21
		y = torch.Ones(torch.Shape{2})
	})
	_ = y.Close()
	assert.ErrorContains(t, torch.Try(func() { y.Neg() }), "debug_on_test.go:21: torch.Keep")
}

// If only a tensor's handle is left, the tensor is collected before a native call begins.
func TestDebugCollectsBeforeEachCrossing(t *testing.T) {
	collect(t)
	open := torch.NumLiveTensors()
	h := torch.Ones(torch.Shape{2}).Handle()
	assert.NotZero(t, h)
	r := torch.BeginRaw("Nothing()")
	r.End()
	assert.Equal(t, open, torch.NumLiveTensors())
}

// A cleanup of the program may call operators. They must not wait for it to end.
func TestDebugOperatorInACleanup(t *testing.T) {
	done := make(chan struct{})
	runtime.AddCleanup(new([64]byte), func(done chan struct{}) {
		defer close(done)
		_ = torch.Ones(torch.Shape{2}).Close()
	}, done)
	runtime.GC()
	<-done
}
