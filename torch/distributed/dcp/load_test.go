package dcp_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// Any number of ranks can load what any number of ranks has saved, however the tensors are sharded.
func TestAnyNumberOfRanks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	other := map[string]int{"rows": 1, "columns": 0, "few": 1}
	for _, from := range []int{1, 2, 3} {
		dir := t.TempDir()
		allWell(t, from, func(ctx context.Context, g *distributed.ProcessGroup) error {
			rank, world := rankOf(g)
			return dcp.Save(ctx, g, map[string]any{"parts": parts(rank, world, dims, false), "model": tensors()}, dir)
		})
		for _, to := range []int{1, 2, 3} {
			for _, of := range []map[string]int{dims, other} {
				allWell(t, to, func(ctx context.Context, g *distributed.ProcessGroup) error {
					rank, world := rankOf(g)
					got := map[string]any{"parts": parts(rank, world, of, true), "model": blank(tensors())}
					if err := dcp.Load(ctx, g, dir, got); err != nil {
						return err
					}
					return same(map[string]any{"parts": parts(rank, world, of, false), "model": tensors()}, got,
						fmt.Sprint(from, " to ", to))
				})
			}
		}
		torch.Scope(func() { // arbitrary boxes, several boxes of one tensor, and a whole tensor
			w := whole()["rows"]
			box := func(i, j, n, m int64) dcp.Shard {
				return dcp.Shard{Tensor: torch.Zeros(torch.Shape{n, m}), Offsets: torch.Shape{i, j}, Size: w.Shape()}
			}
			boxes := []dcp.Shard{box(1, 1, 8, 2), box(0, 0, 10, 3), box(4, 2, 1, 1), box(5, 0, 0, 3)}
			full := torch.Zeros(torch.Shape{2, 7})
			require.NoError(t,
				dcp.Load(t.Context(), nil, dir,
					map[string]any{"parts": map[string]any{"rows": boxes, "columns": full}}))
			for _, b := range boxes {
				want := w.Narrow(0, b.Offsets[0], b.Tensor.Size(0)).Narrow(1, b.Offsets[1], b.Tensor.Size(1))
				require.NoError(t, same(want, b.Tensor, fmt.Sprint(b.Offsets)))
			}
			require.NoError(t, same(whole()["columns"], full, "columns"))
		})
	}
}

// Bounds shards a dimension as DTensor and torch.chunk do.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		n     int64
		world int
		want  [][2]int64
	}{
		{10, 3, [][2]int64{{0, 4}, {4, 4}, {8, 2}}},
		{1, 3, [][2]int64{{0, 1}, {1, 0}, {1, 0}}},
		{0, 2, [][2]int64{{0, 0}, {0, 0}}},
		{5, 4, [][2]int64{{0, 2}, {2, 2}, {4, 1}, {5, 0}}},
	} {
		for r, want := range c.want {
			offsets, part := dcp.Bounds(torch.Shape{2, c.n}, 1, r, c.world)
			assert.Equal(t, torch.Shape{0, want[0]}, offsets)
			assert.Equal(t, torch.Shape{2, want[1]}, part)
		}
	}
	for _, bad := range [][3]int{{2, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}, {0, 0, 0}} {
		err := torch.Try(func() { dcp.Bounds(torch.Shape{2, 2}, int64(bad[0]), bad[1], bad[2]) })
		require.ErrorIs(t, err, torch.ErrIndex, "%v", bad)
	}
}

type level int8

// Loaded values keep the types that they have in the state, through maps, slices and pointers.
func TestTypesStay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	epoch, name, pair := 7, "run", [2]float64{1, 2}
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{
		"int": 3, "level": level(-2), "uint": uint16(9), "float": float32(0.5), "whole": 4, "complex": complex64(1i),
		"ints": []int{1, 2}, "floats": []float64{1, 2.5}, "texts": []string{"a"}, "bytes": []byte{1, 2},
		"shape": torch.Shape{2, 3},
		"map":   map[string]float64{"a": 1, "b": 2}, "numbers": map[int]string{10: "ten", 9: "nine"},
		"any":  []any{1, "x", nil},
		"dict": serialization.NewDict("k", 1, int64(2), "two"), "dtype": torch.BFloat16,
		"epoch": &epoch, "name": &name, "pair": &pair, "wide": uint64(1 << 63), "empty": []int{}, "none": nil, "was": 1,
	}, dir))
	epoch, name, pair = 0, "", [2]float64{}
	got := map[string]any{
		"int": 0, "level": level(0), "uint": uint16(0), "float": float32(0), "whole": 0.5, "complex": complex64(0),
		"ints": []int(nil), "floats": []float64{}, "texts": []string{}, "bytes": []byte{}, "shape": torch.Shape{},
		"map": map[string]float64{"a": 0, "b": 0}, "numbers": map[int]string{10: "", 9: ""}, "any": []any{0},
		"dict": serialization.NewDict("k", 0, int64(2), ""), "dtype": torch.Float32,
		"epoch": &epoch, "name": &name, "pair": &pair, "wide": uint64(0), "empty": []int{1}, "none": nil, "was": nil,
	}
	require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
	assert.Equal(t, map[string]any{
		"int": 3, "level": level(-2), "uint": uint16(9), "float": float32(0.5), "whole": 4.0, "complex": complex64(1i),
		"ints": []int{1, 2}, "floats": []float64{1, 2.5}, "texts": []string{"a"}, "bytes": []byte{1, 2},
		"shape": torch.Shape{2, 3},
		"map":   map[string]float64{"a": 1, "b": 2}, "numbers": map[int]string{10: "ten", 9: "nine"},
		"any":  []any{int64(1), "x", nil},
		"dict": serialization.NewDict("k", 1, int64(2), "two"), "dtype": torch.BFloat16,
		"epoch": &epoch, "name": &name, "pair": &pair, "wide": uint64(1 << 63), "empty": []int{}, "none": nil,
		"was": int64(1),
	}, got)
	assert.Equal(t, 7, epoch)
	assert.Equal(t, "run", name)
	assert.Equal(t, [2]float64{1, 2}, pair)
}

// A nil map gets the entries of the checkpoint in its own type, also behind a pointer and in another
// map. It stays nil if the saved map was empty. An empty map loads nothing.
func TestNilMaps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		var empty map[string]int
		x := torch.Ones(torch.Shape{2})
		rates := map[string]float64{"a": 1, "b": 2.5}
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{
			"pointer": &rates, "plain": rates, "levels": map[level]string{-2: "low", 3: "high"}, "empty": empty,
			"deep": map[string]map[string]int{"x": {"n": 1}}, "tensors": map[string]*torch.Tensor{"x": x},
			"kept": rates,
		}, dir))
		var got map[string]float64
		var kept map[string]float64
		state := map[string]any{
			"pointer": &got, "plain": map[string]float64(nil), "levels": map[level]string(nil), "empty": empty,
			"deep": map[string]map[string]int{"x": nil}, "tensors": map[string]*torch.Tensor(nil),
			"kept": map[string]float64{},
		}
		require.NoError(t, dcp.Load(t.Context(), nil, dir, state))
		assert.Equal(t, rates, got)
		assert.Equal(t, rates, state["plain"])
		assert.Equal(t, map[level]string{-2: "low", 3: "high"}, state["levels"])
		assert.Equal(t, map[string]map[string]int{"x": {"n": 1}}, state["deep"])
		assert.Equal(t, x.Float32s(), state["tensors"].(map[string]*torch.Tensor)["x"].Float32s())
		assert.Nil(t, state["empty"])
		assert.Equal(t, map[string]float64{}, state["kept"])
		wrong := map[string]any{"plain": map[int]float64(nil)}
		require.ErrorIs(t, dcp.Load(t.Context(), nil, dir, wrong), torch.ErrMismatch)
		wrong = map[string]any{"pointer": &kept, "levels": map[int8]bool(nil)}
		require.ErrorIs(t, dcp.Load(t.Context(), nil, dir, wrong), torch.ErrMismatch)
		assert.Nil(t, kept)
	})
}

// A nil in the state is replaced by the value in the checkpoint. For a tensor, Load makes a new
// one.
func TestAnything(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	allWell(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		s := state()
		s["parts"] = parts(g.Rank(), 2, dims, false)
		return dcp.Save(ctx, g, s, dir)
	})
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	torch.Scope(func() {
		got := map[string]any{}
		for _, key := range m.Keys() {
			got[key] = nil
		}
		require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
		want := state()
		want["epoch"], want["list"], want["tuple"] = int64(5), []any{int64(1), int64(2), "x"},
			serialization.Tuple{int64(1), 2.5}
		want["mixed"] = []any{
			pattern(2), int64(3),
			map[string]any{"a": int64(-1), "in": map[string]any{"b": pattern(3, 1)}},
		}
		in := map[string]any{}
		for name, x := range whole() {
			in[name] = x
		}
		want["parts"] = in
		require.NoError(t, same(want, got, "state"))
	})
}

// A module and an optimizer resume from a checkpoint, with or without a group. So do an optimizer
// that already has state, and a state dict.
func TestModulesAndOptimizers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	model, opt := trained()
	sgd := optim.NewSGD(model.Parameters(), optim.LR(0.5))
	lbfgs := optim.NewLBFGS(model.Parameters())
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 4})
		for range 3 {
			lbfgs.StepClosure(func() *torch.Tensor {
				lbfgs.ZeroGrad()
				loss := model.Forward(x).Square().Sum()
				loss.Backward()
				return loss
			})
		}
	})
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close(), sgd.Close(), lbfgs.Close())) }()
	dir := t.TempDir()
	torch.Scope(func() {
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{
			"model": model, "opt": opt, "sgd": sgd.StateDict(), "lbfgs": lbfgs, "list": []any{model.StateDict()},
		}, dir))
	})
	other := nn.NewLinear(4, 3)
	fresh, plain, quasi := optim.NewAdamW(other.Parameters()), optim.NewSGD(other.Parameters(), optim.LR(1)),
		optim.NewLBFGS(other.Parameters())
	defer func() {
		require.NoError(t, errors.Join(other.Close(), fresh.Close(), plain.Close(), quasi.Close()))
	}()
	for range 2 {
		require.NoError(t,
			dcp.Load(t.Context(), nil, dir, map[string]any{"model": other, "opt": fresh, "sgd": plain, "lbfgs": quasi}))
		torch.Scope(func() {
			assert.Equal(t, model.StateDict().String(), other.StateDict().String())
			assert.Equal(t, opt.StateDict().String(), fresh.StateDict().String())
			assert.Equal(t, sgd.StateDict().String(), plain.StateDict().String())
			assert.Equal(t, lbfgs.StateDict().String(), quasi.StateDict().String())
		})
	}
	torch.Scope(func() {
		sd := fresh.StateDict()
		first := sd.State[0]["exp_avg"]
		torch.NoGrad(func() { first.Zero_() })
		empty := &optim.StateDict{}
		also := lbfgs.StateDict()
		list := other.StateDict().Clone()
		defer func() { _ = list.Get("weight").Close(); _ = list.Get("bias").Close() }()
		require.NoError(t,
			dcp.Load(t.Context(), nil, dir,
				map[string]any{"opt": sd, "sgd": empty, "lbfgs": also, "list": []any{list}}))
		assert.Same(t, first, sd.State[0]["exp_avg"], "filled in place")
		assert.Equal(t, opt.StateDict().String(), sd.String())
		assert.Equal(t, opt.StateDict().ParamGroups, sd.ParamGroups)
		assert.Equal(t, sgd.StateDict().ParamGroups[0].Params, empty.ParamGroups[0].Params)
		require.NoError(t, plain.LoadStateDict(empty))
		require.NoError(t, quasi.LoadStateDict(also))
		assert.Equal(t, model.StateDict().String(), list.String())
	})
}

// Mismatches with the checkpoint are detected on all ranks before anything changes.
func TestWhatDoesNotFit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{
			"x": torch.Ones(torch.Shape{2, 3}), "n": 1, "s": "text", "c": torch.Ones(torch.Shape{2}, torch.Complex64),
			"l": []int{1}, "b": 300,
		}, dir))
	})
	shard := func(size torch.Shape) func() any {
		return func() any {
			return dcp.Shard{Tensor: torch.Zeros(torch.Shape{1, 3}), Offsets: torch.Shape{1, 0}, Size: size}
		}
	}
	for text, c := range map[string]struct {
		key   string
		value func() any
		kind  error
	}{
		"no such value": {
			"y", func() any { return torch.Zeros(torch.Shape{1}) },
			torch.ErrNotFound,
		},
		"the checkpoint has no such value": {"m", func() any { return 1 }, torch.ErrNotFound},
		"nothing under this name":          {"z", func() any { return nil }, torch.ErrNotFound},
		"the shape is (2, 3) in the checkpoint": {
			"x", func() any { return torch.Zeros(torch.Shape{3, 2}) },
			torch.ErrMismatch,
		},
		"but (4, 3) in the state": {"x", shard(torch.Shape{4, 3}), torch.ErrMismatch},
		"exceeds the shape":       {"x", shard(torch.Shape{1, 3}), torch.ErrShape},
		"cannot be cast to the state's float32": {
			"c", func() any { return torch.Zeros(torch.Shape{2}) },
			torch.ErrMismatch,
		},
		"the checkpoint's value is not a tensor": {
			"n", func() any { return torch.Zeros(torch.Shape{}) },
			torch.ErrMismatch,
		},
		"has a tensor of float32 (2, 3)":         {"x", func() any { return 1 }, torch.ErrMismatch},
		"the checkpoint has a str":               {"s", func() any { return 1 }, torch.ErrMismatch},
		"the checkpoint has a int":               {"n", func() any { return "" }, torch.ErrMismatch},
		"300 does not fit in a int8":             {"b", func() any { return int8(1) }, torch.ErrMismatch},
		"item 0: the checkpoint has a int":       {"l", func() any { return []string{} }, torch.ErrMismatch},
		"1 values, which do not fit in a [2]int": {"l", func() any { return [2]int{} }, torch.ErrMismatch},
		"a nil *Tensor":                          {"x", func() any { return (*torch.Tensor)(nil) }, torch.ErrNil},
		"expected a strided tensor that has values": {"x", func() any {
			return torch.Empty(torch.Shape{2, 3}, torch.Meta)
		}, torch.ErrType},
		"is not the state dict of an optimizer": {"n", func() any { return &optim.StateDict{} }, torch.ErrMismatch},
	} {
		errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
			x := torch.Zeros(torch.Shape{2, 3})
			got := map[string]any{"x": x, "n": 0}
			if g.Rank() == 1 {
				got[c.key] = c.value()
			}
			before := len(got)
			err := dcp.Load(ctx, g, dir, got)
			if x.Sum().Item() != 0 || len(got) != before || g.Rank() == 0 && got["n"] != 0 {
				t.Errorf("%s: rank %d has changed", text, g.Rank())
			}
			return err
		})
		for r, err := range errs {
			require.ErrorIs(t, err, c.kind, "%s, rank %d", text, r)
			require.ErrorContains(t, err, text)
			require.ErrorContains(t, err, "rank 1: ")
			require.ErrorContains(t, err, fmt.Sprintf("%q", c.key))
		}
	}
}

// With AllowPartialLoad, values that the checkpoint lacks stay unchanged.
func TestAllowPartialLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"n": 1}, dir))
	x := torch.Full(torch.Shape{2}, 5)
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(x.Close(), model.Close(), opt.Close())) }()
	got := map[string]any{"n": 0, "m": 2, "x": x, "y": nil, "opt": opt}
	require.ErrorIs(t, dcp.Load(t.Context(), nil, dir, got), torch.ErrNotFound)
	require.ErrorIs(t, dcp.Load(t.Context(), nil, dir, got, dcp.AllowPartialLoad(true), dcp.AllowPartialLoad(false)),
		torch.ErrNotFound)
	require.ErrorIs(t, dcp.Load(t.Context(), nil, dir, got, nil), torch.ErrNil)
	assert.Equal(t, 0, got["n"])
	require.NoError(t, dcp.Load(t.Context(), nil, dir, got, dcp.AllowPartialLoad(false), dcp.AllowPartialLoad(true)))
	assert.Equal(t, map[string]any{"n": 1, "m": 2, "x": x, "y": nil, "opt": opt}, got)
	assert.Equal(t, []float32{5, 5}, x.Float32s())
}

// All ranks get an error if the ranks read different checkpoints, or if one rank finds none.
func TestRanksReadOneCheckpoint(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"n": 1}, dir))
	}
	load := func() []error {
		return onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
			return dcp.Load(ctx, g, dirs[g.Rank()], map[string]any{"n": 0})
		})
	}
	for _, err := range load() {
		require.ErrorIs(t, err, torch.ErrMismatch)
		require.ErrorContains(t, err, "rank 1 reads a different checkpoint from rank 0")
	}
	require.NoError(t, os.Remove(filepath.Join(dirs[1], ".metadata")))
	for _, err := range load() {
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "rank 1: dcp: "+filepath.Join(dirs[1], ".metadata"))
	}
	// Ranks that call different functions get an error.
	for _, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		if g.Rank() == 0 {
			return dcp.Save(ctx, g, map[string]any{"n": 0}, t.TempDir())
		}
		return dcp.Load(ctx, g, dirs[0], map[string]any{"n": 0})
	}) {
		require.ErrorIs(t, err, torch.ErrMismatch)
		require.ErrorContains(t, err, "rank 1: dcp: it called dcp.Load, but rank 0 called dcp.Save")
	}
}

// If a value in a file is damaged, all ranks get an error that says how much was loaded.
func TestDamagedValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	state := func(v float64) map[string]any {
		return map[string]any{"a": torch.Full(torch.Shape{100}, v), "b": torch.Full(torch.Shape{100}, v), "n": int(v)}
	}
	torch.Scope(func() { require.NoError(t, dcp.Save(t.Context(), nil, state(1), dir)) })
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	c := m.Get("b").Chunks[0]
	path := filepath.Join(dir, c.File)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[c.Start+c.Length/2] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	start := time.Now()
	for r, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		s := state(0)
		if g.Rank() == 1 {
			delete(s, "b")
		}
		err := dcp.Load(ctx, g, dir, s)
		assert.Equal(t, 0, s["n"])
		return err
	}) {
		var fe *torch.FileError
		require.ErrorAs(t, err, &fe, "rank %d", r)
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.Equal(t, path, fe.Path)
		assert.Equal(t, "b", fe.Tensor)
		require.ErrorContains(t, err, "rank 0: ")
		require.ErrorContains(t, err, "(1 of 2 parts of tensors have been filled)")
	}
	assert.Less(t, time.Since(start), 30*time.Second)
}
