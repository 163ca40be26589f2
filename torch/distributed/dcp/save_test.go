package dcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torchtest"
)

// names returns the files of a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// saves is dcp.Save, or a version that fails at some point.
type saves = func(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
	opts ...dcp.SaveOption) error

// Values that all ranks have are written once, and all ranks write about the same number of bytes.
func TestTheWorkIsShared(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	sizes := []int64{6000, 1000, 3000, 2000, 4000, 5000, 1000, 2000}
	allWell(t, 3, func(ctx context.Context, g *distributed.ProcessGroup) error {
		s := map[string]any{"rank": g.Rank(), fmt.Sprint("of", g.Rank()): "own"}
		for i, n := range sizes {
			s[fmt.Sprint("t", i)] = torch.Full(torch.Shape{n}, float64(i))
		}
		return dcp.Save(ctx, g, s, dir)
	})
	assert.Equal(t, []string{".metadata", "__0_0.distcp", "__1_0.distcp", "__2_0.distcp"}, names(t, dir))
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	load := map[string]int64{}
	for i := range m.Items {
		item := &m.Items[i]
		require.Len(t, item.Chunks, 1)
		load[item.Chunks[0].File] += item.Bytes()
	}
	for file, n := range load {
		assert.Equal(t, int64(4*24000/3), n, file)
	}
	assert.Equal(t, int64(4*24000), m.Bytes())
	for r := range 3 {
		assert.Equal(t, fmt.Sprintf("__%d_0.distcp", r), m.Get(fmt.Sprint("of", r)).Chunks[0].File)
	}
	got := map[string]any{"rank": -1, "of1": ""}
	require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
	assert.Equal(t, map[string]any{"rank": 0, "of1": "own"}, got, "the lowest rank's value counts")
}

// If a tensor is a view, only its own elements are written: not the rest of its storage, and not
// its autograd graph.
func TestWhatIsWritten(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		large := torch.Ones(torch.Shape{1000, 1000}).RequiresGrad_()
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"x": large.MulScalar(2).Narrow(0, 3, 2)}, dir))
	})
	info, err := os.Stat(filepath.Join(dir, "__0_0.distcp"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(8000+2000))
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	assert.True(t, m.Get("x").RequiresGrad)
}

// A new checkpoint replaces the old one completely. The old one stays complete until the new one
// is. Remains of killed saves are also removed. Other files stay.
func TestOverwrite(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	by := dcp.Save
	save := func(n int, opts ...dcp.SaveOption) []error {
		return onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
			x := torch.Full(torch.Shape{3}, float64(n))
			return by(ctx, g, map[string]any{"n": n, "x": x, fmt.Sprint(g.Rank()): 1}, dir, opts...)
		})
	}
	holds := func(n int) {
		t.Helper()
		x := torch.Zeros(torch.Shape{3})
		defer func() { _ = x.Close() }()
		got := map[string]any{"n": 0, "x": x}
		require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
		assert.Equal(t, n, got["n"])
		assert.Equal(t, []float32{float32(n), float32(n), float32(n)}, x.Float32s())
	}
	require.NoError(t, errors.Join(save(1)...))
	for _, name := range []string{
		"notes.txt", "__1_0.distcp.tmp-abc", "__7_3.distcp", ".metadata.tmp-0",
		"__x.distcp",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	for r, err := range save(2, dcp.Overwrite(false)) {
		require.ErrorIs(t, err, fs.ErrExist, "rank %d", r)
		var e *dcp.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "dcp.Save", e.Op)
		assert.Equal(t, r, e.Rank)
	}
	holds(1)
	by = dcp.SaveWith(func(path string, write func(w io.Writer) error) error {
		if filepath.Base(path) == ".metadata" {
			return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
		}
		return wholefile.WriteDurable(path, write)
	})
	before := names(t, dir)
	for _, err := range save(3) {
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	by = dcp.Save
	assert.Equal(t, before, names(t, dir), "nothing is left of what failed")
	holds(1)
	require.NoError(t, errors.Join(save(4)...))
	holds(4)
	assert.Equal(t, []string{".metadata", "__0_4.distcp", "__1_4.distcp", "__x.distcp", "notes.txt"}, names(t, dir))
	require.NoError(t, errors.Join(save(5, dcp.Overwrite(false), dcp.Overwrite(true))...))
	holds(5)
}

// An error on one rank is returned on all ranks, with the rank and the file. The remains
// of the failed save do not look like a complete checkpoint. The group stays usable.
func TestAnErrorIsEverybodys(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	closed := torch.Ones(torch.Shape{1})
	require.NoError(t, closed.Close())
	failsOn := func(name string, err error) saves {
		return dcp.SaveWith(func(path string, write func(w io.Writer) error) error {
			if filepath.Base(path) == name {
				return wholefile.WriteDurable(path, func(w io.Writer) error { _ = write(io.Discard); return err })
			}
			return wholefile.WriteDurable(path, write)
		})
	}
	ones := func(n ...int64) *torch.Tensor { return torch.Ones(n) }
	shard := func(t *torch.Tensor, offset, size int64) dcp.Shard {
		return dcp.Shard{Tensor: t, Offsets: torch.Shape{offset}, Size: torch.Shape{size}}
	}
	for name, c := range map[string]struct {
		state func(rank int) map[string]any
		by    saves
		kind  error
		rank  int // the rank that has failed
		text  string
	}{
		"a value that cannot be saved": {func(r int) map[string]any {
			if r == 1 {
				return map[string]any{"a": map[string]any{"b": func() {}}}
			}
			return nil
		}, nil, torch.ErrType, 1, `rank 1: torch: dcp.Save: argument state "a.b": value: a func()`},
		"a closed tensor": {func(r int) map[string]any {
			if r == 2 {
				return map[string]any{"a": closed}
			}
			return nil
		}, nil, torch.ErrClosed, 2, `state "a": the tensor is closed`},
		"another shape": {
			func(r int) map[string]any { return map[string]any{"x": ones(int64(3 + r/2))} }, nil,
			torch.ErrMismatch, 0, `tensor "x": rank 2 has a tensor of float32 (4,)`,
		},
		"another dtype": {func(r int) map[string]any {
			return map[string]any{"x": ones(3).To([]torch.DType{torch.Float32, torch.Float64, torch.Float32}[r])}
		}, nil, torch.ErrMismatch, 0, "float64"},
		"a tensor and a value": {func(r int) map[string]any {
			return map[string]any{"x": []any{ones(3), 3, ones(3)}[r]}
		}, nil, torch.ErrMismatch, 0, "rank 1 has a value that is not a tensor"},
		"parts that overlap": {func(r int) map[string]any {
			return map[string]any{"x": shard(ones(2), int64(r), 4)}
		}, nil, torch.ErrMismatch, 0, "overlap"},
		"a part that is not there": {func(r int) map[string]any {
			return map[string]any{"x": shard(ones(2), int64(2*r), 5)}
		}, nil, torch.ErrShape, 2, "exceeds the shape"},
		"parts that are missing": {func(r int) map[string]any {
			return map[string]any{"x": shard(ones(2), int64(2*r), 8)}
		}, nil, torch.ErrMismatch, 0, "the ranks have only 6 of the tensor's 8 elements"},
		"another part at a place": {func(r int) map[string]any {
			return map[string]any{"x": shard(ones(int64(2+r/2)), 0, 8)}
		}, nil, torch.ErrMismatch, 0, "rank 0 has a part of"},
		"a full disk": {
			func(r int) map[string]any { return map[string]any{fmt.Sprint(r): 1} },
			failsOn("__1_0.distcp", syscall.ENOSPC), syscall.ENOSPC, 1, "__1_0.distcp: no space left on device",
		},
		"a disk that ends": {
			func(r int) map[string]any { return map[string]any{fmt.Sprint(r): 1} },
			failsOn(".metadata", syscall.EIO), syscall.EIO, 0, ".metadata: input/output error",
		},
		"an option": {
			func(int) map[string]any { return nil },
			func(ctx context.Context, g *distributed.ProcessGroup, state map[string]any, dir string,
				_ ...dcp.SaveOption,
			) error {
				return dcp.Save(ctx, g, state, dir, nil)
			}, torch.ErrNil, 0, "dcp.Save",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var after [3]error
			start := time.Now()
			errs := onRanks(t, 3, func(ctx context.Context, g *distributed.ProcessGroup) error {
				by := c.by
				if by == nil {
					by = dcp.Save
				}
				err := by(ctx, g, c.state(g.Rank()), dir)
				after[g.Rank()] = g.Barrier(ctx)
				return err
			})
			assert.Less(t, time.Since(start), 30*time.Second)
			for r, err := range errs {
				require.ErrorIs(t, err, c.kind, "rank %d", r)
				require.NoError(t, after[r])
				var e *dcp.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, c.rank, e.Failures[0].Rank)
				require.ErrorContains(t, err, c.text)
			}
			assert.Empty(t, names(t, dir))
			_, err := dcp.ReadMetadata(dir)
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

// If one rank cancels a save, the other ranks get an error and do not wait.
func TestSaveIsCancelled(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	start := time.Now()
	errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stops := dcp.SaveWith(func(path string, write func(w io.Writer) error) error {
			if g.Rank() == 1 {
				cancel()
			}
			return wholefile.WriteDurable(path, write)
		})
		return stops(ctx, g, map[string]any{fmt.Sprint(g.Rank()): 1}, dir)
	})
	for r, err := range errs {
		require.ErrorIs(t, err, context.Canceled, "rank %d", r)
		require.ErrorContains(t, err, "rank 1: ", "rank %d", r)
	}
	assert.Less(t, time.Since(start), 30*time.Second)
	assert.Empty(t, names(t, dir))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := torch.Ones(torch.Shape{1})
	defer func() { _ = x.Close() }()
	require.ErrorIs(t, dcp.Save(ctx, nil, map[string]any{"x": x}, dir), context.Canceled)
	require.ErrorIs(t, dcp.Load(ctx, nil, dir, map[string]any{"x": x}), context.Canceled)
	assert.Empty(t, names(t, dir))
}

// Canceling a save does not wait for a rank that is still writing. That rank gets an
// error.
func TestSaveIsCancelledWhileOthersWrite(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	gaveUp := make(chan struct{})
	start := time.Now()
	errs := onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if g.Rank() == 1 {
			defer close(gaveUp)
		}
		slow := dcp.SaveWith(func(path string, write func(w io.Writer) error) error {
			if g.Rank() == 1 {
				cancel()
			} else {
				<-gaveUp
			}
			return wholefile.WriteDurable(path, write)
		})
		return slow(ctx, g, map[string]any{fmt.Sprint(g.Rank()): 1}, dir)
	})
	require.ErrorIs(t, errs[1], context.Canceled)
	require.Error(t, errs[0])
	assert.Less(t, time.Since(start), 30*time.Second)
	_, err := dcp.ReadMetadata(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A smaller group can save and load. Its errors contain global ranks.
func TestSubgroups(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	for r, err := range onRanks(t, 3, func(ctx context.Context, g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(ctx, []int{0, 2})
		if err != nil {
			return err
		}
		if g.Rank() == 1 {
			err := dcp.Save(ctx, sub, nil, dir)
			assert.ErrorIs(t, err, distributed.ErrClosed)
			return nil
		}
		x := torch.Full(torch.Shape{1}, float64(g.Rank()))
		s := map[string]any{"x": dcp.Shard{Tensor: x, Offsets: torch.Shape{int64(sub.Rank())}, Size: torch.Shape{2}}}
		if err := dcp.Save(ctx, sub, s, dir); err != nil {
			return err
		}
		whole := torch.Zeros(torch.Shape{2})
		if err := dcp.Load(ctx, sub, dir, map[string]any{"x": whole}); err != nil {
			return err
		}
		if g.Rank() == 2 {
			s["y"] = func() {}
		}
		err = dcp.Save(ctx, sub, s, dir)
		var e *dcp.Error
		if assert.ErrorAs(t, err, &e) {
			assert.Equal(t, g.Rank(), e.Rank)
			assert.Equal(t, 2, e.Failures[0].Rank)
		}
		assert.Equal(t, []float32{0, 2}, whole.Float32s())
		return sub.Close()
	}) {
		require.NoError(t, err, "rank %d", r)
	}
	assert.Equal(t, []string{".metadata", "__0_0.distcp", "__1_0.distcp"}, names(t, dir))
}

// Tests all dtypes that files support, and lazily conjugated or negated views.
func TestDTypes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		s := map[string]any{
			"conj": torch.Complex(torch.Arange(3).To(torch.Float32), torch.Ones(torch.Shape{3})).Conj(),
			"imag": torch.Complex(torch.Arange(3).To(torch.Float32), torch.Ones(torch.Shape{3})).Conj().Imag(),
		}
		for d := torch.Uint8; d <= torch.Float4E2M1FNX2; d++ {
			if d.Size() > 0 && !d.IsQuantized() && d.Size() <= 2 && d != torch.Bool {
				s[d.String()] = torch.FromSlice([]uint8{1, 2, 3, 4}).ViewDType(d)
			}
		}
		require.NoError(t, dcp.Save(t.Context(), nil, s, dir))
		got := map[string]any{}
		for name := range s {
			got[name] = nil
		}
		require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
		for name, want := range s {
			if x := want.(*torch.Tensor); x.IsConj() || x.IsNeg() {
				s[name] = x.ResolveConj().ResolveNeg()
			}
		}
		require.NoError(t, same(s, got, "state"))
		assert.Greater(t, len(s), 15)
	})
}

// Directories that cannot be created, and invalid names, are errors.
func TestWhatCannotBeSaved(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	var fe *torch.FileError
	err := dcp.Save(t.Context(), nil, nil, filepath.Join(file, "x"))
	require.ErrorIs(t, err, syscall.ENOTDIR)
	require.ErrorAs(t, err, &fe)
	loop := map[string]any{}
	loop["loop"] = loop
	var none *int
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1})
		for text, state := range map[string]map[string]any{
			"two values have this name":                      {"a.b": 1, "a": map[string]any{"b": 2}},
			"the name is not valid UTF-8":                    {"\xff": 1},
			"more than 200 levels deep":                      loop,
			"the name has 5000 bytes, expected at most 4096": {string(make([]byte, 5000)): 1},
			"got a key of type float64":                      {"a": map[float64]int{1: 1}},
			"a nil *int":                                     {"a": none},
			"a nil *Tensor":                                  {"a": (*torch.Tensor)(nil)},
			"has layout sparse_coo":                          {"a": x.ToSparse()},
			"on the meta device has no values":               {"a": torch.Empty(torch.Shape{2}, torch.Meta)},
			"the part has offset (0,) and size (1,)": {"a": dcp.Shard{
				Tensor: x, Offsets: torch.Shape{0},
				Size: torch.Shape{2, 2},
			}},
			"more elements than a tensor can have": {"a": dcp.Shard{
				Tensor: x.View(1, 1), Offsets: torch.Shape{0, 0},
				Size: torch.Shape{1 << 40, 1 << 40},
			}},
		} {
			dir := t.TempDir()
			err := dcp.Save(t.Context(), nil, state, dir)
			var te *torch.Error
			require.ErrorAs(t, err, &te, text)
			require.ErrorContains(t, err, text)
			assert.Equal(t, "dcp.Save", te.Op)
			assert.Empty(t, names(t, dir))
		}
	})
}

// If ranks have different directories, Save fails, because each directory would contain a
// part of the checkpoint.
func TestRanksWithDifferentFolders(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	state := func() map[string]any {
		return map[string]any{"x": torch.Ones(torch.Shape{100}), "y": torch.Ones(torch.Shape{100})}
	}
	for _, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		return dcp.Save(ctx, g, state(), filepath.Join(dir, fmt.Sprint("of", g.Rank())))
	}) {
		require.ErrorIs(t, err, torch.ErrMismatch)
		require.ErrorAs(t, err, new(*dcp.Error))
		assert.ErrorContains(t, err, "of0")
		assert.ErrorContains(t, err, "of1")
	}
	assert.Empty(t, names(t, dir))

	// Different names of the same directory are allowed.
	one := filepath.Join(dir, "one")
	require.NoError(t, os.Mkdir(one, 0o700))
	require.NoError(t, os.Symlink(one, filepath.Join(dir, "link")))
	allWell(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		under := []string{filepath.Join(one, "step"), filepath.Join(dir, "link", "step") + "/"}[g.Rank()]
		return dcp.Save(ctx, g, state(), under)
	})
	assert.Equal(t, []string{".metadata", "__0_0.distcp", "__1_0.distcp"}, names(t, filepath.Join(one, "step")))
}
