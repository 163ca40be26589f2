package batching_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

// model is a forward pass that the test controls and that records its inputs.
type model struct {
	start   chan struct{} // each value starts a pass; if nil, passes start immediately
	mu      sync.Mutex
	batches [][]float32 // the first value of each request, for each pass
}

// forward doubles its input. If a request's first value is negative, forward fails in the
// way that the value selects.
func (m *model) forward(x *torch.Tensor) *torch.Tensor {
	first := x.Reshape(x.Shape()[0], -1).Narrow(1, 0, 1).Flatten().Float32s()
	m.mu.Lock()
	m.batches = append(m.batches, first)
	m.mu.Unlock()
	if m.start != nil {
		<-m.start
	}
	for _, v := range first {
		switch v {
		case -1:
			return x.MatMul(torch.Ones(torch.Shape{7, 7}))
		case -2:
			panic("mine")
		case -3:
			panic(errors.New("its own"))
		case -4:
			runtime.Goexit()
		}
	}
	return x.MulScalar(2)
}

func (m *model) sizes() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n []int
	for _, b := range m.batches {
		n = append(n, len(b))
	}
	return n
}

// asking is a pending request.
type asking struct {
	y    []float32
	err  error
	done chan struct{}
}

// ask starts a request of two values and waits until it is queued or answered.
func ask(ctx context.Context, b *batching.Batcher, v float32) *asking {
	a := &asking{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.y, a.err = b.DoFloat32s(ctx, []float32{v, 10})
	}()
	synctest.Wait()
	return a
}

func (a *asking) wants(t *testing.T, v float32) {
	t.Helper()
	<-a.done
	if assert.NoError(t, a.err) {
		assert.Equal(t, []float32{2 * v, 20}, a.y)
	}
}

// A single request starts immediately; requests that arrive while it runs share the next
// pass.
func TestRequestsShareAPass(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.MaxBatch(4), batching.MaxDelay(time.Hour))
		ctx, before := context.Background(), time.Now()
		var all []*asking
		for v := range 8 {
			all = append(all, ask(ctx, b, float32(v)))
		}
		assert.Equal(t, []int{1}, m.sizes())
		assert.Equal(t, 7, b.Stats().Queued)
		assert.Equal(t, 1, b.Stats().Running)
		m.start <- struct{}{}
		m.start <- struct{}{}
		synctest.Wait()
		// The previous pass had four requests, and three are queued now: the last pass
		// waits for a fourth, or for the end of the delay.
		assert.Equal(t, []int{1, 4}, m.sizes())
		m.start <- struct{}{}
		for v, a := range all {
			a.wants(t, float32(v))
		}
		assert.Equal(t, time.Hour, time.Since(before))
		assert.Equal(t, [][]float32{{0}, {1, 2, 3, 4}, {5, 6, 7}}, m.batches)
		require.NoError(t, b.Close())
		s := b.Stats()
		assert.EqualValues(t, 8, s.Answered)
		assert.EqualValues(t, 3, s.Passes)
		assert.EqualValues(t, []int64{1, 0, 2}, s.Sizes.Counts[:3])
		assert.Zero(t, s.Queued+s.Blocked+s.Running)
		assert.Equal(t, 3*3600.0, s.Waits.Sum)
		assert.Equal(t, 3*3600.0, s.Latency.Sum)
	})
}

// Waiting ends when as many requests are present as in the previous pass.
func TestTheDelayEndsWhenTheCrowdIsBack(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.MaxBatch(8), batching.MaxDelay(time.Hour))
		ctx, before := context.Background(), time.Now()
		crowd := func(n int) (all []*asking) {
			for v := range n {
				all = append(all, ask(ctx, b, float32(v)))
			}
			return all
		}
		all := crowd(4)
		m.start <- struct{}{}
		m.start <- struct{}{}
		synctest.Wait()
		all = append(all, crowd(2)...)
		assert.Equal(t, []int{1, 3}, m.sizes())
		all = append(all, ask(ctx, b, 5))
		assert.Equal(t, []int{1, 3, 3}, m.sizes())
		m.start <- struct{}{}
		for _, a := range all {
			<-a.done
			require.NoError(t, a.err)
		}
		assert.Zero(t, time.Since(before))
		require.NoError(t, b.Close())
	})
}

// Without a delay a pass starts with the requests present.
func TestNoDelay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.MaxBatch(2), batching.Workers(2))
		var all []*asking
		for v := range 5 {
			all = append(all, ask(context.Background(), b, float32(v)))
		}
		assert.Equal(t, []int{1, 1}, m.sizes(), "a pass for each worker")
		close(m.start)
		for v, a := range all {
			a.wants(t, float32(v))
		}
		require.NoError(t, b.Close())
	})
}

// The request that makes a pass fail is found, and all others get their results.
func TestNothingIsLostWhenARequestFails(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for guilty, check := range map[float32]func(error){
		-1: func(err error) { assert.ErrorIs(t, err, torch.ErrShape) },
		-2: func(err error) {
			var p *batching.PanicError
			if assert.ErrorAs(t, err, &p) {
				assert.Equal(t, "mine", p.Value)
				assert.Contains(t, string(p.Stack), "forward")
			}
			assert.EqualError(t, err, "batching: the forward pass panicked: mine")
		},
		-3: func(err error) { assert.ErrorContains(t, errors.Unwrap(err), "its own") },
		-4: func(err error) {
			assert.ErrorIs(t, err, torch.ErrRuntime)
			assert.ErrorContains(t, err, "Goexit")
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &model{start: make(chan struct{})}
			b := batching.NewBatcher(m.forward, batching.MaxBatch(16))
			var all []*asking
			for v := range 17 {
				at := float32(v)
				if v == 6 {
					at = guilty
				}
				all = append(all, ask(context.Background(), b, at))
			}
			close(m.start)
			for v, a := range all {
				if v == 6 {
					<-a.done
					check(a.err)
					continue
				}
				a.wants(t, float32(v))
			}
			require.NoError(t, b.Close())
			s := b.Stats()
			assert.EqualValues(t, 16, s.Answered)
			assert.EqualValues(t, 1, s.Failed)
			assert.EqualValues(t, 8, s.Repeated, "two for each halving of 16")
			assert.EqualValues(t, 10, s.Passes)
		})
	}
}

// A request whose caller has left costs no forward pass.
func TestARequestThatIsDoneWaitingLeaves(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward)
		late, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		running := ask(late, b, 0)
		waiting := ask(late, b, 1)
		patient := ask(context.Background(), b, 2)
		<-running.done
		<-waiting.done
		require.ErrorIs(t, running.err, context.DeadlineExceeded, "though its pass still runs")
		require.ErrorIs(t, waiting.err, context.DeadlineExceeded)
		assert.EqualError(t, waiting.err, "batching.Batcher.DoFloat32s: context deadline exceeded")
		assert.Equal(t, 1, b.Stats().Queued)
		close(m.start)
		patient.wants(t, 2)
		assert.Equal(t, [][]float32{{0}, {2}}, m.batches)

		_, err := b.DoFloat32s(late, []float32{3, 3})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, m.batches, 2, "late already")
		why := errors.New("the client is gone")
		gone, end := context.WithCancelCause(context.Background())
		end(why)
		_, err = b.DoFloat32s(gone, []float32{3, 3})
		require.ErrorIs(t, err, why)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, b.Close())
		assert.EqualValues(t, 4, b.Stats().Left)
		assert.EqualValues(t, 1, b.Stats().Answered)
	})
}

// A worker whose batch is filling does not hang if all requests leave.
func TestAllLeaveWhileABatchFills(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.MaxDelay(time.Hour))
		first := ask(context.Background(), b, 0)
		second, third := ask(context.Background(), b, 1), ask(context.Background(), b, 2)
		m.start <- struct{}{}
		m.start <- struct{}{}
		for _, a := range []*asking{first, second, third} {
			<-a.done
		}
		ctx, cancel := context.WithCancel(context.Background())
		alone := ask(ctx, b, 3)
		assert.Equal(t, 1, b.Stats().Queued)
		cancel()
		<-alone.done
		require.ErrorIs(t, alone.err, context.Canceled)
		assert.Equal(t, []int{1, 2}, m.sizes())
		require.NoError(t, b.Close())
	})
}

func TestBackPressure(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		for _, refuse := range []bool{true, false} {
			m := &model{start: make(chan struct{})}
			b := batching.NewBatcher(m.forward, batching.MaxBatch(2), batching.MaxQueue(3),
				batching.RefuseWhenFull(refuse))
			var all []*asking
			for v := range 4 {
				all = append(all, ask(context.Background(), b, float32(v)))
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			more := ask(ctx, b, 4)
			if !refuse {
				assert.Equal(t, 3, b.Stats().Queued)
				assert.Equal(t, 1, b.Stats().Blocked)
			}
			<-more.done
			cancel()
			if refuse {
				require.ErrorIs(t, more.err, batching.ErrQueueFull)
				assert.EqualError(t, more.err,
					"torch: batching.Batcher.DoFloat32s: requests already waiting: 3, the limit of MaxQueue")
				assert.EqualValues(t, 1, b.Stats().Refused)
			} else {
				require.ErrorIs(t, more.err, context.DeadlineExceeded)
				all = append(all, ask(context.Background(), b, 4))
			}
			close(m.start)
			for v, a := range all {
				a.wants(t, float32(v))
			}
			require.NoError(t, b.Close())
		}
	})
}

// Shutdown answers pending requests immediately and refuses new ones.
func TestShutdownDrains(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.MaxBatch(4), batching.MaxDelay(time.Hour))
		var all []*asking
		for v := range 6 {
			all = append(all, ask(context.Background(), b, float32(v)))
		}
		closed := make(chan error)
		go func() { closed <- b.Shutdown(context.Background()) }()
		synctest.Wait()
		late := ask(context.Background(), b, 9)
		<-late.done
		require.ErrorIs(t, late.err, batching.ErrClosed)
		require.NotErrorIs(t, late.err, torch.ErrClosed)
		close(m.start)
		require.NoError(t, <-closed)
		for v, a := range all {
			a.wants(t, float32(v))
		}
		assert.Equal(t, []int{1, 4, 1}, m.sizes())
		require.NoError(t, b.Close(), "again")
	})
}

// A Shutdown that times out refuses queued requests; the running pass ends.
func TestShutdownWithALimit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward)
		running, waiting := ask(context.Background(), b, 1), ask(context.Background(), b, 2)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := b.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "1 requests refused and 1 in a forward pass")
		<-waiting.done
		require.ErrorIs(t, waiting.err, batching.ErrClosed)
		close(m.start)
		running.wants(t, 1)
		require.NoError(t, b.Close())
	})
}

// Requests that cannot be stacked go into separate passes, each as full as possible.
func TestShapesAreGrouped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward, batching.InputShape{-1})
		var wait sync.WaitGroup
		for v := range 7 {
			wait.Go(func() {
				x := make([]float32, 1+v%2)
				x[0] = float32(v)
				y, err := b.DoFloat32s(context.Background(), x)
				if assert.NoError(t, err) {
					assert.Len(t, y, len(x))
					assert.Equal(t, 2*x[0], y[0])
				}
			})
			synctest.Wait()
		}
		close(m.start)
		wait.Wait()
		assert.Equal(t, [][]float32{{0}, {1, 3, 5}, {2, 4, 6}}, m.batches)
		_, err := b.DoFloat32s(context.Background(), nil)
		require.ErrorIs(t, err, torch.ErrShape, "the forward pass looks for a first value")
		require.NoError(t, b.Close())
	})
}

// Many goroutines call one Batcher concurrently, so that the race detector can find
// races.
func TestManyCallers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := &model{}
	b := batching.NewBatcher(m.forward, batching.MaxBatch(8), batching.MaxDelay(50*time.Microsecond),
		batching.Workers(2), batching.MaxQueue(16))
	var wait sync.WaitGroup
	failed := make([]int, 32)
	for id := range failed {
		wait.Go(func() {
			for i := range 30 {
				v := float32(id*100 + i)
				if (id+i)%16 == 0 {
					v = -1 - float32(i%4)
				}
				ctx, cancel := context.WithCancel(context.Background())
				if (id+i)%7 == 0 {
					go cancel()
				}
				y, err := b.DoFloat32s(ctx, []float32{v, 10})
				cancel()
				switch {
				case errors.Is(err, context.Canceled):
				case v < 0:
					failed[id]++
					assert.Error(t, err)
				default:
					if assert.NoError(t, err) {
						assert.Equal(t, []float32{2 * v, 20}, y)
					}
				}
			}
		})
	}
	wait.Wait()
	require.NoError(t, b.Close())
	s := b.Stats()
	total := 0
	for _, n := range failed {
		total += n
	}
	assert.GreaterOrEqual(t, int(s.Failed), total)
	assert.EqualValues(t, 32*30, s.Answered+s.Failed+s.Left)
	assert.Zero(t, s.Queued+s.Blocked+s.Running)
	assert.Equal(t, s.Passes, s.Sizes.Count)
	assert.Equal(t, 8, slices.Max(append(m.sizes(), 8)), "no more than MaxBatch")
	assert.Contains(t, s.String(), fmt.Sprintf("%d requests in %d passes", s.Answered, s.Passes))
}
