package nn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Goroutines that call one module with their own parameters get the right results, and the module
// has its own parameters afterwards.
func TestFunctionalCallOnGoroutines(t *testing.T) {
	scoped(t, func() {
		net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewTanh(), nn.NewLinear(8, 1))
		defer net.Close()
		weight, named := net.GetParameter("0.weight"), net.NamedParameters()
		x := torch.Rand(torch.Shape{3, 4})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				torch.Scope(func() {
					params := nn.StateDict{}
					for _, p := range named {
						params = append(params,
							nn.NamedTensor{Name: p.Name, Tensor: torch.Full(p.Tensor.Shape(), float64(g)/10)})
					}
					var want []float32
					for range 100 {
						torch.Scope(func() {
							nn.FunctionalCall(net, params, func() {
								nn.FunctionalCall(net, params[:1], func() {}) // a nested call
								y := net.Forward(x).Float32s()
								if want == nil {
									want = y
								}
								assert.Equal(t, want, y)
								assert.InDelta(t, float64(g)/10, net.GetParameter("0.weight").Index(0, 0).Item(), 1e-6)
							})
						})
					}
				})
			})
		}
		wg.Wait()
		assert.Same(t, weight, net.GetParameter("0.weight"))
		net.Forward(x)
	})
}

// Within a FunctionalCall, the module lists the caller's tensors, and the caller still
// owns them.
func TestFunctionalCallLeavesTheTensorsToTheCaller(t *testing.T) {
	scoped(t, func() {
		l := nn.NewBatchNorm1d(2)
		defer l.Close()
		torch.Scope(func() {
			given := nn.StateDict{
				{Name: "weight", Tensor: torch.Ones(torch.Shape{2})},
				{Name: "running_mean", Tensor: torch.Zeros(torch.Shape{2})},
			}
			nn.FunctionalCall(l, given, func() {
				assert.Same(t, given[0].Tensor, l.Parameters()[0])
				assert.Same(t, given[1].Tensor, l.Buffers()[0])
			})
			assert.False(t, given[0].Tensor.RequiresGrad())
		}) // the end of the scope frees the given tensors
	})
}

// While a FunctionalCall replaces the parameters of a module, a Forward of the module
// on another goroutine panics. Two calls that would wait for each other panic too.
func TestFunctionalCallBesideOthers(t *testing.T) {
	scoped(t, func() {
		a, b := nn.NewLinear(2, 2), nn.NewSequential(nn.NewLinear(2, 2))
		defer a.Close()
		defer b.Close()
		x := torch.Rand(torch.Shape{1, 2})
		beside := func(fn func()) (err error) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				err = torch.Try(fn)
			}()
			<-done
			return err
		}
		nn.FunctionalCall(b, nil, func() {
			b.Forward(x)
			for name, fn := range map[string]func(){
				"whole": func() { b.Forward(x) }, "part": func() { b.At(0).Forward(x) },
				"list": func() { b.Parameters() },
				"in a call of another": func() {
					nn.FunctionalCall(a, nil, func() { nn.FunctionalCall(b, nil, func() {}) })
				},
			} {
				err := beside(fn)
				require.ErrorIs(t, err, torch.ErrValue, name)
				assert.ErrorContains(t, err, "a FunctionalCall in another goroutine", name)
			}
			require.NoError(t, beside(func() { torch.Scope(func() { a.Forward(x) }) }))
		})
		require.NoError(t, beside(func() { torch.Scope(func() { b.Forward(x) }) }))
		assert.ErrorIs(t, torch.Try(func() {
			nn.FunctionalCall(a, nil, func() { panic(torch.NewError("", torch.ErrValue, "", "")) })
		}), torch.ErrValue)
		require.NoError(t, beside(func() { torch.Scope(func() { a.Forward(x) }) }), "the turn has ended with the panic")
		twice := nn.StateDict{
			{Name: "weight", Tensor: torch.Ones(torch.Shape{2, 2})},
			{Name: "weight", Tensor: torch.Zeros(torch.Shape{2, 2})},
		}
		err := torch.Try(func() { nn.FunctionalCall(a, twice, func() {}) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, `"weight" occurs twice`)
	})
}
