package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/autograd"
)

// Functions of one tensor return the same as functions of lists, but their errors contain
// their own names.
func TestOneTensor(t *testing.T) {
	torch.Scope(func() {
		x, v := torch.FromSlice([]float64{1, 2, 3}), torch.FromSlice([]float64{1, 0, -1})
		cube := func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3) }
		sum := func(x *torch.Tensor) *torch.Tensor { return cube(x).Sum() }
		many := func(fn func(*torch.Tensor) *torch.Tensor) autograd.Func {
			return func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(x[0])} }
		}
		xs, vs := []*torch.Tensor{x}, []*torch.Tensor{v}
		equal := func(want, got *torch.Tensor) {
			t.Helper()
			assert.True(t, want.Equal(got), "%v, %v", want, got)
		}
		equal(autograd.JacobianN(many(cube), xs)[0][0], autograd.Jacobian(cube, x, autograd.Vectorize(true)))
		equal(autograd.HessianN(many(sum), xs)[0][0], autograd.Hessian(sum, x))
		for name, pair := range map[string][2]func() (*torch.Tensor, *torch.Tensor){
			"VJP": {
				func() (*torch.Tensor, *torch.Tensor) { return autograd.VJP(cube, x, v) },
				func() (*torch.Tensor, *torch.Tensor) {
					y, p := autograd.VJPN(many(cube), xs, vs)
					return y[0], p[0]
				},
			},
			"JVP": {
				func() (*torch.Tensor, *torch.Tensor) { return autograd.JVP(cube, x, v) },
				func() (*torch.Tensor, *torch.Tensor) {
					y, p := autograd.JVPN(many(cube), xs, vs)
					return y[0], p[0]
				},
			},
			"VHP": {
				func() (*torch.Tensor, *torch.Tensor) { return autograd.VHP(sum, x, v) },
				func() (*torch.Tensor, *torch.Tensor) {
					y, p := autograd.VHPN(many(sum), xs, vs)
					return y, p[0]
				},
			},
			"HVP": {
				func() (*torch.Tensor, *torch.Tensor) { return autograd.HVP(sum, x, v) },
				func() (*torch.Tensor, *torch.Tensor) {
					y, p := autograd.HVPN(many(sum), xs, vs)
					return y, p[0]
				},
			},
		} {
			y, p := pair[0]()
			wantY, wantP := pair[1]()
			assert.True(t, wantY.Equal(y) && wantP.Equal(p), name)
		}
		_, g := autograd.VJP(sum, x, nil)
		equal(torch.FromSlice([]float64{3, 12, 27}), g)
		for name, f := range map[string]func(){
			"Jacobian": func() { autograd.Jacobian(nil, x) },
			"Hessian":  func() { autograd.Hessian(nil, x) },
			"VJP":      func() { autograd.VJP(nil, x, nil) },
			"JVP":      func() { autograd.JVP(nil, x, nil) },
			"VHP":      func() { autograd.VHP(nil, x, nil) },
			"HVP":      func() { autograd.HVP(nil, x, nil) },
		} {
			err := torch.Try(f)
			assert.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "autograd."+name+": argument fn: a nil function")
		}
		err := torch.Try(func() { autograd.Jacobian(cube, nil) })
		assert.ErrorIs(t, err, torch.ErrNil)
		err = torch.Try(func() { autograd.Jacobian(func(*torch.Tensor) *torch.Tensor { return nil }, x) })
		assert.ErrorIs(t, err, torch.ErrNil)
	})
}
