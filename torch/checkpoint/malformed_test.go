package checkpoint_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// refused loads a damaged file. It checks that the error has the given kind, that the
// load stays within a memory limit, and that no tensors are left.
func refused(t *testing.T, path string, state checkpoint.State, kind error) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	// Verifying the checksum needs a buffer of 1 MiB. Reading the values needs more memory,
	// which the tests of package serialization check.
	e := filetest.Bounded(t, path, info.Size(), kind, filetest.Limit{Bytes: 1<<20 + 512<<10, Times: 80}, func() error {
		r, err := checkpoint.Load(path, state)
		assert.Nil(t, r)
		return err
	})
	// The error must say where the damage is: at which byte, or in which tensor or part.
	assert.True(t, e.Offset >= 0 || e.Tensor != "" || strings.Contains(e.Detail, "part "),
		"neither a byte nor a tensor nor a part: %v", e)
}

// If any byte of a file changes, or the file is truncated anywhere, loading it is an error.
func TestEveryByteCounts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	n, x := 3, torch.Ones(torch.Shape{3})
	defer func() { _ = x.Close() }()
	state := checkpoint.State{"n": &n, "x": x}
	path := saved(t, state)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	n = 4
	every := 31
	if thorough.Asked() {
		every = 3
	}
	for i := 0; i < len(whole); i += every {
		b := bytes.Clone(whole)
		b[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		require.Error(t, checkpoint.Verify(path))
		refused(t, path, state, nil)
		require.NoError(t, os.WriteFile(path, whole[:i], 0o600))
		refused(t, path, state, nil)
	}
	for _, more := range []string{"x", "\x00\x00\x00", string(whole)} {
		require.NoError(t, os.WriteFile(path, append(bytes.Clone(whole), more...), 0o600))
		refused(t, path, state, nil)
	}
	assert.Equal(t, 4, n)
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, checkpoint.Verify(path))
	_, err = checkpoint.Load(path, state)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
}

const goodHeader = `{"checkpoint":1,"step":5}` + "\n"

// sealedFile writes a file that contains value and has valid checksums. It returns the
// path.
func sealedFile(t testing.TB, value any, header string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, serialization.SaveTo(&b, value))
	path := filepath.Join(t.TempDir(), "000001-step-5.pt")
	require.NoError(t, os.WriteFile(path, checkpoint.Seal(b.Bytes(), []byte(header)), 0o600))
	return path
}

// Load refuses malformed files whose checksums are valid.
func TestMalformed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		rng := torch.RNGState()
		n := 0
		tr := newTraining()
		defer tr.Close()
		with := func(name string, v any) *serialization.Dict {
			return serialization.NewDict("step", 5, "rng_state", rng, name, v)
		}
		good := with("n", 3)
		path := sealedFile(t, good, goodHeader)
		_, err := checkpoint.Load(path, checkpoint.State{"n": &n})
		require.NoError(t, err, "the file must be good before it is changed")

		plain := filepath.Join(t.TempDir(), "plain.pt")
		require.NoError(t, serialization.Save(good, plain))
		_, err = checkpoint.Load(plain, checkpoint.State{"n": &n})
		require.ErrorIs(t, err, torch.ErrFormat)
		require.ErrorContains(t, err, "read it with package torch/serialization")

		for header, kind := range map[string]error{
			``:                                     torch.ErrFormat,
			`{`:                                    torch.ErrFormat,
			`[]`:                                   torch.ErrFormat,
			`{"checkpoint":1,"step":"5"}`:          torch.ErrFormat,
			`{"checkpoint":1,"step":-5}`:           torch.ErrFormat,
			`{"checkpoint":1,"step":1e99}`:         torch.ErrFormat,
			`{"checkpoint":2,"step":5}`:            torch.ErrUnsupported,
			`{"step":5}`:                           torch.ErrUnsupported,
			`{"checkpoint":1,"metrics":{"a":1}}`:   torch.ErrFormat,
			`{"checkpoint":1,"metrics":{"a":"x"}}`: torch.ErrFormat,
		} {
			path := sealedFile(t, good, header)
			refused(t, path, checkpoint.State{"n": &n}, kind)
			infos, err := checkpoint.List(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, infos, 1)
			require.ErrorIs(t, infos[0].Err, kind)
		}

		group := func(kv ...any) *serialization.Dict {
			return serialization.NewDict("state", serialization.NewDict(), "param_groups",
				[]any{serialization.NewDict(kv...)})
		}
		twice := []any{1}
		for range 60 {
			twice = []any{twice, twice}
		}
		var any1 any
		for what, c := range map[string]struct {
			value any
			state checkpoint.State
		}{
			"no dict":      {[]any{1}, checkpoint.State{"n": &n}},
			"a key":        {serialization.NewDict(1, 2, "rng_state", rng), checkpoint.State{"n": &n}},
			"no generator": {serialization.NewDict("n", 3), checkpoint.State{"n": &n}},
			"a generator": {
				serialization.NewDict("n", 3, "rng_state", torch.Zeros(torch.Shape{3}, torch.Uint8)),
				checkpoint.State{"n": &n},
			},
			"a device's": {
				serialization.NewDict("n", 3, "rng_state", rng, "cuda_rng_state", 3),
				checkpoint.State{"n": &n},
			},
			"a device's state": {
				serialization.NewDict("n", 3, "rng_state", rng, "cuda_rng_state", []any{3}),
				checkpoint.State{"n": &n},
			},
			"growing": {with("n", twice), checkpoint.State{"n": &any1}},
			"a field": {
				with("n", serialization.NewDict(serialization.Tuple{}, 1)),
				checkpoint.State{"n": &tr.place},
			},
			"a loader": {
				with("l", serialization.NewDict("NumWorkers", []any{})),
				checkpoint.State{"l": tr.loader},
			},
			"a loader's field":  {with("l", serialization.NewDict("opts", 1)), checkpoint.State{"l": tr.loader}},
			"a module":          {with("m", serialization.NewDict(1, rng)), checkpoint.State{"m": tr.model}},
			"a module's tensor": {with("m", serialization.NewDict("0.weight", 1)), checkpoint.State{"m": tr.model}},
			"an optimizer":      {with("o", 1), checkpoint.State{"o": tr.opt}},
			"a scheduler":       {with("s", 1), checkpoint.State{"s": tr.sched}},
		} {
			t.Run(what, func(t *testing.T) { refused(t, sealedFile(t, c.value, goodHeader), c.state, nil) })
		}
		// If a part's LoadStateDict returns an error, Load's error names the part.
		for what, c := range map[string]struct {
			value any
			part  any
		}{
			"module":    {serialization.NewDict("0.weight", rng), tr.model},
			"optimizer": {group("params", []any{0}, "lr", "x"), tr.opt},
			"no groups": {serialization.NewDict("state", 3), tr.opt},
			"a group":   {serialization.NewDict("state", serialization.NewDict(), "param_groups", []any{1}), tr.opt},
			"numbers":   {group("params", "x"), tr.opt},
			"a key":     {group("params", []any{}, 1, 2), tr.opt},
			"scheduler": {serialization.NewDict("last_epoch", "x"), tr.sched},
			"its key":   {serialization.NewDict(1, 2), tr.sched},
			"scaler":    {serialization.NewDict("scale", "x"), tr.scaler},
			"empty key": {serialization.NewDict(serialization.Tuple{}, 2), tr.scaler},
			"loader":    {serialization.NewDict("NumWorkers", 3), tr.loader},
		} {
			path, live := sealedFile(t, with("p", c.value), goodHeader), torch.NumLiveTensors()
			_, err := checkpoint.Load(path, checkpoint.State{"p": c.part})
			assert.Equal(t, live, torch.NumLiveTensors(), what)
			var te *torch.Error
			require.ErrorAs(t, err, &te, what)
			assert.ErrorContains(t, err, `part "p": `, what)
		}

		// These are an archive without checksums, and files that are not archives.
		var b bytes.Buffer
		require.NoError(t, serialization.SaveTo(&b, good))
		for _, data := range [][]byte{
			b.Bytes(), nil, []byte("PK\x05\x06"), bytes.Repeat([]byte("PK\x05\x06"), 20000),
			checkpoint.Seal([]byte("\x00\x00"), []byte(goodHeader)),
		} {
			path := filepath.Join(t.TempDir(), "x.pt")
			require.NoError(t, os.WriteFile(path, data, 0o600))
			refused(t, path, checkpoint.State{"n": &n}, nil)
		}
		// Load does not run code that Python would run.
		evil, err := os.ReadFile("../serialization/testdata/malformed/unsafe_system.pt")
		require.NoError(t, err)
		path = filepath.Join(t.TempDir(), "x.pt")
		require.NoError(t, os.WriteFile(path, checkpoint.Seal(evil, []byte(goodHeader)), 0o600))
		refused(t, path, checkpoint.State{"n": &n}, serialization.ErrUnsafe)
	})
}

// A sealer writes the same file, whatever the size of the pieces that it receives.
func TestSealer(t *testing.T) {
	file, err := os.ReadFile(saved(t, checkpoint.State{}))
	require.NoError(t, err)
	archive := checkpoint.Unseal(file)
	want := checkpoint.Seal(archive, []byte(goodHeader))
	for size := 1; size < 5; size++ {
		var b bytes.Buffer
		w, seal := checkpoint.NewSealer(&b)
		for at := 0; at < len(archive); at += size {
			part := archive[at:min(at+size, len(archive))]
			n, err := w.Write(part)
			require.NoError(t, err)
			require.Len(t, part, n)
		}
		require.NoError(t, seal([]byte(goodHeader)))
		require.Equal(t, want, b.Bytes(), size)
	}
	for _, bad := range []string{"", "x", "xyz"} {
		w, seal := checkpoint.NewSealer(new(bytes.Buffer))
		_, err := w.Write([]byte(bad))
		require.NoError(t, err)
		require.Error(t, seal(nil))
	}
	for at := range 4 {
		w, seal := checkpoint.NewSealer(&limited{at})
		_, err := w.Write([]byte("abc\x00\x00"))
		err = errors.Join(err, seal([]byte(goodHeader)))
		require.ErrorIs(t, err, errLimit, at)
	}
}

var errLimit = errors.New("limit")

// limited is a writer. The field left is the number of calls of Write that succeed before
// all further calls fail.
type limited struct{ left int }

func (l *limited) Write(b []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, errLimit
	}
	return len(b), nil
}

// FuzzLoad loads fuzzed files whose checksums are valid.
func FuzzLoad(f *testing.F) {
	tr := newTraining()
	defer tr.Close()
	dir := f.TempDir()
	m, err := checkpoint.Open(dir)
	require.NoError(f, err)
	n := 0
	many := map[string]any{"a": []int{1}}
	state := tr.state()
	state["n"], state["many"] = &n, &many
	small := checkpoint.State{"place": &tr.place, "n": &n, "many": &many, "scheduler": tr.sched, "scaler": tr.scaler}
	for i, s := range []checkpoint.State{state, small} {
		require.NoError(f, m.Save(f.Context(), i, s))
	}
	require.NoError(f, m.Close())
	infos, err := checkpoint.List(dir)
	require.NoError(f, err)
	for _, i := range infos {
		file, err := os.ReadFile(i.Path)
		require.NoError(f, err)
		f.Add(checkpoint.Unseal(file), []byte(goodHeader))
	}
	path := filepath.Join(f.TempDir(), "f.pt")
	f.Fuzz(func(t *testing.T, archive, header []byte) {
		if len(header) > 1<<10 || len(archive) < 2 || archive[len(archive)-1] != 0 || archive[len(archive)-2] != 0 {
			return
		}
		if err := os.WriteFile(path, checkpoint.Seal(archive, header), 0o600); err != nil {
			t.Fatal(err)
		}
		model := nn.NewSequential(nn.NewLinear(6, 8), nn.NewBatchNorm1d(8), nn.NewDropout(0.5), nn.NewLinear(8, 3))
		defer func() { _ = model.Close() }()
		opt := optim.NewSGD(model.Parameters(), optim.LR(0.1), optim.Momentum(0.9))
		defer func() { _ = opt.Close() }()
		state["model"], state["optimizer"] = model, opt
		for _, s := range []checkpoint.State{state, small} {
			torch.Scope(func() {
				_, err := checkpoint.Load(path, s)
				fe, te := (*torch.FileError)(nil), (*torch.Error)(nil)
				if err != nil && !errors.As(err, &fe) && !errors.As(err, &te) {
					t.Fatal(fmt.Sprintf("%T", err), err)
				}
			})
		}
	})
}
