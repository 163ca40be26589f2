package parallel_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func allocated() int64 { return memory.Stats(torch.CPU).AllocatedBytes.All.Current }

// The memory statistics count the buckets, which are as large as the gradients. A
// snapshot names the line that made them. Close frees them.
func TestBucketsAreAccounted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryAll}))
	defer memory.StopHistory()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewLinear(300, 1000, nn.Bias(false))
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		bytes, err := net.BucketBytes()
		if err != nil {
			return err
		}
		assert.Equal(t, []int64{300 * 1000 * 4}, bytes)
		if err := g.Barrier(background); err != nil {
			return err
		}
		if g.Rank() == 0 {
			assert.Equal(t, 2, madeBy(bytes[0], "NewDistributedDataParallel"), "of both ranks")
		}
		if err := errors.Join(g.Barrier(background), passOf(net, 300), passOf(net, 300),
			g.Barrier(background)); err != nil {
			return err
		}
		if g.Rank() == 0 {
			assert.Equal(t, 2, madeBy(bytes[0], "DistributedDataParallel).Forward"), "after they were made anew")
			assert.Zero(t, madeBy(bytes[0], "NewDistributedDataParallel"))
		}
		return g.Barrier(background)
	})
}

// Memory summaries contain the buckets, and snapshots name them, even after the buckets
// are rebuilt.
func TestBucketsAreNamed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	names := func() (bytes int64, names []string) {
		for _, s := range memory.Snapshot(torch.CPU).Segments {
			for _, b := range s.Blocks {
				if strings.HasPrefix(b.Pool, "bucket ") {
					bytes += b.RequestedSize
					names = append(names, b.Pool)
				}
			}
		}
		slices.Sort(names)
		return bytes, names
	}
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		net, err := wrap(g, nn.NewSequential(nn.NewLinear(8, 16), nn.NewLinear(16, 4)), parallel.BucketCapMB(0.0003))
		if err != nil {
			return err
		}
		defer net.Close()
		for step := range 3 {
			if err := g.Barrier(background); err != nil {
				return err
			}
			if g.Rank() == 0 {
				buckets, err := net.BucketBytes()
				require.NoError(t, err)
				bytes, names := names()
				var want []string
				var sum int64
				for i, n := range buckets {
					sum += 2 * n
					for range 2 { // for each rank
						want = append(want, fmt.Sprintf("bucket %d of parallel.DistributedDataParallel", i))
					}
				}
				assert.Equal(t, want, names, "step %d", step)
				assert.Equal(t, sum, bytes)
				assert.Regexp(t, fmt.Sprintf(`\| Buckets +\| +%d B `, sum), memory.Summary(torch.CPU))
			}
			if err := errors.Join(g.Barrier(background), passOf(net, 8)); err != nil {
				return err
			}
		}
		return g.Barrier(background)
	})
	_, left := names()
	assert.Empty(t, left)
	assert.NotContains(t, memory.Summary(torch.CPU), "Buckets")
}

func passOf(net *parallel.DistributedDataParallel, n int64) error {
	return torch.Try(func() { net.Forward(torch.Ones(torch.Shape{2, n})).Sum().Backward() })
}

// madeBy counts the blocks of the given size that a function has allocated.
func madeBy(bytes int64, function string) (n int) {
	for _, s := range memory.Snapshot(torch.CPU).Segments {
		for _, b := range s.Blocks {
			if b.State == memory.BlockAllocated && b.RequestedSize == bytes && slices.ContainsFunc(b.Frames,
				func(f memory.Frame) bool {
					return strings.Contains(f.Name, function)
				}) {
				n++
			}
		}
	}
	return n
}

// A thousand steps need no more memory than ten.
func TestMemoryIsFlat(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	there, goOn := make(chan struct{}), make(chan struct{})
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		net, err := wrap(g, mlp(), parallel.BucketCapMB(0.0001))
		if err != nil {
			return err
		}
		defer net.Close()
		var after10 int64
		for i := range 1000 {
			torch.Scope(func() { err = pass(net) })
			if err != nil {
				return err
			}
			if i != 9 && i != 999 {
				continue
			}
			if g.Rank() == 1 { // idle while rank 0 counts
				there <- struct{}{}
				<-goOn
				continue
			}
			<-there
			if i == 9 {
				after10 = allocated()
			}
			// A Gloo thread may still hold its last tensor when all ranks have their
			// results.
			assert.Eventually(t, func() bool { return allocated() <= after10 }, time.Minute, time.Millisecond,
				"step %d", i)
			goOn <- struct{}{}
		}
		return nil
	})
}

// On a single rank, the wrapped module computes the same as the module itself, and needs
// no more memory.
func TestAlone(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		model := mlp()
		before := allocated()
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		assert.Equal(t, before, allocated())
		bytes, err := net.BucketBytes()
		assert.Empty(t, bytes)
		require.NoError(t, pass(net))
		assert.True(t, strings.HasPrefix(net.NamedParameters()[0].Name, "module."))
		return err
	})
}
