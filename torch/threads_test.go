package torch_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// threads are goroutines that are each locked to an OS thread. Work passes from one to the next, so
// two consecutive operators never run on the same thread.
type threads struct {
	work []chan func()
	done chan struct{}
	next int
}

func newThreads(t *testing.T, n int) *threads {
	ts := &threads{done: make(chan struct{})}
	for range n {
		c := make(chan func())
		ts.work = append(ts.work, c)
		go func() {
			runtime.LockOSThread()
			for f := range c {
				f()
				ts.done <- struct{}{}
			}
		}()
	}
	t.Cleanup(func() {
		for _, c := range ts.work {
			close(c)
		}
	})
	return ts
}

func (ts *threads) do(f func() *torch.Tensor) (out *torch.Tensor) {
	ts.work[ts.next%len(ts.work)] <- func() { out = f() }
	ts.next++
	<-ts.done
	return out
}

// trainRecurrent trains a recurrent net with four gates and returns the bits of all losses and of
// the last gradients. Each state is used five times, so every gradient is a sum whose last bits
// depend on the order of its terms. Each operator is one call of do. All tensors are closed,
// because the timing of the collector would affect the leak checks of other tests.
func trainRecurrent(steps int, do func(func() *torch.Tensor) *torch.Tensor) (losses, grads []float32) {
	const in, hidden, length, batch = 5, 7, 4, 3
	var made, params []*torch.Tensor
	free := func() {
		for _, t := range made {
			_ = t.Close()
		}
		made = nil
	}
	keep := func(f func() *torch.Tensor) *torch.Tensor {
		t := do(f)
		made = append(made, t)
		return t
	}
	unary := func(f func(a *torch.Tensor) *torch.Tensor, a *torch.Tensor) *torch.Tensor {
		return keep(func() *torch.Tensor { return f(a) })
	}
	binary := func(f func(a, b *torch.Tensor) *torch.Tensor, a, b *torch.Tensor) *torch.Tensor {
		return keep(func() *torch.Tensor { return f(a, b) })
	}

	gen := torch.NewGenerator(torch.CPU).ManualSeed(1)
	x, y := torch.Randn(torch.Shape{length, batch, in}, gen), torch.Randn(torch.Shape{batch, hidden}, gen)
	defer x.Close()
	defer y.Close()
	for range 4 {
		params = append(params, torch.Randn(torch.Shape{in, hidden}, gen, torch.RequiresGrad(true)),
			torch.Randn(torch.Shape{hidden, hidden}, gen, torch.RequiresGrad(true)))
	}
	for _, p := range params {
		defer p.Close()
	}
	rate := torch.Full(torch.Shape{}, 0.05)
	defer rate.Close()

	add := func(a, b *torch.Tensor) *torch.Tensor { return a.Add(b) }
	sub := func(a, b *torch.Tensor) *torch.Tensor { return a.Sub(b) }
	for range steps {
		h := keep(func() *torch.Tensor { return torch.Zeros(torch.Shape{batch, hidden}) })
		c := h
		for t := range int64(length) {
			xt := keep(func() *torch.Tensor { return x.Select(0, t) })
			var gates [4]*torch.Tensor
			for i := range gates {
				a := binary((*torch.Tensor).MatMul, xt, params[2*i])
				b := binary((*torch.Tensor).MatMul, h, params[2*i+1])
				s := binary(add, a, b)
				gates[i] = unary((*torch.Tensor).Tanh, binary(add, s, h))
			}
			fresh := binary((*torch.Tensor).Mul, gates[0], gates[1])
			c = binary(add, binary((*torch.Tensor).Mul, gates[2], c), fresh)
			out := binary((*torch.Tensor).Mul, gates[3], unary((*torch.Tensor).Tanh, c))
			h = binary(add, out, h)
		}
		d := binary(sub, h, y)
		loss := unary(func(t *torch.Tensor) *torch.Tensor { return t.Mean() }, binary((*torch.Tensor).Mul, d, d))
		losses = append(losses, loss.Float32s()[0])
		do(func() *torch.Tensor { loss.Backward(); return nil })
		grads = grads[:0]
		for _, p := range params {
			g := unary((*torch.Tensor).Grad, p)
			step := binary((*torch.Tensor).Mul, g, rate)
			do(func() *torch.Tensor {
				torch.NoGrad(func() { p.Sub_(step) })
				return nil
			})
			grads = append(grads, g.Float32s()...)
			p.SetGrad(nil)
		}
		free()
	}
	return losses, grads
}

// libtorch numbers the nodes of a graph per thread, and the backward pass runs in the order of
// these numbers. The operators of one graph must be in order even if they ran on different threads.
func TestGradientsDoNotDependOnTheThread(t *testing.T) {
	collect(t) // frees tensors of earlier tests
	live := torch.NumLiveTensors()
	const steps = 200
	oneThread := newThreads(t, 1)
	wantLosses, wantGrads := trainRecurrent(steps, oneThread.do)
	require.Less(t, wantLosses[steps-1], wantLosses[0])
	for _, n := range []int{2, 3} {
		losses, grads := trainRecurrent(steps, newThreads(t, n).do)
		assert.Equal(t, wantLosses, losses, "%d threads", n)
		assert.Equal(t, wantGrads, grads, "%d threads", n)
	}
	assert.Equal(t, live, torch.NumLiveTensors(), "tensors leaked")
}

// BenchmarkAdd measures an operator on one element, with and without gradients. With gradients,
// each call takes a sequence number for its graph node.
func BenchmarkAdd(b *testing.B) {
	x := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
	defer x.Close()
	add := func(b *testing.B) {
		for b.Loop() {
			_ = x.Add(x).Close()
		}
	}
	b.Run("recorded", add)
	b.Run("recorded on all cores", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = x.Add(x).Close()
			}
		})
	})
	b.Run("no_grad", func(b *testing.B) { torch.NoGrad(func() { add(b) }) })
}
