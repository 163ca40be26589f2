package useafterclose

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

func panics(func()) {}

func TestPanics(t *testing.T) {
	for _, f := range []func(x *torch.Tensor){
		func(x *torch.Tensor) { x.Close(); x.Item() },
	} {
		panics(func() { f(torch.Rand(2)) })
	}
	panics(func() {
		x := torch.Rand(2)
		x.Close()
		x.Item()
	})
	t.Run("sub", func(*testing.T) {
		x := torch.Rand(2)
		x.Close()
		x.Item() // want `x is used after its Close`
	})
}
