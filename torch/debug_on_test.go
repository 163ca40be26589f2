//go:build gotorchdebug

package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

func TestErrClosedNamesThePlace(t *testing.T) {
	x := torch.Ones(torch.Shape{2})
	_ = x.Close() // line 15
	assert.ErrorContains(t, torch.Try(func() { x.Neg() }), "used after Close at ")
	assert.ErrorContains(t, torch.Try(func() { x.Neg() }), "debug_on_test.go:15")

	var y *torch.Tensor
	torch.Scope(func() { // line 20
		y = torch.Ones(torch.Shape{2})
	})
	_ = y.Close()
	assert.ErrorContains(t, torch.Try(func() { y.Neg() }), "debug_on_test.go:20: torch.Keep")
}

// A tensor of which only the handle is left is collected before the crossing begins.
func TestDebugCollectsBeforeEachCrossing(t *testing.T) {
	collect(t)
	open := torch.LiveTensors()
	h := torch.Ones(torch.Shape{2}).Handle()
	assert.NotZero(t, h)
	r := torch.BeginRaw("Nothing()")
	r.End()
	assert.Equal(t, open, torch.LiveTensors())
}
