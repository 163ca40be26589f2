package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// track sets the rate of TrackTensors until the end of the test.
func track(t *testing.T, rate int) {
	old := memory.TrackTensors(rate)
	t.Cleanup(func() { memory.TrackTensors(old) })
}

// since returns the tensors that were created after an earlier call of LiveTensors.
// before is the result of that call.
func since(before []memory.LiveTensor) []memory.LiveTensor {
	newest := uint64(0)
	if len(before) > 0 {
		newest = before[len(before)-1].ID
	}
	var out []memory.LiveTensor
	for _, l := range memory.LiveTensors() {
		if l.ID > newest {
			out = append(out, l)
		}
	}
	return out
}

func TestLiveTensorsDescribesEach(t *testing.T) {
	track(t, 1)
	before := memory.LiveTensors()
	x := torch.Zeros(torch.Shape{2, 3})
	defer x.Close()
	w := torch.Ones(torch.Shape{3, 4}, torch.Float64).RequiresGrad_()
	defer w.Close()
	view := x.Select(0, 1)
	defer view.Close()
	y := w.MulScalar(2)
	defer y.Close()
	m := torch.Zeros(torch.Shape{5}, torch.Meta)
	defer m.Close()
	torch.Scope(func() {
		torch.Zeros(torch.Shape{})
		got := since(before)
		require.Len(t, got, 6)
		assert.Equal(t, memory.OwnedByScope, got[5].Owner)
		assert.Empty(t, got[5].Shape)
	})
	got := since(before)
	require.Len(t, got, 5, "the scope's end takes its tensors off the list")

	assert.Equal(t, memory.KindTensor, got[0].Kind)
	assert.Equal(t, torch.Shape{2, 3}, got[0].Shape)
	assert.Equal(t, torch.Float32, got[0].DType)
	assert.Equal(t, torch.CPU, got[0].Device)
	assert.Equal(t, memory.OwnedByCollector, got[0].Owner)
	assert.EqualValues(t, 24, got[0].Bytes)
	assert.Regexp(t, `^live_test.go:\d+ memory_test.TestLiveTensorsDescribesEach$`, got[0].Line())
	assert.Positive(t, got[0].Age())
	assert.True(t, strings.HasSuffix(got[0].Stack()[0].Function, "torch.Zeros") || len(got[0].Stack()) > 1)

	assert.Equal(t, memory.KindParameter, got[1].Kind)
	assert.Equal(t, torch.Float64, got[1].DType)
	assert.EqualValues(t, 96, got[1].Bytes)

	assert.Equal(t, got[0].Storage, got[2].Storage)
	assert.Zero(t, got[2].Bytes, "the base counts for both")
	assert.EqualValues(t, 12, got[2].ElementBytes)

	assert.Equal(t, memory.KindResult, got[3].Kind)
	assert.Equal(t, torch.Meta, got[4].Device)
	assert.Zero(t, got[4].Bytes)

	require.NoError(t, x.Close())
	got = since(before)
	require.Len(t, got, 4)
	assert.EqualValues(t, 24, got[1].Bytes, "the view alone holds the storage now")
}

func TestLiveTensorsForgetsCollectedAndKeptOnes(t *testing.T) {
	track(t, 1)
	before := memory.LiveTensors()
	for range 10 {
		torch.Zeros(torch.Shape{100})
	}
	memory.Collect()
	assert.Empty(t, since(before), "being on the list keeps nothing alive")

	var kept *torch.Tensor
	torch.Scope(func() { kept = torch.Keep(torch.Zeros(torch.Shape{3})) })
	got := since(before)
	require.Len(t, got, 1)
	assert.Equal(t, memory.OwnedByCollector, got[0].Owner)
	require.NoError(t, kept.Close())
	torch.Scope(func() {
		torch.Scope(func() { torch.Keep(torch.Zeros(torch.Shape{3})) })
		assert.Equal(t, memory.OwnedByScope, since(before)[0].Owner)
	})
	assert.Empty(t, since(before))
}

func TestTrackTensorsOffListsNothing(t *testing.T) {
	track(t, 0)
	before := memory.LiveTensors()
	x := torch.Zeros(torch.Shape{3})
	defer x.Close()
	assert.Empty(t, since(before))
	assert.Zero(t, memory.TrackTensors(1))
	assert.Equal(t, 1, memory.TrackTensors(-5))
	assert.Zero(t, memory.TrackTensors(0))
}

func TestSamplesStandForTheRest(t *testing.T) {
	const n, rate = 2000, 16 << 10
	track(t, rate)
	before := memory.LiveTensors()
	torch.Scope(func() {
		for range n {
			torch.Zeros(torch.Shape{1 << 10}) // 4 KiB
		}
		got := since(before)
		assert.Less(t, len(got), n/2)
		sum := memory.GroupTensors(got, memory.ByKind)
		require.Len(t, sum, 1)
		// The count is estimated from about 440 samples, so four standard deviations are 20
		// %.
		assert.InEpsilon(t, n, sum[0].Count, 0.25)
		assert.InEpsilon(t, n<<12, sum[0].Bytes, 0.25)
	})
}

func TestGroupsAndDiff(t *testing.T) {
	track(t, 1)
	before := memory.LiveTensors()
	torch.Scope(func() {
		for range 3 {
			torch.Zeros(torch.Shape{4})
		}
		middle := memory.LiveTensors()
		torch.Scope(func() {
			for range 2 {
				torch.Zeros(torch.Shape{10}, torch.Int64)
			}
			byLine := memory.GroupTensors(since(before), memory.ByLine)
			require.Len(t, byLine, 2)
			assert.EqualValues(t, 160, byLine[0].Bytes)
			assert.EqualValues(t, 2, byLine[0].Count)
			assert.EqualValues(t, 48, byLine[1].Bytes)
			for key, want := range map[string]struct {
				by memory.GroupKey
				n  int
			}{
				"dtype": {memory.ByDType, 2}, "shape": {memory.ByShape, 2}, "type": {memory.ByType, 2},
				"device": {memory.ByDevice, 1}, "owner": {memory.ByOwner, 1},
			} {
				assert.Len(t, memory.GroupTensors(since(before), want.by), want.n, key)
			}
			grown := memory.Diff(middle, memory.LiveTensors())
			require.Len(t, grown, 1)
			assert.EqualValues(t, 160, grown[0].BytesDelta)
			assert.EqualValues(t, 2, grown[0].CountDelta)
			assert.Contains(t, grown[0].Key, "live_test.go:")
			types := memory.DiffBy(middle, memory.LiveTensors(), memory.ByType)
			require.Len(t, types, 1)
			assert.Equal(t, "tensor int64 (10,)", types[0].Key)
		})
		assert.Empty(t, memory.Diff(middle, memory.LiveTensors()))
	})
	shrunk := memory.Diff(before, before[:0])
	for _, g := range shrunk {
		assert.LessOrEqual(t, g.BytesDelta, int64(0))
	}
}

func TestDiffBlocksSeesWhatNoTensorHolds(t *testing.T) {
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryState}))
	defer func() {
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff}))
	}()
	w := torch.Ones(torch.Shape{1000}).RequiresGrad_()
	defer w.Close()
	before := memory.Snapshot()
	torch.Scope(func() { w.Mul(w).Sum().Backward() })
	grown := memory.DiffBlocks(before, memory.Snapshot())
	require.NotEmpty(t, grown)
	assert.EqualValues(t, 4000, grown[0].BytesDelta, "the gradient")
	assert.Contains(t, grown[0].Key, "live_test.go:")
	assert.Contains(t, memory.FormatGrowth(grown, 1), "+4000 B")
}
