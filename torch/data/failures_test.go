package data_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// noGoroutines returns a function that checks that no more goroutines are running than
// when noGoroutines was called. That function waits, because a goroutine that has
// reported its end may need a moment to exit.
func noGoroutines(t *testing.T) func() {
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= before })
	}
}

// eventually waits until done returns true. It calls done on the test's goroutine.
func eventually(t *testing.T, otherwise string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			require.Fail(t, otherwise)
		}
	}
}

// got is a dataset of examples that a function makes.
type got struct {
	n   int
	get func(i int) (data.Example, error)
}

func (g got) Len() int { return g.n }

func (g got) Get(i int) data.Example {
	e, err := g.get(i)
	if err != nil {
		panic(torch.WrapError("got.Get", err))
	}
	return e
}

func (g got) TryGet(i int) (data.Example, error) { return g.get(i) }

// Iterate yields the examples in order, so that got is also an iterable dataset.
func (g got) Iterate(w data.WorkerInfo, yield func(data.Example) bool) error {
	for i := range g.n {
		if !w.Has(i) {
			continue
		}
		e, err := g.get(i)
		if err != nil {
			return err
		}
		if !yield(e) {
			break
		}
	}
	return nil
}

// loaders returns two loaders: one uses g as a Dataset, the other uses g as an
// IterableDataset.
func (g got) loaders(opts ...data.LoaderOption) map[string]*data.Loader {
	return map[string]*data.Loader{"map": data.NewLoader(g, opts...), "stream": data.NewIterableLoader(g, opts...)}
}

// each runs a test with each form of loop, with each kind of dataset, and with 0 to 2
// workers.
func (g got) each(t *testing.T,
	test func(t *testing.T, l *data.Loader, loop func(l *data.Loader, body func(data.Batch) bool) error, workers int),
	opts ...data.LoaderOption,
) {
	for workers := range 3 {
		for kind, l := range g.loaders(append(opts, data.NumWorkers(workers))...) {
			for form, loop := range forms {
				t.Run(fmt.Sprint(kind, workers, form), func(t *testing.T) {
					defer torchtest.CheckLeaks(t)()
					defer noGoroutines(t)()
					test(t, l, loop, workers)
				})
			}
		}
	}
}

func all(data.Batch) bool { return true }

// If a dataset fails in any way, the error of the loop names the example.
func TestFailuresNameTheExample(t *testing.T) {
	for name, c := range map[string]struct {
		fail func() error
		want error
		text string
	}{
		"error":       {func() error { return errUnread }, errUnread, "the disk is gone"},
		"panic":       {func() error { panic("out of ink") }, torch.ErrRuntime, "panic: out of ink"},
		"error panic": {func() error { panic(errUnread) }, errUnread, "the disk is gone"},
		"*torch.Error": {
			func() error { torch.Zeros(torch.Shape{-1}); return nil }, torch.ErrRuntime,
			"Dimension size must be non-negative",
		},
		"runtime": {
			func() error { var list []int; _ = list[len(list)]; return nil }, torch.ErrRuntime,
			"index out of range",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := got{9, func(i int) (data.Example, error) {
				if i == 5 {
					if err := c.fail(); err != nil {
						return data.Example{}, err
					}
				}
				return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
			}}
			g.each(t,
				func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, workers int) {
					seen := 0
					err := loop(l, func(data.Batch) bool { seen++; return true })
					var typed *torch.Error
					require.ErrorAs(t, err, &typed)
					var e *data.ExampleError
					require.ErrorAs(t, err, &e)
					if l.Dataset() != nil {
						assert.EqualValues(t, 5, e.Index)
						assert.Equal(t, 2, seen, "the loop yields the batches before the failure")
					}
					assert.Equal(t, workers == 0, e.Worker == -1)
					if name != "*torch.Error" {
						require.ErrorIs(t, err, c.want)
					}
					assert.ErrorContains(t, err, c.text)
				}, data.BatchSize(2))
		})
	}
}

// If a function among the loader's options fails, the error of the loop names the batch.
func TestFailuresOfFunctions(t *testing.T) {
	g := got{4, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Zeros(torch.Shape{int64(i)})}, nil
	}}
	g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
		err := loop(l, all)
		require.ErrorIs(t, err, torch.ErrShape)
		var e *data.ExampleError
		require.ErrorAs(t, err, &e)
		assert.EqualValues(t, -1, e.Index)
		assert.Equal(t, 0, e.Batch)
	}, data.BatchSize(2))
	bad := data.Transform(func(data.Example) data.Example { panic("bad transform") })
	g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
		var p *data.PanicError
		require.ErrorAs(t, loop(l, all), &p)
		assert.Equal(t, "bad transform", p.Value)
		assert.Contains(t, string(p.Stack), "failures_test.go")
	}, bad)
	l := data.NewLoader(g, data.NumWorkers(1), data.WorkerInitFn(func(w data.WorkerInfo) error {
		return fmt.Errorf("worker %d: %w", w.ID, errUnread)
	}))
	require.ErrorIs(t, forms["Each"](l, all), errUnread)
}

// If a worker's goroutine ends, the loop does not wait for it forever.
func TestGoexitInAWorker(t *testing.T) {
	g := got{3, func(int) (data.Example, error) { runtime.Goexit(); return data.Example{}, nil }}
	for _, l := range g.loaders(data.NumWorkers(2)) {
		defer torchtest.CheckLeaks(t)()
		defer noGoroutines(t)()
		assert.ErrorContains(t, forms["All"](l, all), "Goexit")
	}
	// The error names the example during which the goroutine ended.
	defer torchtest.CheckLeaks(t)()
	l := data.NewLoader(got{3, func(i int) (data.Example, error) {
		if i == 1 {
			runtime.Goexit()
		}
		return data.Example{Input: torch.Zeros(torch.Shape{1})}, nil
	}}, data.NumWorkers(1), data.BatchSize(3))
	var e *data.ExampleError
	require.ErrorAs(t, forms["All"](l, all), &e)
	assert.Equal(t, int64(1), e.Index)
}

// A loop that ends early, at any of its steps, frees everything.
func TestEarlyEnd(t *testing.T) {
	g := got{20, func(i int) (data.Example, error) {
		return data.Example{
			Input: torch.Full(torch.Shape{2}, i), Target: torch.Full(torch.Shape{}, i),
			Value: map[string]any{"x": torch.Ones(torch.Shape{1})},
		}, nil
	}}
	// returns the tensors of one of the examples, not copies
	collate := data.CollateFn(func(es []data.Example) data.Example {
		return data.Example{Input: es[0].Input, Value: es[0].Value}
	})
	for _, opts := range [][]data.LoaderOption{
		{data.BatchSize(3)},
		{data.BatchSizeNone},
		{data.BatchSize(2), collate},
	} {
		for stop := range 4 {
			g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
				n := 0
				require.NoError(t, loop(l, func(b data.Batch) bool {
					n++
					assert.False(t, b.Input.IsClosed())
					if m, ok := b.Value.(map[string]any); ok {
						assert.False(t, m["x"].(*torch.Tensor).IsClosed())
					}
					return n <= stop
				}))
				assert.PanicsWithValue(t, "stop", func() { l.Each(func(data.Batch) bool { panic("stop") }) })
			}, opts...)
		}
	}
}

func TestAnIterThatNobodyCloses(t *testing.T) {
	defer noGoroutines(t)()
	g := got{20, func(i int) (data.Example, error) { return data.Example{Input: torch.Full(torch.Shape{2}, i)}, nil }}
	func() {
		it := data.NewLoader(g, data.NumWorkers(2)).Iter()
		assert.True(t, it.Next())
	}()
	live := torch.NumLiveTensors()
	eventually(t, "its tensors live on", func() bool { runtime.GC(); return torch.NumLiveTensors() < live })
}

// If a batch is not ready in time, the loop ends with an error. The batch is freed when
// it is ready.
func TestTimeout(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer noGoroutines(t)()
	var stuck atomic.Int64
	release := make(chan struct{})
	g := got{8, func(i int) (data.Example, error) {
		if i == 5 {
			stuck.Add(1)
			<-release
		}
		return data.Example{Input: torch.Full(torch.Shape{2}, i)}, nil
	}}
	for name, l := range g.loaders(data.NumWorkers(2), data.Timeout(20*time.Millisecond)) {
		err := forms["All"](l, all)
		var e *data.TimeoutError
		require.ErrorAs(t, err, &e, name)
		require.ErrorIs(t, err, torch.ErrRuntime)
		assert.Equal(t, 1, e.Worker)
		assert.True(t, e.Timeout())
		assert.ErrorContains(t, err, "data: worker 1 timed out after 20ms at example ")
		if name == "map" {
			assert.EqualValues(t, 5, e.Index)
		}
	}
	// If the loop's body ends the loop early, the loop does not wait for the late worker
	// either.
	for b := range data.NewLoader(g, data.BatchSize(1), data.NumWorkers(2), data.PrefetchFactor(3),
		data.Timeout(20*time.Millisecond)).All() {
		if b.Index == 0 {
			for stuck.Load() < 3 { // wait until the worker is at example 5
				runtime.Gosched()
			}
			break
		}
	}
	close(release)
}

func TestOneLoopAtATimeForWorkersThatPersist(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer noGoroutines(t)()
	l := data.NewLoader(drawing(6), data.NumWorkers(2), data.PersistentWorkers(true))
	for range l.All() {
		err := torch.Try(func() { l.Each(all) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "one can run at a time")
	}
	free := data.NewLoader(drawing(6), data.NumWorkers(2), data.BatchSize(4))
	n := 0
	for range free.All() {
		free.Each(func(data.Batch) bool { n++; return true })
	}
	assert.Equal(t, 4, n)
}

func TestDatasetClosedMeanwhile(t *testing.T) {
	for workers := range 3 {
		func() {
			defer torchtest.CheckLeaks(t)()
			defer noGoroutines(t)()
			set := counting(40)
			err := torch.Try(func() {
				for range data.NewLoader(set, data.NumWorkers(workers)).All() {
					_ = set.Close()
				}
			})
			require.ErrorIs(t, err, torch.ErrClosed)
		}()
	}
}

func TestWorkersSeeWhoTheyAre(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	assert.Nil(t, data.GetWorkerInfo())
	var mu sync.Mutex
	seen := map[string]bool{}
	g := got{8, func(i int) (data.Example, error) {
		mu.Lock()
		defer mu.Unlock()
		w := data.GetWorkerInfo()
		seen[fmt.Sprint(w.ID, w.NumWorkers, uint64(w.Seed) == torch.InitialSeed(), torch.IsGradEnabled(),
			torch.DefaultDType(), torch.NumThreads())] = true
		return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
	}}
	var inits atomic.Int64
	torch.WithDType(torch.Float64, func() {
		torch.NoGrad(func() {
			data.NewLoader(g, data.NumWorkers(2), data.WorkerInitFn(func(data.WorkerInfo) error {
				inits.Add(1)
				return nil
			})).Each(all)
		})
	})
	assert.Equal(t, map[string]bool{"0 2 true false float64 1": true, "1 2 true false float64 1": true}, seen,
		"workers have the modes of the loop, and one thread each")
	assert.EqualValues(t, 2, inits.Load())
}

func TestInAnyOrder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer noGoroutines(t)()
	first := make(chan struct{})
	g := got{6, func(i int) (data.Example, error) {
		if i == 0 {
			<-first
		}
		return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
	}}
	var order []int64
	for b := range data.NewLoader(g, data.NumWorkers(2), data.InOrder(false)).All() {
		if order = append(order, b.Input.ItemInt()); len(order) == 3 {
			close(first)
		}
	}
	assert.NotEqual(t, int64(0), order[0], "the first batch that is ready comes first")
	assert.ElementsMatch(t, []int64{0, 1, 2, 3, 4, 5}, order)
}

func TestLoaderMistakes(t *testing.T) {
	set := drawing(4)
	stream := drawnStream{4}
	for _, c := range []struct {
		kind error
		text string
		fn   func()
	}{
		{torch.ErrValue, "NumWorkers: expected 0 or more workers, got -1", func() {
			data.NewLoader(set, data.NumWorkers(-1))
		}},
		{torch.ErrValue, "PrefetchFactor: needs workers", func() { data.NewLoader(set, data.PrefetchFactor(2)) }},
		{torch.ErrValue, "PrefetchFactor: expected a positive number, got 0", func() {
			data.NewLoader(set, data.NumWorkers(1), data.PrefetchFactor(0))
		}},
		{torch.ErrValue, "Timeout: expected 0 or more, got -1s", func() {
			data.NewLoader(set, data.NumWorkers(1), data.Timeout(-time.Second))
		}},
		{torch.ErrValue, "PersistentWorkers: needs workers", func() {
			data.NewLoader(set, data.PersistentWorkers(true))
		}},
		{torch.ErrValue, "BatchSizeNone", func() { data.NewLoader(set, data.BatchSizeNone, data.DropLast(true)) }},
		{torch.ErrNil, "a nil IterableDataset", func() { data.NewIterableLoader(nil) }},
		{torch.ErrNil, "a nil IterableDataset", func() { data.NewIterableLoader(data.IterableFunc(nil)) }},
		{torch.ErrValue, "Shuffle", func() { data.NewIterableLoader(stream, data.Shuffle(true)) }},
		{torch.ErrType, "needs a method Len() int", func() { data.NewIterableLoader(stream).Len() }},
		{torch.ErrNil, "the Loader was not made by NewLoader", func() { new(data.Loader).Iter() }},
		//nolint:staticcheck // a nil context is the test
		{torch.ErrNil, "a nil Context", func() { data.NewLoader(set).IterContext(nil) }},
	} {
		err := torch.Try(c.fn)
		require.ErrorIs(t, err, c.kind, c.text)
		assert.ErrorContains(t, err, c.text)
	}
	assert.True(t,
		strings.HasPrefix(data.NewIterableLoader(stream, data.NumWorkers(2)).String(),
			"DataLoader(data_test.drawnStream, batch_size=1, shuffle=False, drop_last=False, num_workers=2)"))
	assert.Nil(t, data.NewIterableLoader(stream).Dataset())
	assert.NotNil(t, data.NewIterableLoader(stream).Iterable())
	assert.Equal(t, "panic: x", (&data.PanicError{Value: "x"}).Error())
	assert.Nil(t, errors.Unwrap(&data.PanicError{Value: "x"}))
}

// A loader may have more workers than can make batches at the same time.
func TestManyWorkers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer noGoroutines(t)()
	for _, l := range []*data.Loader{
		data.NewLoader(drawing(200), data.NumWorkers(80)),
		data.NewIterableLoader(drawnStream{200}, data.NumWorkers(80)),
	} {
		n := 0
		l.Each(func(data.Batch) bool { n++; return true })
		assert.Equal(t, 200, n)
	}
}
