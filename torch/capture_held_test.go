package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Gradients that the program keeps do not change: each step creates new ones, as without a graph.
// This includes views of them, and gradients kept only in a list.
func TestByShapeHeldGradientsStay(t *testing.T) {
	holds := map[string]func(grad *torch.Tensor) *torch.Tensor{
		"itself": func(grad *torch.Tensor) *torch.Tensor { return grad },
		"view":   func(grad *torch.Tensor) *torch.Tensor { return grad.Narrow(0, 1, 2) },
		"detach": func(grad *torch.Tensor) *torch.Tensor { return grad.Detach() },
		"rarely": func(grad *torch.Tensor) *torch.Tensor { return grad },
	}
	for name, hold := range holds {
		for _, n := range []int64{4, 1 << 18} { // inside and outside of the graph's arena
			t.Run(name, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.Scope(func() {
					w := torch.Ones(torch.Shape{n}).RequiresGrad_()
					v := torch.Ones(torch.Shape{n}).RequiresGrad_()
					step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
						w.SetGrad(nil)
						v.SetGrad(nil)
						loss := in[0].Mul(w).Add(in[0].Mul(v).Exp()).Sum()
						loss.Backward()
						return []*torch.Tensor{loss, w.Grad()}
					})
					defer step.Close()
					var held, returned []*torch.Tensor
					var at []float64
					for i := range 12 {
						out := step.Call(torch.Full(torch.Shape{n}, float64(i)))
						if name == "rarely" && i%3 != 0 {
							continue
						}
						held, at = append(held, hold(w.Grad())), append(at, float64(i))
						returned = append(returned, out[1])
						require.Equal(t, float64(i), w.Grad().Select(0, 0).Item())
					}
					for i := range held {
						assert.Equal(t, at[i], held[i].Mean().Item())
						assert.Equal(t, at[i], returned[i].Mean().Item())
					}
					assert.Empty(t, step.Refused())
					assert.Equal(t, 1, step.Len())
				})
			})
		}
	}
}

// Two steps with graphs may use the same gradient: a critic's own step drops and creates it, and
// the generator's step adds to it.
func TestByShapeGradientsOfTwoGraphs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, n := range []int64{4, 1 << 18} {
		torch.Scope(func() {
			x := torch.Randn(torch.Shape{n})
			run := func(graphs bool) []*torch.Tensor {
				critic, generator := torch.Ones(torch.Shape{n}).RequiresGrad_(),
					torch.Ones(torch.Shape{n}).RequiresGrad_()
				learn := func(of *torch.Tensor,
					loss func(x *torch.Tensor) *torch.Tensor,
				) func(in []*torch.Tensor) []*torch.Tensor {
					return func(in []*torch.Tensor) []*torch.Tensor {
						of.SetGrad(nil)
						l := loss(in[0])
						l.Backward()
						torch.NoGrad(func() { of.Sub_(of.Grad().MulScalar(0.01)) })
						return []*torch.Tensor{l}
					}
				}
				first := learn(critic, func(x *torch.Tensor) *torch.Tensor { return x.Mul(critic).Sigmoid().Mean() })
				second := learn(generator, func(x *torch.Tensor) *torch.Tensor {
					return x.Mul(generator).Mul(critic).Sigmoid().Mean()
				})
				callFirst, callSecond := func() { first([]*torch.Tensor{x}) }, func() { second([]*torch.Tensor{x}) }
				if graphs {
					a, b := torch.CaptureByShape(first), torch.CaptureByShape(second)
					defer a.Close()
					defer b.Close()
					callFirst, callSecond = func() { a.Call(x) }, func() { b.Call(x) }
					defer func() {
						assert.Empty(t, append(a.Refused(), b.Refused()...))
						assert.Equal(t, 1, a.Len())
						assert.Equal(t, 1, b.Len())
					}()
				}
				for range 20 {
					torch.Scope(callFirst)
					torch.Scope(callSecond)
				}
				return []*torch.Tensor{critic, generator, critic.Grad(), generator.Grad()}
			}
			want, got := run(false), run(true)
			for i := range want {
				assert.True(t, want[i].Equal(got[i]), "%d", i)
			}
		})
	}
}

// If the step writes to a tensor that shares memory with an input, the input has the new
// values, even in recorded calls. Such a step runs without a graph.
func TestByShapeInputOverWrittenMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, warm := range []int{0, 1} {
		torch.Scope(func() {
			run := func(
				call func(fn func([]*torch.Tensor) []*torch.Tensor) func(...*torch.Tensor) []*torch.Tensor,
			) []float64 {
				w, table := torch.Ones(torch.Shape{4}).RequiresGrad_(), torch.Ones(torch.Shape{4})
				step := call(func(in []*torch.Tensor) []*torch.Tensor {
					torch.NoGrad(func() { w.Mul_(in[1]) })
					table.Add_(in[1])
					return []*torch.Tensor{in[0].Add(in[1]).Sum()}
				})
				var out []float64
				for i := range 10 {
					x := torch.Ones(torch.Shape{4})
					switch {
					case i == 1 || i > 6:
						x = w.Data()
					case i == 2:
						x = table.Narrow(0, 0, 4)
					}
					torch.Scope(func() { out = append(out, step(x, torch.Full(torch.Shape{4}, 2))[0].Item()) })
				}
				return out
			}
			want := run(func(fn func([]*torch.Tensor) []*torch.Tensor) func(...*torch.Tensor) []*torch.Tensor {
				return func(in ...*torch.Tensor) []*torch.Tensor { return fn(in) }
			})
			var graphs *torch.Graphs
			got := run(func(fn func([]*torch.Tensor) []*torch.Tensor) func(...*torch.Tensor) []*torch.Tensor {
				g := torch.CaptureByShape(fn, torch.NumWarmupIters(warm))
				graphs = g
				return g.Call
			})
			assert.Equal(t, want, got)
			require.NoError(t, graphs.Close())
		})
	}
}
