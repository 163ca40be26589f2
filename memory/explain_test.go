package memory_test

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// needsResident skips the test if the system does not report resident memory.
func needsResident(t *testing.T) {
	t.Helper()
	if memory.Explain().Resident == 0 {
		t.Skip("the system does not report resident memory")
	}
}

// sums checks that the parts add up to the resident memory.
func sums(t *testing.T, e memory.Explanation) {
	t.Helper()
	sum, seen := int64(0), map[memory.Part]bool{}
	for _, p := range e.Parts {
		assert.Positive(t, p.Bytes, p.Part)
		assert.False(t, seen[p.Part], p.Part)
		seen[p.Part] = true
		sum += p.Bytes
	}
	assert.Equal(t, e.Resident, sum)
}

func TestExplainFollowsTensorsAndHeaps(t *testing.T) {
	if sanitized.On {
		t.Skip("a sanitizer's own memory is resident too")
	}
	needsResident(t)
	quiet()
	before := memory.Explain()
	sums(t, before)
	assert.GreaterOrEqual(t, before.Explained(), 0.95, before.String())

	const bytes = 64 << 20
	written, untouched := torch.Ones(torch.Shape{bytes / 4}), torch.Empty(torch.Shape{bytes / 4})
	heap := make([]byte, bytes)
	for i := range heap {
		heap[i] = 1
	}
	with := memory.Explain()
	sums(t, with)
	tensors := func(e memory.Explanation) int64 { return e.Of(memory.PartTensors) }
	if memory.Backend(torch.CPU) == "caching" {
		assert.InDelta(t, bytes, tensors(with)-tensors(before), 4<<20, "only what was written to is resident:\n%s",
			with)
	}
	assert.InDelta(t, bytes, with.Of(memory.PartGoObjects)-before.Of(memory.PartGoObjects), 4<<20, with.String())
	runtime.KeepAlive(heap)

	assert.NoError(t, written.Close())
	assert.NoError(t, untouched.Close())
	if memory.Backend(torch.CPU) == "caching" {
		cached := memory.Explain()
		assert.InDelta(t, bytes, cached.Of(memory.PartCache)-before.Of(memory.PartCache), 4<<20,
			"the block is free, and still resident:\n%s", cached)
	}
	quiet()
	after := memory.Explain()
	assert.Less(t, after.Resident-before.Resident, int64(16<<20), after.String())
}

func TestExplainKnowsKinds(t *testing.T) {
	needsResident(t)
	if memory.Backend(torch.CPU) != "caching" {
		t.Skip("libtorch's allocator tells no addresses")
	}
	quiet()
	before := memory.Explain()
	defer memory.TrackTensors(memory.TrackTensors(1))
	const bytes = 32 << 20
	x := torch.Ones(torch.Shape{bytes / 4}, torch.RequiresGrad(true))
	y := x.Exp() // saves its result
	z := y.Detach()
	y.Sum().Backward(torch.RetainGraph(true))
	data := torch.Ones(torch.Shape{bytes / 4})
	view := data.Narrow(0, 0, 5)
	e := memory.Explain()
	sums(t, e)
	assert.InDelta(t, bytes, e.Of(memory.PartParameters), 1<<20)
	assert.InDelta(t, bytes, e.Of(memory.PartGradients), 1<<20)
	assert.InDelta(t, bytes, e.Of(memory.PartResults)+e.Of(memory.PartData)-bytes, 2<<20,
		"a storage counts once\n%s", e)
	assert.Less(t, e.Of(memory.PartTensors)+e.Of(memory.PartHeld)-before.Of(memory.PartTensors), int64(2<<20),
		e.String())
	for _, v := range []*torch.Tensor{x, y, z, data, view} {
		assert.NoError(t, v.Close())
	}
}

// A snapshot of the CPU contains the parts of the process's resident memory, and a file of
// the snapshot contains them too.
func TestSnapshotsExplain(t *testing.T) {
	needsResident(t)
	s := memory.Snapshot(torch.CPU)
	sums(t, memory.Explanation{Resident: total(s.Resident), Parts: s.Resident})
	assert.InEpsilon(t, memory.Explain().Resident, total(s.Resident), 0.2)
	for _, write := range []func(*memory.SnapshotData, io.Writer) error{
		(*memory.SnapshotData).WritePickle,
		(*memory.SnapshotData).WriteJSON,
	} {
		var b bytes.Buffer
		require.NoError(t, write(s, &b))
		again, err := memory.ReadSnapshot(&b)
		require.NoError(t, err)
		assert.Equal(t, s.Resident, again.Resident)
	}
}

func total(parts []memory.ResidentPart) (bytes int64) {
	for _, p := range parts {
		bytes += p.Bytes
	}
	return bytes
}

func TestExplanationPrints(t *testing.T) {
	e := memory.Explanation{Resident: 200 << 20, Parts: []memory.ResidentPart{
		{Part: memory.PartTensors, Bytes: 150 << 20},
		{Part: memory.PartFiles, Bytes: 48 << 20, Detail: "w.safetensors"},
		{Part: memory.PartRest, Bytes: 2 << 20},
	}}
	assert.Equal(t, `resident memory of the process: 200.0 MiB, 99.0 % explained
     150.0 MiB  75.0 %  tensors
      48.0 MiB  24.0 %  mapped files       w.safetensors
       2.0 MiB   1.0 %  not explained
`, e.String())
	assert.Equal(t, int64(0), e.Of(memory.PartStacks))
	e.Resident = 0
	assert.Zero(t, e.Explained())
	assert.Contains(t, e.String(), "this system does not report resident memory\n     150.0 MiB  tensors\n")
}

// The parts add up to the total even if other goroutines allocate at the same time.
func TestExplainWhileOthersWork(t *testing.T) {
	needsResident(t)
	stop := make(chan struct{})
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			for n := int64(1); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				torch.Scope(func() { torch.Ones(torch.Shape{n % 3_000_000 * int64(i+1) % 5_000_000}) })
				if n%50 == 0 {
					memory.EmptyCache(torch.CPU)
				}
			}
		})
	}
	for range 20 {
		sums(t, memory.Explain())
	}
	close(stop)
	working.Wait()
}
