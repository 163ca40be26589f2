package data_test

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// The tensors of a step are freed when the step ends. If the program uses one later, the
// error names the functions that would have kept it.
func TestUseAfterStep(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(4)
	defer func() { _ = set.Close() }()
	var made, disowned *torch.Tensor
	for b := range data.NewLoader(set, data.BatchSize(2)).All() {
		if made != nil {
			err := torch.Try(func() { made.Add(b.Input) })
			require.ErrorIs(t, err, torch.ErrClosed)
			require.ErrorContains(t, err, "Add: argument self: tensor used after its step of the loader's loop: "+
				"torch.Disown it to keep it, or copy its value with Item or Float32s")
			break
		}
		torch.Scope(func() {
			made = torch.Keep(b.Input.AddScalar(1)) // Keep moves the tensor only to the step's scope
			disowned = torch.Disown(b.Input.AddScalar(2))
		})
	}
	assert.Equal(t, []int64{2, 3}, disowned.Int64s())
	require.NoError(t, disowned.Close())
}

// iter.Pull runs the loader on another goroutine, so a batch belongs to a scope of that
// goroutine. Keep and Disown report this. Tensors that the caller makes survive.
func TestLoaderByPull(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(4)
	defer func() { _ = set.Close() }()
	next, stop := iter.Pull(data.NewLoader(set, data.BatchSize(2)).All())
	defer stop()
	var kept []*torch.Tensor
	var last *torch.Tensor
	torch.Scope(func() {
		for b, ok := next(); ok; b, ok = next() {
			if last != nil {
				assert.True(t, last.IsClosed(), "the previous batch is freed")
			}
			last = b.Input
			for _, fn := range []func(*torch.Tensor) *torch.Tensor{torch.Keep, torch.Disown} {
				err := torch.Try(func() { fn(b.Input) })
				require.ErrorIs(t, err, torch.ErrValue)
				require.ErrorContains(t, err, "iter.Pull")
			}
			kept = append(kept, b.Input.Detach())
		}
		assert.Equal(t, []int64{0, 1}, kept[0].Int64s())
		assert.Equal(t, []int64{2, 3}, kept[1].Int64s())
	})
	assert.True(t, kept[0].IsClosed(), "the caller's scope owns the tensors that the caller makes")
}

// caching is a dataset that makes each example once and keeps it without torch.Disown.
type caching struct{ made map[int]*torch.Tensor }

func (c *caching) Len() int { return 2 }

func (c *caching) Get(i int) data.Example {
	if c.made[i] == nil {
		c.made[i] = torch.Full(torch.Shape{2}, i)
	}
	return data.Example{Input: c.made[i]}
}

// If a dataset keeps tensors without Disown, the error for using them says that Disown is
// missing.
func TestCachingDatasetHasToDisown(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	err := torch.Try(func() {
		loader := data.NewLoader(&caching{made: map[int]*torch.Tensor{}})
		for range 2 {
			loader.Each(func(data.Batch) bool { return true })
		}
	})
	require.ErrorIs(t, err, torch.ErrClosed)
	require.ErrorContains(t, err, "tensor used after the loader's step that made the batch")
	require.ErrorContains(t, err, "torch.Disown")
}

func TestBatchesPrint(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Ones(torch.Shape{1})
		require.NoError(t, closed.Close())
		e := data.Example{Input: torch.Ones(torch.Shape{2, 3}), Extra: []*torch.Tensor{closed}}
		assert.Equal(t, "Input float32 (2, 3) cpu, Target nil, Extra[0] closed", e.String())
		assert.Equal(t, "batch 4: Input float32 (2, 3) cpu",
			data.Batch{Example: data.Example{Input: e.Input}, Index: 4}.String())
	})
	assert.Equal(t, "Input nil", data.Example{}.String())
	assert.Equal(t, "IDX(uint8, (60000, 28, 28))",
		(&data.IDX{DType: torch.Uint8, Shape: torch.Shape{60000, 28, 28}}).String())
}
