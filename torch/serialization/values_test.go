package serialization_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

func TestDict(t *testing.T) {
	d := serialization.NewDict("a", 1, 2, "two", serialization.Tuple{1, "x"}, true)
	assert.Equal(t, 3, d.Len())
	for _, key := range []any{2, int64(2), 2.0, uint8(2), float32(2), complex(2, 0), big.NewInt(2)} {
		v, ok := d.Get(key)
		assert.True(t, ok, "%T", key)
		assert.Equal(t, "two", v)
	}
	v, ok := d.Get(serialization.Tuple{1.0, "x"})
	assert.True(t, ok)
	assert.Equal(t, true, v)
	for _, key := range []any{"2", serialization.Tuple{"1", "x"}, nil, []any{1}, map[string]int{}, "b", []byte("a")} {
		_, ok := d.Get(key)
		assert.False(t, ok, "%v", key)
	}
	d.Set(2.0, "again")
	d.Set(nil, "none")
	assert.Equal(t, []any{"a", 2, serialization.Tuple{1, "x"}, nil}, d.Keys(), "the first key stays, as in Python")
	assert.Equal(t, "{'a': 1, 2: 'again', (1, 'x'): True, None: 'none'}", d.String())
	var keys []any
	for k := range d.All() {
		keys = append(keys, k)
		if len(keys) == 2 {
			break
		}
	}
	assert.Equal(t, []any{"a", 2}, keys)
	odd := []any{"a"}
	for _, bad := range []func(){
		func() { d.Set([]any{}, 1) }, func() { serialization.NewDict(odd...) }, func() {
			serialization.NewOrderedDict(d, 1)
		},
	} {
		require.ErrorIs(t, torch.Try(bad), torch.ErrValue)
	}
	require.ErrorIs(t, torch.Try(func() { d.Each(nil) }), torch.ErrNil)
	var none *serialization.Dict
	assert.Equal(t, 0, none.Len())
	assert.Empty(t, none.Keys())
}

// Two tuples are equal as keys if and only if they are equal as keys in Python.
func TestTuplesAsKeys(t *testing.T) {
	type tuple = serialization.Tuple
	deep := func(n int) any {
		v := any(1)
		for range n {
			v = tuple{v}
		}
		return v
	}
	keys := []any{
		tuple{},
		tuple{tuple{}},
		tuple{tuple{}, tuple{}},
		tuple{tuple{tuple{}}},
		tuple{nil},
		tuple{"a", "b"},
		tuple{"a,s1:b"},
		tuple{"a", tuple{"b"}},
		tuple{"1"},
		tuple{1, 2},
		tuple{tuple{1}, 2},
		tuple{tuple{1, 2}},
		tuple{[]byte("a"), []byte("b")},
		tuple{[]byte("ab")},
		tuple{[]byte("a,pickle.Bytes b")},
		tuple{new(big.Int).Lsh(big.NewInt(1), 70)},
		tuple{"1180591620717411303424"},
		tuple{1.5},
		tuple{"float64 1.5"},
		tuple{torch.Float32},
		tuple{torch.CPU},
		deep(3), deep(100),
	}
	d := serialization.NewDict()
	for i, k := range keys {
		d.Set(k, i)
	}
	assert.Equal(t, len(keys), d.Len())
	for i, k := range keys {
		v, ok := d.Get(k)
		assert.True(t, ok, "%v", k)
		assert.Equal(t, i, v, "%v", k)
	}
	for k, same := range map[string]any{
		"shape": torch.Shape{1, 2}, "numbers": tuple{1.0, complex(2, 0)},
		"bools": tuple{true, uint8(2)},
	} {
		v, _ := d.Get(same)
		assert.Equal(t, 9, v, k)
	}
	v, _ := d.Get(tuple{torch.Shape{1}, 2})
	assert.Equal(t, 10, v)
	var file bytes.Buffer
	require.NoError(t, serialization.SaveTo(&file, d))
	read, err := serialization.LoadFrom(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	assert.Equal(t, len(keys), read.(*serialization.Dict).Len(), "nor are they in a file")
	require.ErrorIs(t, torch.Try(func() { d.Set(deep(102), 1) }), torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { d.Set(tuple{tuple{[]any{}}}, 1) }), torch.ErrValue)
}

func TestRepr(t *testing.T) {
	for want, v := range map[string]any{
		"None": nil, "True": true, "-3": -3, "1.0": 1.0, "0.1": 0.1, "1e+16": 1e16, "1e-05": 1e-5, "inf": math.Inf(1),
		"nan": math.NaN(),
		"2j":  2i, "(1+2j)": 1 + 2i, `'a\n'`: "a\n", `"it's"`: "it's", `b'\x00a'`: []byte("\x00a"),
		"bytearray(b'x')": serialization.ByteArray("x"),
		"[1, [2]]":        []any{1, []any{2}}, "(1,)": serialization.Tuple{1}, "()": serialization.Tuple{},
		"set()": &serialization.Set{}, "{1}": &serialization.Set{Items: []any{1}},
		"frozenset({1})":        &serialization.Set{Items: []any{1}, Frozen: true},
		"OrderedDict({'a': 1})": serialization.NewOrderedDict("a", 1), "OrderedDict()": serialization.NewOrderedDict(),
		"torch.Size([2, 3])": torch.Shape{2, 3}, "torch.float32": torch.Float32, "device(type='cpu')": torch.CPU,
		"device(type='cuda', index=1)": torch.CUDA.At(1), "18446744073709551615": uint64(math.MaxUint64),
		"['a']": []string{"a"},
	} {
		assert.Equal(t, want, serialization.Repr(v))
	}
	// This file has a list that refers to the next list twice, and so on, 60 levels deep.
	v, err := serialization.Load(malformedPath("pickle_doubling"))
	require.NoError(t, err)
	assert.Less(t, len(serialization.Repr(v)), 1<<21)
}

func TestSaveRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{4})
		closed := torch.Ones(torch.Shape{1})
		require.NoError(t, closed.Close())
		deep := []any{}
		for range 1002 {
			deep = []any{deep}
		}
		for name, c := range map[string]struct {
			v    any
			kind error
			text string
		}{
			"channel": {
				serialization.NewDict("a", []any{1, make(chan int)}), torch.ErrType,
				"value['a'][1]: a chan int",
			},
			"nil":    {map[string]*torch.Tensor{"w": nil}, torch.ErrNil, "value['w'] is a nil *Tensor"},
			"closed": {[]any{closed}, torch.ErrClosed, "argument value[0]: tensor used after Close"},
			"deep":   {deep, torch.ErrValue, "more than 1000 levels deep"},
			"dtypes": {
				[]any{x, x.ViewDType(torch.Int32)},
				torch.ErrDType,
				"value[1]: tensors of int32 and float32 share one storage",
			},
			"frozen":   {&serialization.Set{Frozen: true}, torch.ErrType, "a frozenset"},
			"device":   {torch.Device(0), torch.ErrValue, "the zero Device"},
			"nil dict": {(*serialization.Dict)(nil), torch.ErrNil, "a nil *Dict"},
			"no UTF-8": {
				map[string]*torch.Tensor{"w\xff": x, "w\xfe": x},
				torch.ErrValue,
				`the string "w\xfe" is not valid UTF-8`,
			},
			"two names": {
				map[string]any{"m": nn.StateDict{
					{Name: "w", Tensor: x}, {Name: "b", Tensor: x}, {Name: "w", Tensor: x},
				}},
				torch.ErrValue,
				"value['m']: two tensors have the name 'w'",
			},
			"no text": {
				map[string]any{"w": "\xff"},
				torch.ErrValue,
				`value['w']: the string "\xff" is not valid UTF-8`,
			},
		} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f.pt")
				err := serialization.Save(c.v, path)
				te := (*torch.Error)(nil)
				require.ErrorAs(t, err, &te)
				require.ErrorIs(t, err, c.kind)
				assert.Contains(t, err.Error(), c.text)
				_, err = os.Stat(path)
				require.ErrorIs(t, err, os.ErrNotExist)
			})
		}
	})
	err := serialization.SaveTo(nil, 1)
	require.EqualError(t, err, "torch: serialization.SaveTo: argument w: a nil writer")
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = serialization.LoadFrom(nil, 1)
	require.EqualError(t, err, "torch: serialization.LoadFrom: argument r: a nil reader")
	require.ErrorIs(t, err, torch.ErrNil)
	err = serialization.Save(1, filepath.Join(t.TempDir(), "none", "f.pt"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorAs(t, err, new(*torch.FileError))
}

// Save leaves an existing file unchanged until the new file is complete.
func TestSaveKeepsTheFileIfSomethingFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.pt")
	require.NoError(t, serialization.Save("first", path))
	require.Error(t, serialization.Save(make(chan int), path))
	v, err := serialization.Load(path)
	require.NoError(t, err)
	assert.Equal(t, "first", v)
	broken := errors.New("no room")
	require.ErrorIs(t, serialization.SaveTo(failing{broken}, strings.Repeat("x", 1<<20)), broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A tensor of a mapped file uses the file's memory. Writing to the tensor does not change
// the file.
func TestMmap(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "f.pt")
	torch.Scope(func() {
		require.NoError(t, serialization.Save(map[string]any{"x": torch.Ones(torch.Shape{1000})}, path))
	})
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	was := mapped.Live()
	s, err := serialization.LoadStateDict(path, serialization.Mmap(true))
	require.NoError(t, err)
	assert.Equal(t, was+1, mapped.Live())
	x := s.Get("x")
	torch.Scope(func() { assert.InDelta(t, 1000, x.Sum().Item(), 0) })
	x.Fill_(7)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))
	require.NoError(t, s.Close())
	assert.Equal(t, was, mapped.Live())

	_, err = serialization.Load(golden("state_legacy.pt"), serialization.Mmap(true))
	require.ErrorIs(t, err, torch.ErrUnsupported)
	err = torch.Try(func() { _, _ = serialization.LoadFrom(bytes.NewReader(nil), 0, serialization.Mmap(true)) })
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, "torch: serialization.LoadFrom: argument Mmap: a reader cannot be mapped")
}

func TestMapLocation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	_, err := serialization.Load(malformedPath("storage_device"))
	require.ErrorIs(t, err, torch.ErrDevice)
	torch.Scope(func() {
		for _, to := range []torch.Device{torch.CPU, torch.Meta} {
			v, err := serialization.Load(malformedPath("storage_device"), serialization.MapLocation(to))
			require.NoError(t, err)
			assert.Equal(t, to, v.(*torch.Tensor).Device())
		}
	})
	_, err = serialization.Load(golden("tensor.pt"), serialization.MapLocation(torch.CUDA.At(99)))
	require.ErrorIs(t, err, torch.ErrDevice)
}

func TestLoadStateDict(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	s, err := serialization.LoadStateDict(golden("state.pt"))
	require.NoError(t, err)
	assert.Equal(t, "0.weight", s.Names()[0])
	assert.Len(t, s.Map(), s.Len())
	assert.Positive(t, s.Metadata.Len())
	assert.Nil(t, s.Other)
	assert.Nil(t, s.Get("none"))
	path := filepath.Join(t.TempDir(), "state.pt")
	require.NoError(t, serialization.Save(s, path))
	a, err := os.ReadFile(golden("state.pt"))
	require.NoError(t, err)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(a, b), "a state dict is saved as Python's")
	require.NoError(t, s.Close())

	for name, c := range map[string]struct {
		path, key, text string
		kind            error
	}{
		"a checkpoint": {golden("checkpoint.pth"), "", "no tensor among", nil},
		"no such key":  {golden("checkpoint.pth"), "net", "the entries are 'model', 'optimizer'", torch.ErrNotFound},
		"too far":      {golden("checkpoint.pth"), "epoch.x", "its parent is an int", torch.ErrNotFound},
		"a number":     {golden("number.pt"), "", "the file holds an int", torch.ErrFormat},
		"no names":     {golden("values.pt"), "keys", "is not a string", torch.ErrFormat},
		"not there":    {"testdata/none.pt", "", "no such file", os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := serialization.LoadStateDict(c.path, serialization.Key(c.key))
			if c.kind == nil { // the only tensor in the entry is rng
				require.NoError(t, err)
				assert.Equal(t, []string{"rng"}, s.Names())
				serialization.Close(s.Other)
				require.NoError(t, s.Close())
				return
			}
			require.ErrorIs(t, err, c.kind)
			assert.Contains(t, err.Error(), c.text)
			assert.Nil(t, s)
		})
	}
	s, err = serialization.LoadStateDict(golden("checkpoint.pth"), serialization.Key("optimizer.state.0"))
	require.ErrorIs(t, err, torch.ErrNotFound, "0 is a number there")
	assert.Nil(t, s)
}

// If the reader fails, LoadFrom returns its error.
func TestReadersErrors(t *testing.T) {
	broken := errors.New("the cable is cut")
	_, err := serialization.LoadFrom(brokenReader{broken}, 1000)
	require.ErrorIs(t, err, broken)
	data, err := os.ReadFile(golden("tensor.pt"))
	require.NoError(t, err)
	_, err = serialization.LoadFrom(bytes.NewReader(data), -1)
	require.Error(t, err)
	_, err = serialization.Load(t.TempDir())
	require.ErrorIs(t, err, torch.ErrFormat)
}

type brokenReader struct{ err error }

func (b brokenReader) ReadAt([]byte, int64) (int, error) { return 0, b.err }

var _ io.ReaderAt = brokenReader{}
