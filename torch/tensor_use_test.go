package torch_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// counted runs fn and checks that it leaves no open tensor and no allocated memory.
func counted(t *testing.T, fn func()) {
	t.Helper()
	collect(t) // frees tensors of earlier tests
	open, bytes := torch.NumLiveTensors(), memory.Allocated(torch.CPU)
	fn()
	require.Equal(t, open, torch.NumLiveTensors(), "open tensors")
	require.Equal(t, bytes, memory.Allocated(torch.CPU), "bytes")
}

// reluAfter computes ReLU of x. It calls end after it has fetched x's handle and before libtorch
// uses the handle.
func reluAfter(x *torch.Tensor, end func()) *torch.Tensor {
	return torch.Crossing("Relu(self)", func(cx abi.Ctx) abi.Ret {
		h := x.Handle()
		end()
		return aten.Relu(cx, h)
	}, x)
}

func TestCloseWithinAnOperator(t *testing.T) {
	counted(t, func() {
		x := torch.Full(torch.Shape{1000}, -1.0)
		open, bytes := torch.NumLiveTensors(), memory.Allocated(torch.CPU)
		y := reluAfter(x, func() {
			require.NoError(t, x.Close())
			require.NoError(t, x.Close())
			assert.True(t, x.IsClosed())
			assert.Equal(t, open, torch.NumLiveTensors(), "freed while in use")
			assert.Equal(t, bytes, memory.Allocated(torch.CPU))
			assert.ErrorIs(t, torch.Try(func() { x.Shape() }), torch.ErrClosed)
		})
		assert.Equal(t, open, torch.NumLiveTensors(), "y is open and x is freed")
		assert.Equal(t, make([]float32, 1000), y.Float32s())
		assert.ErrorIs(t, torch.Try(func() { x.Add(x) }), torch.ErrClosed)
		_ = y.Close()
	})
}

// The scope that owns a tensor ends while another goroutine's operator uses it.
func TestScopeEndsWithinAnOperator(t *testing.T) {
	counted(t, func() {
		var wg sync.WaitGroup
		started, ended := make(chan struct{}), make(chan struct{})
		torch.Scope(func() {
			x := torch.Full(torch.Shape{1000}, 2.0)
			wg.Go(func() {
				y := reluAfter(x, func() { close(started); <-ended })
				assert.Equal(t, float32(2), y.Float32s()[999])
				assert.ErrorContains(t, torch.Try(func() { x.Neg() }), "end of its torch.Scope")
				_ = y.Close()
			})
			<-started
		})
		close(ended)
		wg.Wait()
	})
}

func TestOwnersChangeWhileATensorIsInUse(t *testing.T) {
	counted(t, func() {
		var kept, disowned *torch.Tensor
		torch.Scope(func() {
			torch.Scope(func() {
				kept, disowned = torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})
				for _, x := range []*torch.Tensor{kept, disowned} {
					reluAfter(x, func() {
						if x == kept {
							torch.Keep(x)
						} else {
							torch.Disown(x)
						}
					})
				}
			})
			assert.False(t, kept.IsClosed())
			reluAfter(kept, func() { _ = kept.Close() })
		})
		assert.False(t, disowned.IsClosed())
		reluAfter(disowned, func() { _ = disowned.Close() }).Close()
	})
}

// A tensor is closed after its handle was fetched and before the crossing begins: the error names
// the argument, and the slot in native code is given back.
func TestCloseBeforeTheCrossing(t *testing.T) {
	counted(t, func() {
		for range 4 * runtime.GOMAXPROCS(0) {
			x, y := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})
			_, _ = x.Handle(), y.Handle()
			_ = y.Close()
			err := torch.Try(func() { torch.BeginRaw("Add(self, other)", x, y) })
			require.ErrorIs(t, err, torch.ErrClosed)
			require.ErrorContains(t, err, "Add: argument other")
			err = torch.Try(func() {
				r := torch.BeginRaw("Cat()", x)
				r.Use(nil, x, y, x)
				r.End()
			})
			require.ErrorIs(t, err, torch.ErrClosed)
			require.ErrorContains(t, err, "Cat: argument 2")
			err = torch.Try(func() {
				r := torch.BeginRaw("Index(self, mask)", x, nil)
				r.Use(y)
				r.End()
			})
			require.ErrorContains(t, err, "Index: argument 0",
				"the element is not one of the arguments in op")
			err = torch.Try(func() {
				torch.Crossing("Add(self, other)", func(abi.Ctx) abi.Ret { panic("not called") }, x, y)
			})
			require.ErrorIs(t, err, torch.ErrClosed)
			_ = x.Close()
		}
	})
}

// The elements of a list stay valid too, even if one occurs several times.
func TestCloseTheElementsOfAList(t *testing.T) {
	counted(t, func() {
		x, y := torch.Ones(torch.Shape{2}), torch.Full(torch.Shape{2}, 3.0)
		open := torch.NumLiveTensors()
		hs := torch.Handles("Cat", []*torch.Tensor{x, y, x}, false)
		r := torch.BeginRaw("Cat()", nil)
		r.Use(x, y, x)
		_, _ = x.Close(), y.Close()
		assert.Equal(t, open, torch.NumLiveTensors())
		z := r.Tensor(aten.Cat(r.Ctx, hs, 0))
		assert.Equal(t, open-1, torch.NumLiveTensors())
		assert.Equal(t, []float32{1, 1, 3, 3, 1, 1}, z.Float32s())
		_ = z.Close()
	})
}

// A tensor on the list of live tensors is closed while SetData replaces its memory, which the list
// reads.
func TestCloseBesideSetData(t *testing.T) {
	defer memory.TrackTensors(memory.TrackTensors(1))
	counted(t, func() {
		data := torch.Ones(torch.Shape{2})
		for range 500 {
			x := torch.Zeros(torch.Shape{2})
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := torch.Try(func() { x.SetData(data) }); err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
				}
			})
			wg.Go(func() { _ = x.Close() })
			wg.Wait()
		}
		_ = data.Close()
		assert.Empty(t, memory.LiveTensors())
	})
}

// A hook may close the tensors that Backward was called on and the tensors in its options.
func TestCloseInAHook(t *testing.T) {
	counted(t, func() {
		torch.Scope(func() {
			x := torch.Full(torch.Shape{3}, 2.0, torch.RequiresGrad(true))
			y := x.Mul(x)
			g := torch.Ones(torch.Shape{3})
			y.RegisterHook(func(*torch.Tensor) *torch.Tensor {
				_, _, _ = x.Close(), y.Close(), g.Close()
				return nil
			})
			y.Backward(torch.Gradient(g), torch.Inputs{x})
			assert.True(t, x.IsClosed() && y.IsClosed() && g.IsClosed())
		})
	})
}

// A goroutine that ends in a hook releases its arguments and its scopes.
func TestGoexitGivesArgumentsBack(t *testing.T) {
	collect(t)
	open := torch.NumLiveTensors()
	x := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
	y := x.Mul(x)
	y.RegisterHook(func(*torch.Tensor) *torch.Tensor { runtime.Goexit(); return nil })
	one := torch.Ones(torch.Shape{1})
	for _, pass := range []func(){
		func() { y.Backward(torch.Gradient(one), torch.RetainGraph(true)) },
		func() {
			torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.GradOutputs{one}, torch.RetainGraph(true))
		},
		func() {
			torch.Crossing("Backward(self)", func(cx abi.Ctx) abi.Ret {
				return abi.Ret{Err: cgotorch.Backward(cx, []abi.Tensor{y.Handle()}, []abi.Tensor{one.Handle()}, nil,
					true, false)}
			}, y, one)
		},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			pass()
			t.Error("the pass returned")
		}()
		<-done
	}
	for _, c := range []*torch.Tensor{x, y, one} {
		_ = c.Close()
	}
	assert.Equal(t, open, torch.NumLiveTensors())
}

// If several goroutines close a tensor at once, one of them frees it.
func TestManyClose(t *testing.T) {
	counted(t, func() {
		for range 200 {
			x := torch.Ones(torch.Shape{10})
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { _ = x.Close() })
			}
			wg.Wait()
		}
	})
}

// Goroutines compute with shared tensors while other goroutines, and the scope that owns some of
// the tensors, close them. Each operator gives the right result or ErrClosed.
func TestCloseWhileOthersCompute(t *testing.T) {
	rounds := 150
	if sanitized.On || testing.Short() {
		rounds = 25
	}
	counted(t, func() {
		var right, late atomic.Int64
		for round := range rounds {
			var wg sync.WaitGroup
			work := func(a, b *torch.Tensor) {
				start := make(chan struct{})
				for w := range 4 {
					wg.Go(func() {
						<-start
						for i := 0; ; i++ {
							err := torch.Try(func() { computeWith(t, a, b, i+w) })
							if err == nil {
								right.Add(1)
								continue
							}
							if !errors.Is(err, torch.ErrClosed) {
								t.Error(err)
							}
							late.Add(1)
							return
						}
					})
				}
				close(start)
				for range round % 16 {
					runtime.Gosched()
				}
			}
			first, second := pairOfOnes()
			work(first, second)
			wg.Go(func() { _ = second.Close() })
			wg.Go(func() { _ = first.Close() })
			torch.Scope(func() { work(pairOfOnes()) })
			wg.Wait()
		}
		assert.EqualValues(t, rounds*8, late.Load())
		t.Log(right.Load(), "right results")
		collect(t) // frees tensors that were not closed because of ErrClosed
	})
}

func pairOfOnes() (a, b *torch.Tensor) {
	return torch.Ones(torch.Shape{32, 32}, torch.RequiresGrad(true)), torch.Ones(torch.Shape{32, 32})
}

// computeWith runs one of eight operations on a and b, which are ones of shape 32 x 32. a requires
// gradients.
func computeWith(t *testing.T, a, b *torch.Tensor, kind int) {
	torch.Scope(func() {
		value := func(want float64, x *torch.Tensor) {
			if got := x.Sum().Item(); got != want {
				t.Errorf("kind %d: %v, expected %v", kind, got, want)
			}
		}
		const n = 32 * 32
		switch kind % 8 {
		case 0:
			value(2*n, a.Add(b))
		case 1:
			value(32*n, a.MatMul(b))
		case 2:
			value(3*n, torch.Cat([]*torch.Tensor{a, b, a}))
		case 3:
			if s := b.Shape(); len(s) != 2 || s[0] != 32 || b.Numel() != n || b.DType() != torch.Float32 {
				t.Errorf("shape %v", s)
			}
		case 4:
			g := torch.Grad([]*torch.Tensor{a.Mul(b).Sum()}, []*torch.Tensor{a}, torch.GradOutputs{nil})
			value(n, g[0])
		case 5:
			value(32, b.Index(3))
		case 6:
			_ = a.String()
			three := torch.Ones(torch.Shape{3, 3})
			if err := torch.Try(func() { a.MatMul(three) }); errors.Is(err, torch.ErrClosed) {
				panic(err)
			} else if !errors.Is(err, torch.ErrShape) {
				t.Error(err)
			}
		case 7:
			value(n, torch.Zeros(torch.Shape{32, 32}).Add_(b))
		}
	})
}
