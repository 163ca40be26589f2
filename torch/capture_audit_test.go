package torch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// changing are steps that depend on the step's number n, so that they change after the
// recordings.
var changing = map[string]func() func(n int64, x *torch.Tensor) *torch.Tensor{
	"branch": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			if n > 5 {
				return x.Neg()
			}
			return x.Exp()
		}
	},
	"number": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		return func(n int64, x *torch.Tensor) *torch.Tensor { return x.MulScalar(max(0, float64(n-4))) }
	},
	"place": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		data := torch.Arange(80).Reshape(20, 4)
		return func(n int64, x *torch.Tensor) *torch.Tensor { return x.Add(data.Select(0, max(0, n-6))) }
	},
	"longer": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			for range max(1, n-4) {
				x = x.Sin()
			}
			return x
		}
	},
	"shorter": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			for range min(3, max(1, 8-n)) {
				x = x.Sin()
			}
			return x
		}
	},
	"tensor": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		w, v := torch.Ones(torch.Shape{4}), torch.Zeros(torch.Shape{4})
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			if n > 5 {
				return x.Mul(v)
			}
			return x.Mul(w)
		}
	},
	"hook": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		w := torch.Ones(torch.Shape{4}).RequiresGrad_()
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			y := x.Mul(w)
			y.RegisterHook(func(grad *torch.Tensor) *torch.Tensor { return grad.MulScalar(max(1, float64(n-4))) })
			w.SetGrad(nil)
			y.Sum().Backward()
			return w.Grad()
		}
	},
	"result": func() func(n int64, x *torch.Tensor) *torch.Tensor {
		return func(n int64, x *torch.Tensor) *torch.Tensor {
			a, b := x.Exp(), x.Neg()
			if n > 4 {
				return b
			}
			return a
		}
	},
}

// An audited call finds changes made after the recordings, and reports them.
func TestAuditsFindChanges(t *testing.T) {
	for name, made := range changing {
		for _, every := range []int{0, 1} {
			t.Run(fmt.Sprint(name, "/by shape/", every), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.Scope(func() {
					n := int64(0)
					eager, step := made(), made()
					g := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
						return []*torch.Tensor{step(n, in[0])}
					}, torch.AuditEvery(every))
					defer g.Close()
					for n = 1; n <= 20; n++ {
						x := torch.Randn(torch.Shape{4})
						got, want := g.Call(x)[0], eager(n, x)
						if every == 1 || n >= 16 {
							require.True(t, got.Equal(want), "call %d: %v, not %v", n, got, want)
						}
					}
					require.Len(t, g.Refused(), 1)
					assert.Contains(t, g.Refused()[0], "the step has changed since its capture")
					assert.Contains(t, g.Refused()[0], "capture_audit_test.go:")
					assert.NotContains(t, g.Refused()[0], "0x")
					assert.Zero(t, g.Len())
				})
			})
			t.Run(fmt.Sprint(name, "/captured/", every), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.Scope(func() {
					n := int64(1)
					eager, step := made(), made()
					x := torch.Randn(torch.Shape{4})
					g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{step(n, x)} }, torch.Inputs{x},
						torch.AuditEvery(every))
					defer g.Close()
					var err error
					for n = 4; n <= 20 && err == nil; n++ {
						var got *torch.Tensor
						in := torch.Randn(torch.Shape{4})
						if err = torch.Try(func() { got = g.Call(in)[0] }); err == nil && every == 1 {
							require.True(t, got.Equal(eager(n, in)))
						}
					}
					require.ErrorIs(t, err, torch.ErrValue)
					assert.ErrorContains(t, err, "the step has changed since its capture")
					assert.ErrorContains(t, err, "capture_audit_test.go:")
				})
			})
		}
	}
}

// An audit has the same effect as an ordinary training step, with random numbers and
// accumulated gradients.
func TestAuditsLeaveNothingElse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type training struct {
		w    *torch.Tensor
		step func(x *torch.Tensor) *torch.Tensor
	}
	made := func(drop bool) training {
		w := torch.Ones(torch.Shape{4}).RequiresGrad_()
		return training{w, func(x *torch.Tensor) *torch.Tensor {
			if drop {
				w.SetGrad(nil)
			}
			loss := x.Mul(w).Mul(torch.RandLike(x)).Square().Sum()
			loss.Backward()
			torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
			return loss
		}}
	}
	for _, drop := range []bool{true, false} {
		for _, every := range []int{0, 1, 3} {
			torch.Scope(func() {
				xs := torch.Randn(torch.Shape{40, 4})
				run := func(call func(x *torch.Tensor) *torch.Tensor) (losses []float64) {
					for i := range xs.Size(0) {
						torch.Scope(func() { losses = append(losses, call(xs.Select(0, i)).Item()) })
					}
					return losses
				}
				a, b, c := made(drop), made(drop), made(drop)
				torch.ManualSeed(5)
				want := run(a.step)
				g := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
					return []*torch.Tensor{b.step(in[0])}
				}, torch.AuditEvery(every))
				defer g.Close()
				torch.ManualSeed(5)
				assert.Equal(t, want, run(func(x *torch.Tensor) *torch.Tensor { return g.Call(x)[0] }))
				assert.Empty(t, g.Refused())
				assert.Equal(t, 1, g.Len())
				assert.True(t, a.w.Equal(b.w))
				assert.True(t, a.w.Grad().Equal(b.w.Grad()))

				first := xs.Select(0, 0)
				d := made(drop)
				torch.ManualSeed(5)
				torch.Scope(func() { c.step(first); c.step(first); c.step(first) })
				rest := run(c.step)
				x := first.Clone()
				torch.ManualSeed(5)
				captured := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{d.step(x)} }, torch.Inputs{x},
					torch.AuditEvery(every))
				defer captured.Close()
				loss, grad := captured.Results()[0], d.w.Grad()
				assert.Equal(t, rest, run(func(x *torch.Tensor) *torch.Tensor {
					assert.Same(t, loss, captured.Call(x)[0])
					assert.True(t, grad.Equal(d.w.Grad()), "the same gradient, with new values")
					return loss
				}))
				assert.True(t, c.w.Equal(d.w))
			})
		}
	}
}
