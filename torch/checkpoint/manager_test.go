package checkpoint_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

func compare(t *testing.T, want []float64, seen map[int]uint64) {
	t.Helper()
	for i, w := range want {
		require.Equal(t, math.Float64bits(w), seen[i+1], "the loss of step %d", i+1)
	}
}

// steps returns the steps of the checkpoints in a directory, the oldest checkpoint first.
func steps(t *testing.T, dir string) (all []int) {
	t.Helper()
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	for _, i := range infos {
		require.NoError(t, i.Err)
		all = append(all, i.Step)
	}
	return all
}

func TestRotation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	n := 0
	state := checkpoint.State{"n": &n}
	for _, c := range []struct {
		opts    []checkpoint.Option
		metrics []float64
		want    []int
	}{
		{nil, []float64{3, 1, 2}, []int{0, 1, 2}},
		{[]checkpoint.Option{checkpoint.Keep(2)}, []float64{3, 1, 2, 4}, []int{2, 3}},
		{
			[]checkpoint.Option{checkpoint.Keep(1), checkpoint.KeepBest("loss", checkpoint.ModeMin)},
			[]float64{3, 1, 2, 1, math.NaN()},
			[]int{1, 4},
		},
		{
			[]checkpoint.Option{checkpoint.Keep(1), checkpoint.KeepBest("loss", checkpoint.ModeMax)},
			[]float64{3, 1, math.Inf(1), 2},
			[]int{2, 3},
		},
		{
			[]checkpoint.Option{checkpoint.Keep(1), checkpoint.KeepBest("other", checkpoint.ModeMax)},
			[]float64{3, 1},
			[]int{1},
		},
		{
			[]checkpoint.Option{checkpoint.Keep(2), checkpoint.KeepBest("loss", checkpoint.ModeMin)},
			[]float64{3, 2, 1},
			[]int{1, 2},
		},
	} {
		dir := t.TempDir()
		for i, v := range c.metrics {
			m := open(t, dir, c.opts...) // a new Manager reads the metrics from the files
			n = i
			require.NoError(t, m.Save(t.Context(), i, state, checkpoint.Metrics{"loss": v}))
			require.NoError(t, m.Close())
		}
		assert.Equal(t, c.want, steps(t, dir))
	}
}

func TestBest(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, checkpoint.Keep(1), checkpoint.KeepBest("loss", checkpoint.ModeMin))
	defer func() { _ = m.Close() }()
	_, err := m.Best()
	require.ErrorIs(t, err, os.ErrNotExist)
	n := 0
	state := checkpoint.State{"n": &n}
	for i, v := range []float64{3, 1, 2} {
		n = i
		require.NoError(t, m.Save(t.Context(), 10*i, state, checkpoint.Metrics{"loss": v, "other": -v}))
	}
	best, err := m.Best()
	require.NoError(t, err)
	assert.Equal(t, 10, best.Step)
	assert.Equal(t, map[string]float64{"loss": 1, "other": -1}, best.Metrics)
	r, err := checkpoint.Load(best.Path, state)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, best.Number, r.Number)
	assert.Equal(t, best.Size, r.Size)
	assert.Equal(t, best.Time, r.Time)

	other := open(t, t.TempDir())
	defer func() { _ = other.Close() }()
	_, err = other.Best()
	require.ErrorIs(t, err, torch.ErrValue)
}

// The file that was written last is the newest, whatever its step. A training run that
// resumed from its best checkpoint may save lower steps than before.
func TestStepsMayGoBack(t *testing.T) {
	dir := t.TempDir()
	n := 0
	state := checkpoint.State{"n": &n}
	m := open(t, dir, checkpoint.Keep(2))
	for _, step := range []int{8, 9, 3, 3} {
		n = step
		require.NoError(t, m.Save(t.Context(), step, state))
	}
	n = 0
	r, err := m.Resume(state)
	require.NoError(t, err)
	assert.Equal(t, 3, r.Step)
	assert.Equal(t, []int{3, 3}, steps(t, dir))
	require.NoError(t, m.Close())
}

func TestOneManagerAFolder(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir)
	_, err := checkpoint.Open(dir)
	require.ErrorIs(t, err, checkpoint.ErrLocked)
	var fe *torch.FileError
	require.ErrorAs(t, err, &fe)
	assert.Equal(t, filepath.Join(dir, "LOCK"), fe.Path)
	assert.ErrorContains(t, err, "process ")

	cmd := again.Command() // another process
	cmd.Env = append(os.Environ(), roleVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), checkpoint.ErrLocked.Error())

	n := 3
	require.NoError(t, m.Save(t.Context(), 1, checkpoint.State{"n": &n}))
	n = 0
	_, err = checkpoint.Resume(dir, checkpoint.State{"n": &n})
	require.NoError(t, err, "reading needs no lock")
	assert.Equal(t, 3, n)
	require.NoError(t, m.Close())
	require.NoError(t, open(t, dir).Close())
}

// The file of a lock may come from someone else. An error shows none of its text.
func TestLockWithAText(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LOCK"), []byte("1\x1b[31m"), 0o600))
	_, err := checkpoint.Open(dir)
	require.ErrorIs(t, err, checkpoint.ErrLocked)
	assert.NotContains(t, err.Error(), "process")
	require.NoError(t, m.Close())
}

// Open removes temporary files of a killed process, and no other files.
func TestTemporaryFilesGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"000004-step-7.pt.tmp-123x", "mine.pt.tmp-1", "000004-step-7.pt", "mine.pt",
		"000004-step-7.pt.old", "4-step-7.pt.1",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "000009-step-7.pt"), 0o700))
	m := open(t, dir)
	n := 0
	require.NoError(t, m.Save(t.Context(), 8, checkpoint.State{"n": &n}))
	require.NoError(t, m.Close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t,
		[]string{
			"000004-step-7.pt", "000004-step-7.pt.old", "000009-step-7.pt", "000010-step-8.pt", "4-step-7.pt.1",
			"LOCK", "mine.pt", "mine.pt.tmp-1",
		}, names)
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	require.Len(t, infos, 2, "a folder is no checkpoint")
	require.ErrorIs(t, infos[0].Err, torch.ErrTruncated)
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	m := open(t, dir)
	n := 0
	state := checkpoint.State{"n": &n}
	save := func(s checkpoint.State) error { return m.Save(t.Context(), 1, s) }
	self := map[string]any{}
	self["self"] = self
	var none *nn.Linear
	closed := torch.Zeros(torch.Shape{2})
	_ = closed.Close()
	many := checkpoint.Metrics{}
	for range 20 {
		many[strings.Repeat("m", 3000)+string(rune('a'+len(many)))] = 1
	}
	for name, c := range map[string]struct {
		err  error
		kind error
	}{
		"nil":           {save(checkpoint.State{"x": nil}), torch.ErrNil},
		"nil module":    {save(checkpoint.State{"x": none}), torch.ErrNil},
		"a number":      {save(checkpoint.State{"x": 3}), torch.ErrType},
		"taken":         {save(checkpoint.State{"step": &n}), torch.ErrValue},
		"no name":       {save(checkpoint.State{"": &n}), torch.ErrValue},
		"no UTF-8":      {save(checkpoint.State{"\xff": &n}), torch.ErrValue},
		"a function":    {save(checkpoint.State{"x": new(func())}), torch.ErrNil},
		"a cycle":       {save(checkpoint.State{"x": &self}), torch.ErrValue},
		"closed":        {save(checkpoint.State{"x": closed}), torch.ErrClosed},
		"step":          {m.Save(t.Context(), -1, state), torch.ErrValue},
		"ctx":           {m.Save(nil, 1, state), torch.ErrNil}, //nolint:staticcheck // the mistake
		"wait":          {m.Wait(nil), torch.ErrNil},           //nolint:staticcheck // the mistake
		"metrics":       {m.Save(t.Context(), 1, state, many), torch.ErrValue},
		"unexported":    {save(checkpoint.State{"x": &struct{ a int }{1}}), torch.ErrType},
		"bytes in text": {save(checkpoint.State{"x": new(string)}), nil},
	} {
		if c.kind == nil {
			require.NoError(t, c.err, name)
			continue
		}
		if name == "a function" {
			require.Error(t, save(checkpoint.State{"x": ptr(func() {})}))
			continue
		}
		require.ErrorIs(t, c.err, c.kind, name)
		var te *torch.Error
		require.ErrorAs(t, c.err, &te, name)
		assert.Contains(t, te.Op, "checkpoint.Manager.", name)
	}
	require.NoError(t, m.Close())

	var nobody *checkpoint.Manager
	require.ErrorIs(t, nobody.Save(t.Context(), 1, state), torch.ErrNil)
	require.ErrorIs(t, new(checkpoint.Manager).Wait(t.Context()), torch.ErrNil)
	_, err := nobody.Resume(state)
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = nobody.Best()
	require.ErrorIs(t, err, torch.ErrNil)
	require.NoError(t, nobody.Close())

	_, err = checkpoint.Resume(filepath.Join(dir, "none"), state)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = checkpoint.Resume(t.TempDir(), state)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = checkpoint.Resume(dir, checkpoint.State{"x": nil})
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = checkpoint.Load(dir, state)
	require.Error(t, err)
	_, err = checkpoint.Load(filepath.Join(dir, "none"), state)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, checkpoint.Verify(filepath.Join(dir, "none")), os.ErrNotExist)
	_, err = checkpoint.List(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, bad := range []checkpoint.Option{
		checkpoint.Keep(-1), checkpoint.KeepBest("", checkpoint.ModeMin),
		checkpoint.KeepBest("x", "least"), nil,
	} {
		assert.Error(t, torch.Try(func() { _, _ = checkpoint.Open(dir, bad) }))
	}
	assert.False(t, errors.Is(err, torch.ErrValue))
}

func ptr(v any) *any { return &v }
