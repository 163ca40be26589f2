package cuda_test

import (
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/cuda"
)

// manyGoroutines runs f on n goroutines while GOMAXPROCS changes, so that goroutines move between
// threads. It returns the first error.
func manyGoroutines(t *testing.T, n int, f func(i int) error) {
	t.Helper()
	procs := runtime.GOMAXPROCS(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				runtime.GOMAXPROCS(procs)
				return
			default:
				runtime.GOMAXPROCS(1 + i%4)
				runtime.Gosched()
			}
		}
	}()
	errs := make(chan error, n)
	for i := range n {
		go func() {
			var err error
			if e := torch.Try(func() { err = f(i) }); e != nil {
				err = e
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			assert.NoError(t, err)
		}
	}
	close(stop)
	<-stopped
}

// check returns an error unless got equals want, the goroutine's own setting.
func check(what string, want, got any) error {
	if want != got {
		return fmt.Errorf("%s: expected %v, got %v", what, want, got)
	}
	return nil
}

// inModes runs fn in the CPU modes chosen by i, and checks these modes with operators.
func inModes(i int, a *torch.Tensor, fn func() error) (err error) {
	noGrad, inference, autocast, double, meta := i%2 == 0, i%3 == 0, i%5 == 0, i%7 == 0, i%11 == 0
	cached := i%10 == 0
	run := func() {
		for range 3 {
			runtime.Gosched()
			torch.Scope(func() {
				y := a.MatMul(a)
				dtype := torch.Float32
				if autocast {
					dtype = torch.BFloat16
				}
				made := torch.Zeros(torch.Shape{1})
				wide := torch.Float32
				if double {
					wide = torch.Float64
				}
				where := torch.CPU
				if meta {
					where = torch.Meta
				}
				for _, e := range []error{
					check("the device of new tensors", where, made.Device()),
					check("autocast is on", autocast, amp.IsAutocastEnabled(torch.CPU)),
					check("gradients", !noGrad && !inference, y.RequiresGrad()),
					check("inference", inference, y.IsInference()),
					check("autocast", dtype, y.DType()),
					check("the dtype of new tensors", wide, made.DType()),
				} {
					if e != nil {
						err = e
					}
				}
				if err == nil && fn != nil {
					err = fn()
				}
			})
		}
	}
	with := func(on bool, mode func(func()), inner func()) func() {
		if !on {
			return inner
		}
		return func() { mode(inner) }
	}
	m := func(inner func()) { amp.Autocast(torch.CPU, 0, inner, amp.CacheEnabled(cached)) }
	run = with(noGrad, torch.NoGrad, run)
	run = with(inference, torch.InferenceMode, run)
	run = with(autocast, m, run)
	run = with(double, func(inner func()) { torch.WithDType(torch.Float64, inner) }, run)
	run = with(meta, func(inner func()) { torch.WithDevice(torch.Meta, inner) }, run)
	run()
	return err
}

func TestGoroutinesHaveTheirOwnModes(t *testing.T) {
	a := torch.Ones(torch.Shape{2, 2}, torch.Float32, torch.RequiresGrad(true))
	defer a.Close()
	manyGoroutines(t, 3000, func(i int) error { return inModes(i, a, nil) })
}

// Thousands of goroutines each use their own stream, device and modes. The simulated driver would
// report a copy on the wrong stream.
func TestCUDAGoroutinesHaveTheirOwnStreams(t *testing.T) {
	needCUDA(t)
	n := cuda.DeviceCount()
	a := torch.Ones(torch.Shape{2, 2}, torch.Float32, torch.RequiresGrad(true))
	defer a.Close()
	var streams []*cuda.Stream
	for i := range 16 * n {
		streams = append(streams, cuda.NewStream(cuda.Device(torch.CUDA.At(i%n))))
	}
	pinned := torch.Arange(0, 16, 1, torch.Float32).PinMemory()
	pools := make(chan *memory.MemPool, 8) // only one goroutine at a time may use a pool
	for i := range cap(pools) {
		p, err := memory.NewMemPool(torch.CUDA.At(i % n))
		require.NoError(t, err)
		pools <- p
	}
	manyGoroutines(t, 2000, func(i int) (err error) {
		s := streams[i%len(streams)]
		other := torch.CUDA.At(i / 3 % n)
		onStream := func() error {
			x := pinned.To(torch.CUDA, torch.NonBlocking(true))
			runtime.Gosched()
			y := x.CPU()
			for _, e := range []error{
				check("stream", true, cuda.CurrentStream().Equal(s)),
				check("device", s.Device(), cuda.CurrentDevice()),
				check("device of a new tensor", s.Device(), x.Device()),
				check("value", float32(15), y.Float32s()[15]),
				check("autocast on CUDA", i%9 == 0, amp.IsAutocastEnabled(torch.CUDA.At(0))),
			} {
				if e != nil {
					return e
				}
			}
			return nil
		}
		cuda.WithDevice(other, func() {
			s.Do(func() {
				amp.Autocast(torch.CUDA.At(0), 0, func() {
					if i%4 > 0 {
						err = inModes(i, a, onStream)
						return
					}
					p := <-pools
					memory.UsePool(p, func() { err = inModes(i, a, onStream) })
					pools <- p
				}, amp.Enabled(i%9 == 0))
			})
			if e := check("device afterwards", other, cuda.CurrentDevice()); err == nil {
				err = e
			}
		})
		return err
	})
	assert.True(t, cuda.CurrentStream().Equal(cuda.DefaultStream()))
	cuda.Synchronize()
	for range cap(pools) {
		require.NoError(t, (<-pools).Close())
	}
}

// A goroutine in Stream.Do does not occupy a thread.
func TestCUDAStreamsLockNoThread(t *testing.T) {
	needCUDA(t)
	s := cuda.NewStream()
	before := pprof.Lookup("threadcreate").Count()
	var inside, done sync.WaitGroup
	leave := make(chan struct{})
	for range 500 {
		inside.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			s.Do(func() {
				cuda.WithDevice(torch.CUDA.At(0), func() {
					torch.Empty(torch.Shape{4}, torch.CUDA).Close()
					inside.Done()
					<-leave
				})
			})
		}()
	}
	inside.Wait()
	after := pprof.Lookup("threadcreate").Count()
	close(leave)
	done.Wait()
	assert.Less(t, after-before, 250)
}

// A hook runs on the stream of its operator, which is also the current stream of the goroutine.
func TestCUDABackwardRunsOnTheStreamOfForward(t *testing.T) {
	dev := needCUDA(t)
	side := cuda.NewStream()
	x := torch.Ones(torch.Shape{4}, dev, torch.RequiresGrad(true))
	var y *torch.Tensor
	var seen, inner *cuda.Stream
	side.WaitStream(cuda.CurrentStream())
	side.Do(func() {
		y = x.MulScalar(2)
		y.RegisterHook(func(grad *torch.Tensor) *torch.Tensor {
			seen = cuda.CurrentStream()
			cuda.NewStream().Do(func() { inner = cuda.CurrentStream() })
			return nil
		})
	})
	cuda.CurrentStream().WaitStream(side)
	y.Sum().Backward()
	require.NotNil(t, seen)
	assert.True(t, seen.Equal(side), "%s", seen)
	assert.False(t, inner.Equal(side))
	assert.True(t, cuda.CurrentStream().Equal(cuda.DefaultStream()))
	cuda.Synchronize()
}
