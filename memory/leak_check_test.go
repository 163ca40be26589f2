package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// ring is a cache of a fixed size that replaces its oldest tensor.
type ring struct {
	ts   [8]*torch.Tensor
	next int
	drop bool // do not close replaced tensors, but leave them to the collector
}

func (r *ring) put(t *torch.Tensor) {
	if old := r.ts[r.next]; !r.drop {
		_ = old.Close()
	}
	r.ts[r.next] = torch.Keep(t)
	r.next = (r.next + 1) % len(r.ts)
}

func (r *ring) fill() {
	for range r.ts {
		r.put(torch.Ones(torch.Shape{16}))
	}
}

// A cache that was full before a check replaces its contents. That does not count as
// growth, even if other code created the old contents. Other growth is still found.
func TestFullCacheIsNoLeak(t *testing.T) {
	for name, drop := range map[string]bool{"closed": false, "left to the collector": true} {
		t.Run(name, func(t *testing.T) {
			cache := ring{drop: drop}
			cache.fill()
			defer closeAll(cache.ts[:]...)()

			check := memory.StartLeakCheck()
			cache.fill()
			left := check.Stop()
			assert.True(t, left.None(), "%s", left)
			assert.EqualValues(t, 8, left.Freed)
			assert.Len(t, left.Tensors, 8, "they are new all the same")

			memory.AssertNoGrowth(t, 5, func(int) { cache.put(torch.Ones(torch.Shape{16})) })

			check = memory.StartLeakCheck()
			cache.fill()
			more := torch.Zeros(torch.Shape{3}) // a leak in addition to the cache
			left = check.Stop()
			assert.EqualValues(t, 1, left.Count)
			assert.Contains(t, left.String(), "1 more tensors are open (9 new ones, and 8 older ones are gone)")
			assert.Contains(t, left.String(), "leak_check_test.go:")
			assert.Contains(t, left.String(), "TestFullCacheIsNoLeak")
			require.NoError(t, more.Close())
		})
	}
}

// If other goroutines free tensors during a check, that does not hide the check's leaks.
func TestFreesOfOthersHideNoLeak(t *testing.T) {
	older := torch.Ones(torch.Shape{16})
	free, freed := make(chan struct{}), make(chan struct{})
	go func() { // started before the check, so the check does not cover it
		<-free
		_ = older.Close()
		close(freed)
	}()
	check := memory.StartLeakCheck()
	kept := torch.Ones(torch.Shape{16})
	close(free)
	<-freed
	left := check.Stop()
	assert.EqualValues(t, 1, left.Count)
	assert.Zero(t, left.Freed)
	require.NoError(t, kept.Close())
}

//go:noinline
func baseOf(n int64) *torch.Tensor { return torch.Zeros(torch.Shape{n, 2}) }

//go:noinline
func viewOf(base *torch.Tensor) *torch.Tensor { return base.Select(1, 0) }

// A view keeps the memory of its base. Reports name the lines of both, even if only the
// view is open.
func TestKeptViewNamesItsBase(t *testing.T) {
	check := memory.StartLeakCheck()
	base := baseOf(1000)
	view := viewOf(base)
	require.NoError(t, base.Close())
	left := check.Stop()
	require.Len(t, left.Tensors, 1)
	kept := left.Tensors[0]
	assert.Contains(t, kept.Line(), "memory_test.viewOf")
	assert.Contains(t, kept.StorageLine(), "memory_test.baseOf")
	assert.Regexp(t,
		`\+8000 B .* leak_check_test\.go:\d+ memory_test\.viewOf, `+
			`over memory of leak_check_test\.go:\d+ memory_test\.baseOf\n`, left.String())
	assert.Contains(t, kept.String(), ", over memory of leak_check_test.go:")

	// After a storage is freed, a new storage may have the same address. The new tensor
	// must not be taken for a view of the old one.
	require.NoError(t, view.Close())
	check = memory.StartLeakCheck()
	next := baseOf(1000)
	left = check.Stop()
	require.Len(t, left.Tensors, 1)
	assert.Equal(t, left.Tensors[0].Line(), left.Tensors[0].StorageLine())
	require.NoError(t, next.Close())

	// After SetData, StorageLine is the line of the new storage.
	track(t, 1)
	before := memory.LiveTensors()
	x := viewOf(baseOf(10))
	defer x.Close()
	data := baseOf(5)
	defer data.Close()
	x.SetData(data)
	got := since(before)
	assert.Contains(t, got[len(got)-2].StorageLine(), "memory_test.baseOf")
	assert.Equal(t, got[len(got)-2].Storage, got[len(got)-1].Storage)
}

// A hook that refers to its own tensor keeps it alive: libtorch holds the hook as long as
// the tensor exists, and the collector does not see that. The report mentions hooks.
func TestLeaksTellOfHooks(t *testing.T) {
	check := memory.StartLeakCheck()
	x := torch.Ones(torch.Shape{16}).RequiresGrad_()
	hook := x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) })
	other := x.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
	left := check.Stop()
	require.Len(t, left.Tensors, 1)
	assert.Equal(t, 2, left.Tensors[0].Hooks)
	assert.Contains(t, left.Tensors[0].String(), ", with 2 hooks")
	assert.Contains(t, left.String(), "; 1 of the tensors have hooks, which keep everything that they refer to")
	other.Remove()
	hook.Remove()

	check = memory.StartLeakCheck()
	y := torch.Ones(torch.Shape{16}).RequiresGrad_()
	y.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil }).Remove()
	left = check.Stop()
	assert.Zero(t, left.Tensors[0].Hooks)
	assert.NotContains(t, left.String(), "hooks")
	closeAll(x, y)()
}
