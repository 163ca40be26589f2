package dcp_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torchtest"
)

// These types have the fields that dcp sends to other ranks.
type (
	sent struct {
		Op     string
		Failed *failedRank
		Value  []byte
	}
	failedRank struct{ Text string }
	answered   struct{ Value []byte }
	key        struct{ Key string }
	offered    struct {
		Name           string
		Path           []key
		DType          torch.DType
		Size, At, Part []int64
	}
	offer struct {
		Items  []offered
		Folder struct{ Given, Real string }
	}
	ordered struct {
		File  string
		Items []int
	}
	written struct{ Starts, Lengths []int64 }
)

func encoded(v any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// say takes part in an exchange of dcp.Save, as a rank that sends m to the coordinator.
func say(ctx context.Context, g *distributed.ProcessGroup, m sent) error {
	if err := g.GatherObject(ctx, m, nil, 0); err != nil {
		return err
	}
	var got answered
	return g.ScatterObject(ctx, &got, nil, 0)
}

// half is a rank's half of a vector of four elements.
func half(rank int) dcp.Shard {
	return dcp.Shard{
		Tensor: torch.Ones(torch.Shape{2}), Offsets: torch.Shape{int64(2 * rank)}, Size: torch.Shape{4},
	}
}

// offerOf returns the message of a rank that offers o for a checkpoint in dir.
func offerOf(dir string, o offered) sent {
	all := offer{Items: []offered{o}}
	all.Folder.Given = dir
	return sent{Op: "dcp.Save", Value: encoded(all)}
}

// offerHalf is what rank 1 offers to write, if it has half of the vector x.
func offerHalf() offered {
	return offered{
		Name: "x", Path: []key{{"x"}}, DType: torch.Float32, Size: []int64{4}, At: []int64{2}, Part: []int64{2},
	}
}

// If a rank offers values that it cannot have, all ranks get an error, and nothing is written.
func TestOffersOfHostileRanks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, change := range map[string]func(o *offered){
		"no offsets":      func(o *offered) { o.At = nil },
		"no part":         func(o *offered) { o.Part = nil },
		"more dimensions": func(o *offered) { o.At, o.Part = []int64{2, 0}, []int64{2, 1} },
		"a scalar":        func(o *offered) { o.Size, o.At, o.Part = nil, nil, nil },
		"negative":        func(o *offered) { o.At, o.Part = []int64{-2}, []int64{6} },
		"beyond the end":  func(o *offered) { o.Part = []int64{1 << 62} },
		"overflow":        func(o *offered) { o.Name, o.Path, o.Size = "y", []key{{"y"}}, []int64{1 << 62} },
		"many dimensions": func(o *offered) {
			o.Name, o.Path = "y", []key{{"y"}}
			o.Size, o.At, o.Part = make([]int64, 100), make([]int64, 100), make([]int64, 100)
		},
		"no dtype":      func(o *offered) { o.DType = 0 },
		"another dtype": func(o *offered) { o.DType = 100 },
		"another name":  func(o *offered) { o.Name = "y" },
		"no path":       func(o *offered) { o.Name, o.Path = "", nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bad := offerHalf()
			change(&bad)
			errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
				if g.Rank() == 1 {
					return say(ctx, g, offerOf(dir, bad))
				}
				return dcp.Save(ctx, g, map[string]any{"x": half(0)}, dir)
			})
			require.NoError(t, errs[1])
			require.ErrorIs(t, errs[0], torch.ErrMismatch)
			assert.Empty(t, names(t, dir))
		})
	}
}

// If a rank claims to have written impossible bytes, the checkpoint stays incomplete.
func TestPositionsOfHostileRanks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, w := range map[string]written{
		"none":     {},
		"one half": {Starts: []int64{0}},
		"too many": {Starts: []int64{0, 0}, Lengths: []int64{1000, 1000}},
		"negative": {Starts: []int64{-1}, Lengths: []int64{1000}},
		"overflow": {Starts: []int64{1 << 62}, Lengths: []int64{1 << 62}},
		"short":    {Starts: []int64{0}, Lengths: []int64{7}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
				if g.Rank() == 0 {
					return dcp.Save(ctx, g, map[string]any{"x": half(0)}, dir)
				}
				if err := say(ctx, g, offerOf(dir, offerHalf())); err != nil {
					return err
				}
				return say(ctx, g, sent{Op: "dcp.Save", Value: encoded(w)})
			})
			require.NoError(t, errs[1])
			require.Error(t, errs[0])
			assert.Empty(t, names(t, dir))
		})
	}
}

// A rank writes only a data file of the checkpoint, whatever the coordinator orders.
func TestOrdersOfHostileCoordinators(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, o := range map[string]ordered{
		"a file elsewhere": {"../__1_0.distcp", []int{0}},
		"another file":     {"notes.txt", []int{0}},
		"metadata":         {".metadata", []int{0}},
		"negative":         {"__1_0.distcp", []int{-1}},
		"too large":        {"__1_0.distcp", []int{1}},
		"twice":            {"__1_0.distcp", []int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			above := t.TempDir()
			dir := filepath.Join(above, "step-1")
			require.NoError(t, os.Mkdir(dir, 0o700))
			errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
				if g.Rank() == 1 {
					return dcp.Save(ctx, g, map[string]any{"x": half(1)}, dir)
				}
				for _, value := range [][]byte{encoded(o), encoded(struct{ OK bool }{true})} {
					var all []sent
					if err := g.GatherObject(ctx, sent{Op: "dcp.Save"}, &all, 0); err != nil {
						return err
					}
					var own answered
					if err := g.ScatterObject(ctx, &own, []answered{{}, {value}}, 0); err != nil {
						return err
					}
				}
				return nil
			})
			require.NoError(t, errs[0])
			require.ErrorIs(t, errs[1], torch.ErrMismatch, "although the coordinator reports no error")
			assert.Empty(t, names(t, dir))
			assert.Equal(t, []string{"step-1"}, names(t, above))
		})
	}
}

// Texts of other ranks become one printable line.
func TestTextsOfHostileRanks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	long := bytes.Repeat([]byte("long "), 1<<20)
	for name, m := range map[string]sent{
		"an error":   {Op: "dcp.Save", Failed: &failedRank{"a\x1b[31m\nb" + string(long)}},
		"a function": {Op: "a\x1b[31m\nb" + string(long)},
	} {
		errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
			if g.Rank() == 1 {
				return say(ctx, g, m)
			}
			return dcp.Save(ctx, g, map[string]any{"x": half(0)}, t.TempDir())
		})
		require.NoError(t, errs[1])
		require.ErrorContains(t, errs[0], `a\x1b[31m\nb`, name)
		assert.Less(t, len(errs[0].Error()), 10<<10, name)
	}
}
