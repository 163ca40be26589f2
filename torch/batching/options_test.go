package batching_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

// outcome describes a batcher's settings and its behavior with some requests.
func outcome(b *batching.Batcher) optiontest.Outcome {
	defer func() { _ = b.Close() }()
	said := b.String()
	for _, shape := range []torch.Shape{{}, {2}, {3}} {
		torch.Scope(func() {
			_, err := b.DoAll(context.Background(), torch.Ones(shape))
			said += fmt.Sprint(" ", err)
		})
	}
	return optiontest.Outcome{"all": said}
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	pairs := []optiontest.Pair{
		values(batching.MaxBatch(1), batching.MaxBatch(7)),
		values(batching.MaxDelay(0), batching.MaxDelay(time.Second)),
		values(batching.MaxQueue(64), batching.MaxQueue(65)),
		values(batching.RefuseWhenFull(false), batching.RefuseWhenFull(true)),
		values(batching.Workers(1), batching.Workers(3)),
		values(batching.InputShape(nil), batching.InputShape{}),
		values(batching.InputShape{2}, batching.InputShape{-1}),
		values(batching.InputShapes{{2}}, batching.InputShapes(nil)),
		values(batching.InputShapes{nil}, batching.InputShape{3}),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewBatcher": optiontest.For(func(opts ...batching.Option) optiontest.Outcome {
			return outcome(batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x }, opts...))
		}, pairs...),
		"NewBatcherAll": optiontest.For(func(opts ...batching.Option) optiontest.Outcome {
			return outcome(batching.NewBatcherAll(func(xs []*torch.Tensor) []*torch.Tensor { return xs }, opts...))
		}, pairs...),
	})
}

// Values out of range are refused, in any order.
func TestOptionValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	same := func(x *torch.Tensor) *torch.Tensor { return x }
	for text, opts := range map[string][]batching.Option{
		"argument MaxBatch: expected at least 1 request, got 0": {
			batching.MaxBatch(0),
		},
		"argument MaxDelay: expected 0 or more, got -1s": {
			batching.MaxDelay(-time.Second),
		},
		"argument MaxQueue: expected at least MaxBatch, which is 8, got 7": {
			batching.MaxQueue(7), batching.MaxBatch(8),
		},
		"argument Workers: expected at least 1, got -2": {
			batching.Workers(-2),
		},
		"argument InputShape: expected sizes, or -1 for any, got (-2,)": {
			batching.InputShape{-2},
		},
		"argument InputShapes: got 2 shapes, but the function takes one tensor; NewBatcherAll takes seve": {
			batching.InputShapes{{1}, {2}},
		},
	} {
		err := torch.Try(func() { batching.NewBatcher(same, opts...) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, text)
	}
	for _, err := range []error{
		torch.Try(func() { batching.NewBatcher(nil) }),
		torch.Try(func() { batching.NewBatcherAll(nil) }),
	} {
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "argument forward: a nil function")
	}

	// Shapes are copied when the batcher is made.
	shape := batching.InputShape{2}
	b := batching.NewBatcher(same, shape)
	shape[0] = 3
	y, err := b.DoFloat32s(context.Background(), []float32{1, 2})
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2}, y)
	require.NoError(t, b.Close())
}

// The default of MaxQueue follows MaxBatch up to the largest int.
func TestLargeBatches(t *testing.T) {
	for _, n := range []int{1 << 60, math.MaxInt} {
		b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x }, batching.MaxBatch(n))
		y, err := b.DoFloat32s(t.Context(), []float32{1})
		require.NoError(t, err)
		assert.Equal(t, []float32{1}, y)
		require.NoError(t, b.Close())
	}
}

func TestOtherOptionsDoNotCompile(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/batching",
			"github.com/gotorch/gotorch/torch/data",
		},
		Decls: "func forward(x *torch.Tensor) *torch.Tensor { return x }",
	}
	require.NoError(t, scope.Compile("batching.NewBatcher(forward, batching.Workers(2))"))
	assert.Error(t, scope.Compile("batching.NewBatcher(forward, data.BatchSize(2))"))
	assert.Error(t, scope.Compile("batching.NewBatcher(forward, torch.Float32)"))
}
