package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// damage changes the byte at the given index of a file.
func damage(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	b[at] ^= 0x40
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// Resume skips and reports a damaged file, which does not count for Keep. The file is
// removed when there are enough newer good files. Until then, the good file before it
// stays.
func TestDamagedOnesAreSkipped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	n := 0
	state := checkpoint.State{"n": &n}
	m := open(t, dir, checkpoint.Keep(3))
	save := func(step int) {
		n = step
		require.NoError(t, m.Save(t.Context(), step, state))
	}
	save(1)
	save(2)
	save(3)
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	damage(t, infos[2].Path, 100)
	require.NoError(t, os.Truncate(infos[1].Path, infos[1].Size/2))
	n = 0
	r, err := m.Resume(state)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, 1, r.Step)
	assert.Equal(t, infos[0].Number, r.Number)
	require.Len(t, r.Skipped, 2)
	for i, want := range []struct {
		path string
		kind error
		text string
	}{
		{infos[2].Path, torch.ErrFormat, "the checksum is"},
		{infos[1].Path, torch.ErrTruncated, "do not contain the end of a checkpoint"},
	} {
		var fe *torch.FileError
		require.ErrorAs(t, r.Skipped[i], &fe)
		assert.Equal(t, want.path, fe.Path)
		require.ErrorIs(t, fe, want.kind)
		assert.ErrorContains(t, fe, want.text)
	}
	exists := func(i int) bool {
		_, err := os.Stat(infos[i].Path)
		return err == nil
	}
	save(4)
	save(5)
	assert.True(t, exists(0) && exists(1) && exists(2), "3 good ones: 1, 4, 5")
	save(6)
	assert.False(t, exists(0) || exists(1) || exists(2))
	assert.Equal(t, []int{4, 5, 6}, steps(t, dir))
	for _, i := range []int{4, 5, 6} {
		damage(t, filepath.Join(dir, nameAt(t, dir, i)), 50)
	}
	_, err = m.Resume(state)
	require.ErrorIs(t, err, torch.ErrFormat)
	require.NotErrorIs(t, err, os.ErrNotExist, "the program would start a new training")
	assert.ErrorContains(t, err, "none of the 3 checkpoints can be loaded")
	require.NoError(t, m.Close())
}

func nameAt(t *testing.T, dir string, step int) string {
	t.Helper()
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	for _, i := range infos {
		if i.Step == step {
			return filepath.Base(i.Path)
		}
	}
	t.Fatalf("no step %d", step)
	return ""
}

// refusing is a part whose load returns err.
type refusing struct{ err error }

func (r *refusing) StateDict() map[string]any { return map[string]any{} }

func (r *refusing) LoadStateDict(map[string]any) error { return r.err }

// Whatever error a part returns, Load does not treat the checkpoint as damaged or
// missing, and Resume does not load an older checkpoint.
func TestErrorsOfParts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	n := 0
	part := new(refusing)
	state := checkpoint.State{"n": &n, "part": part}
	m := open(t, dir, checkpoint.Keep(1))
	require.NoError(t, m.Save(t.Context(), 1, state))
	_, missing := os.ReadFile(filepath.Join(dir, "side"))
	require.ErrorIs(t, missing, os.ErrNotExist)
	_, other := checkpoint.Load(filepath.Join(dir, "other.pt"), state)
	damaged := &torch.FileError{Format: "pt", Path: "side.pt", Offset: -1, Kind: torch.ErrTruncated}
	for _, says := range []error{
		missing, other, damaged, errors.Join(damaged, missing), syscall.EIO,
		torch.NewError("x", torch.ErrValue, "y", "z"),
	} {
		part.err = says
		for name, load := range map[string]func() error{
			"Resume":         func() error { _, err := checkpoint.Resume(dir, state); return err },
			"Manager.Resume": func() error { _, err := m.Resume(state); return err },
			"Load": func() error {
				_, err := checkpoint.Load(filepath.Join(dir, "000001-step-1.pt"), state)
				return err
			},
		} {
			err := load()
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, `part "part": `+says.Error())
			require.NotErrorIs(t, err, os.ErrNotExist, "%s: the program would start a new training", name)
			assert.NotContains(t, err.Error(), "none of")
		}
	}
	err := func() error { _, err := m.Resume(state); return err }()
	require.ErrorIs(t, err, torch.ErrValue)
	te := (*torch.Error)(nil)
	require.ErrorAs(t, err, &te)
	part.err = damaged
	_, err = m.Resume(state)
	require.ErrorIs(t, err, torch.ErrTruncated)
	require.NoError(t, m.Save(t.Context(), 2, state))
	assert.Equal(t, []int{2}, steps(t, dir), "Save removes the first checkpoint, because it is not marked as damaged")
	require.NoError(t, m.Close())
}

// If Resume finds all checkpoints damaged, none of them counts for Keep.
func TestAllDamaged(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	n := 0
	state := checkpoint.State{"n": &n}
	m := open(t, dir, checkpoint.Keep(2))
	for step := range 2 {
		require.NoError(t, m.Save(t.Context(), step, state))
		damage(t, filepath.Join(dir, nameAt(t, dir, step)), 50)
	}
	_, err := m.Resume(state)
	require.ErrorIs(t, err, torch.ErrFormat)
	for step := 2; step < 4; step++ {
		require.NoError(t, m.Save(t.Context(), step, state))
		want := [][]int{{0, 1, 2}, {2, 3}}[step-2]
		assert.Equal(t, want, steps(t, dir), "damaged checkpoints stay until there are two good ones")
	}
	require.NoError(t, m.Close())
}
