package distributed_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// Methods of a Reducer return errors about their arguments, which name the Reducer.
func TestReducerArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		r, err := distributed.NewReducer(background, g, []*torch.Tensor{w}, distributed.ReducerConfig{Op: "Mine"})
		if err != nil {
			return err
		}
		defer r.Close()
		gone := torch.Ones(torch.Shape{1})
		require.NoError(t, gone.Close())
		for _, row := range []struct {
			name string
			call func() error
			kind error
			text string
		}{
			{"PrepareBackward", func() error { return r.PrepareBackward(gone) }, torch.ErrClosed, "outs"},
			{"Broadcast", func() error { return r.Broadcast([]*torch.Tensor{gone}, 0) }, torch.ErrClosed, "tensors"},
			{"DelayAllReduce outside of a pass", r.DelayAllReduce, torch.ErrRuntime, "backward pass"},
			{"SetDivideFactor", func() error { return r.SetDivideFactor(-1) }, torch.ErrValue, "factor"},
			{"SetDivideFactor", func() error { return r.SetDivideFactor(1 << 32) }, torch.ErrValue, "factor"},
			{"MatchAllReduce", func() error { return r.MatchAllReduce(-1) }, torch.ErrValue, "used"},
			{"MatchAllReduce", func() error { return r.MatchAllReduce(3) }, torch.ErrValue, "used"},
		} {
			var err error
			if !assert.NotPanics(t, func() { err = row.call() }, row.name) {
				continue
			}
			var e *torch.Error
			if assert.ErrorAs(t, err, &e, row.name) {
				assert.ErrorIs(t, e, row.kind, row.name)
				assert.Equal(t, "Mine", e.Op, row.name)
				assert.ErrorContains(t, e, row.text, row.name)
			}
		}
		return nil
	})
}

// A broadcast from a rank that does not exist is an error, even if libtorch would truncate its number.
func TestReducerBroadcastsFromNobody(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, src := range []int{-1, 2, 1 << 32, -1 << 32} {
		for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
			r, err := distributed.NewReducer(ranks.Soon(t), g, []*torch.Tensor{w}, distributed.ReducerConfig{})
			if err != nil {
				return err
			}
			defer r.Close()
			return r.Broadcast([]*torch.Tensor{w.Detach()}, src)
		}) {
			require.Error(t, err, "%d", src)
		}
	}
}

// The error of ranks with different settings names the setting.
func TestReducerSettingsDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for text, odd := range map[string]distributed.ReducerConfig{
		"BucketCap 100":             {BucketCap: 100},
		"BucketCaps [100 200]":      {BucketCaps: []int64{100, 200}},
		"FindUnusedParameters":      {FindUnusedParameters: true},
		"StaticGraph":               {StaticGraph: true},
		"SkipAllReduceUnusedParams": {SkipAllReduceUnusedParams: true},
	} {
		for rank, err := range ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
			var c distributed.ReducerConfig
			if g.Rank() == 1 {
				c = odd
			}
			w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
			r, err := distributed.NewReducer(background, g, []*torch.Tensor{w}, c)
			return errors.Join(err, r.Close())
		}) {
			require.ErrorIs(t, err, distributed.ErrMismatch, "%s: rank %d", text, rank)
			const all = "distributed.Reducer of 1 parameters: float32 (3,); 0 buffers: ; their values from rank 0"
			assert.ErrorContains(t, err, fmt.Sprintf("ranks 0, 2: %s; rank 1: %[1]s; %s", all, text))
		}
	}
}
