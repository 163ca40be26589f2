package live_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/trace"
)

const float32Type, cpu = 6, 0

// tensor returns a new tensor of n elements. It is freed when the test ends.
func tensor(t *testing.T, n int64) abi.Tensor {
	t.Helper()
	data := make([]float32, n)
	r := cgotorch.FromData(0, unsafe.Pointer(&data[0]), 4*n, []int64{n}, float32Type, cpu)
	require.Zero(t, r.Err)
	t.Cleanup(func() { cgotorch.Free(r.T) })
	return r.T
}

// storage returns the identifier of the tensor's storage.
func storage(t *testing.T, h abi.Tensor) uintptr {
	t.Helper()
	s, st := cgotorch.Storage(h)
	require.Zero(t, st)
	return s.Storage
}

// rate sets the sampling rate until the test ends. The rate is the mean number of bytes
// per sample.
func rate(t *testing.T, n int64) {
	t.Helper()
	old := live.SetRate(n)
	t.Cleanup(func() { live.SetRate(old) })
}

func listed() map[uint64]*live.Entry {
	all := map[uint64]*live.Entry{}
	live.Each(func(e *live.Entry) { all[e.ID] = e })
	return all
}

func TestListIsOffAtFirst(t *testing.T) {
	assert.False(t, live.On())
	assert.Nil(t, live.Add(tensor(t, 1), 0))
	assert.Zero(t, live.SetRate(-5), "as 0")
	assert.Zero(t, live.SetRate(1))
	assert.True(t, live.On())
	assert.EqualValues(t, 1, live.SetRate(0))
	assert.False(t, live.On())
	var none *live.Entry
	none.Remove()
	none.AddHooks(1)
	none.Moved()
}

func TestListInOrder(t *testing.T) {
	rate(t, 1)
	before, made := listed(), live.Made()
	var entries []*live.Entry
	for i := range 40 {
		e := live.Add(tensor(t, 3), trace.ID(i))
		require.NotNil(t, e)
		assert.Equal(t, made+uint64(i)+1, e.ID)
		assert.EqualValues(t, 1, e.Weight())
		assert.Nil(t, e.Window)
		entries = append(entries, e)
	}
	assert.Equal(t, made+40, live.Made())
	assert.Len(t, listed(), len(before)+40)
	e := entries[7]
	assert.False(t, e.Scoped())
	e.SetScoped(true)
	assert.True(t, listed()[e.ID].Scoped())
	e.AddHooks(2)
	e.AddHooks(-1)
	assert.Equal(t, 1, e.Hooks())
	for _, e := range entries {
		e.Remove()
	}
	assert.Equal(t, before, listed())
}

// The larger a tensor, the more likely it is sampled. The weight of a sampled tensor is
// the inverse of its sampling probability, so the sum of the weights approximates the
// number of all tensors.
func TestSamples(t *testing.T) {
	const n, every = 4000, 4096
	rate(t, every)
	h := tensor(t, 256) // 1 KiB
	var drawn int
	var weight float64
	for range n {
		if e := live.Add(h, 0); e != nil {
			assert.EqualValues(t, 1024, e.Size)
			drawn++
			weight += e.Weight()
			e.Remove()
		}
	}
	// The expected number is 885, with a standard deviation of 26.
	assert.InDelta(t, 885, drawn, 160)
	assert.InEpsilon(t, n, weight, 0.2)

	big := live.Add(tensor(t, 1<<20), 0)
	require.NotNil(t, big, "it alone is a thousand samples")
	assert.InDelta(t, 1, big.Weight(), 1e-9)
	big.Remove()
}

// The origin of a storage is the stack on which its first tensor was created. The origin
// remains until the storage's last tensor is freed.
func TestOriginOutlastsItsTensor(t *testing.T) {
	rate(t, 1)
	base, other := tensor(t, 8), tensor(t, 8)
	s := storage(t, base)
	first := live.Add(base, 11)
	view := live.Add(base, 12)
	assert.EqualValues(t, 11, first.Origin(s))
	first.Remove()
	assert.EqualValues(t, 11, view.Origin(s))
	assert.EqualValues(t, 12, view.Origin(storage(t, other)), "unknown: what it has now came some other way")
	view.Remove()
	again := live.Add(base, 13)
	assert.EqualValues(t, 13, again.Origin(s), "nobody was left")
	again.Moved()
	assert.EqualValues(t, 13, again.Origin(s))
	again.Remove()
	assert.Empty(t, listed())
}

func TestWindows(t *testing.T) {
	stranger, strangers := make(chan struct{}), make(chan *live.Entry)
	h := tensor(t, 1)
	go func() {
		for range stranger {
			strangers <- live.Add(h, 0)
		}
		close(strangers)
	}()
	assert.False(t, live.Watched())
	outer := live.Open()
	assert.True(t, live.Watched())
	assert.True(t, live.On(), "a window needs every tensor")
	a := live.Add(h, 0)
	inner := live.Open()
	b := live.Add(h, 0)
	child := make(chan *live.Entry)
	go func() { child <- live.Add(h, 0) }()
	c := <-child
	assert.True(t, outer.Has(a) && outer.Has(b) && outer.Has(c))
	assert.True(t, !inner.Has(a) && inner.Has(b) && inner.Has(c))
	assert.True(t, outer.Alone() && inner.Alone())

	stranger <- struct{}{}
	d := <-strangers
	assert.False(t, outer.Has(d) || inner.Has(d))
	assert.False(t, outer.Alone() || inner.Alone())
	inner.Mark()
	assert.True(t, inner.Alone(), "from here on")

	inner.Close()
	e := live.Add(h, 0)
	assert.True(t, outer.Has(e) && !inner.Has(e))
	outer.Close()
	assert.Nil(t, live.Add(h, 0), "nobody listens")
	assert.False(t, live.Watched())
	for _, e := range []*live.Entry{a, b, c, d, e} {
		e.Remove()
	}
	close(stranger)
	<-strangers
}

// If the goroutines of a window free tensors that are older than the window, these
// tensors are subtracted from the window's growth. Tensors that other goroutines free do
// not count. Tensors that the garbage collector frees count only if no other goroutine
// has created tensors.
func TestWindowsCountWhatIsFreed(t *testing.T) {
	rate(t, 1)
	h := tensor(t, 1)
	older := live.Add(h, 0)
	w := live.Open()
	defer w.Close()
	own := live.Add(h, 0)
	live.Freed(own)
	assert.Zero(t, w.Freed())
	live.Freed(older)
	live.Freed(nil) // a tensor that was created while none were listed
	assert.EqualValues(t, 2, w.Freed())
	live.Collected(own)
	live.Collected(older)
	assert.EqualValues(t, 3, w.Freed())

	w.Mark()
	assert.Zero(t, w.Freed())
	elsewhere := make(chan *live.Entry)
	go func() { // this goroutine inherits the labels of the window
		live.Freed(older)
		elsewhere <- live.Add(h, 0)
	}()
	e := <-elsewhere
	assert.True(t, w.Has(e))
	assert.EqualValues(t, 1, w.Freed())
	for _, e := range []*live.Entry{older, own, e} {
		e.Remove()
	}
}
