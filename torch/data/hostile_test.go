package data_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// refused checks that fn panics with a *torch.Error of a kind.
func refused(t *testing.T, kind error, text string, fn func()) {
	t.Helper()
	err := torch.Try(fn)
	require.ErrorIs(t, err, kind)
	assert.ErrorContains(t, err, text)
}

// failingSampler is a BatchSampler that calls do after some batches.
type failingSampler struct {
	after int
	do    func()
}

func (failingSampler) Len() int { return 10 }

func (f failingSampler) Begin() func() ([]int64, bool) {
	n := 0
	return func() ([]int64, bool) {
		if n++; n > f.after {
			f.do()
		}
		return []int64{0}, true
	}
}

func ones(n int) got {
	return got{n, func(int) (data.Example, error) { return data.Example{Input: torch.Ones(torch.Shape{2})}, nil }}
}

// If a sampler fails, the loop ends with an error and all workers end. This also holds if
// the sampler fails when the loop begins.
func TestFailuresOfSamplers(t *testing.T) {
	for after := range 7 {
		for workers := range 3 {
			t.Run(fmt.Sprint(after, workers), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				defer noGoroutines(t)()
				l := data.NewLoader(ones(1), data.NumWorkers(workers),
					data.WithBatchSampler(failingSampler{after, func() {
						panic("out of indices")
					}}))
				for form, loop := range forms {
					err := loop(l, all)
					var typed *torch.Error
					require.ErrorAs(t, err, &typed, form)
					assert.ErrorContains(t, err, "out of indices", form)
				}
			})
		}
	}
}

// All workers end if the sampler calls runtime.Goexit, and the loop immediately counts as
// ended.
func TestSamplerThatEndsTheGoroutine(t *testing.T) {
	memory.Collect() // loops of other tests that only the garbage collector ends
	before := openLoops()
	for after := range 2 {
		defer torchtest.CheckLeaks(t)()
		defer noGoroutines(t)()
		l := data.NewLoader(ones(1), data.NumWorkers(2), data.WithBatchSampler(failingSampler{after, runtime.Goexit}))
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Each(all)
		}()
		<-done
		assert.LessOrEqual(t, openLoops(), before)
	}
}

// openLoops returns the number of loader loops that have not ended.
func openLoops() (n int64) {
	for _, g := range memory.Objects() {
		if g.Kind == memory.LoaderLoops {
			n += g.Count
		}
	}
	return n
}

// A state may claim that the loop has received more batches than an epoch has. The next
// loop then yields nothing, and its workers end.
func TestStateOfManyBatches(t *testing.T) {
	for workers := range 3 {
		for kind, l := range ones(4).loaders(data.NumWorkers(workers)) {
			s := l.StateDict()
			s.Yielded = math.MaxInt
			require.NoError(t, l.LoadStateDict(s))
			n := 0
			l.Each(func(data.Batch) bool { n++; return true })
			assert.Zero(t, n, kind)
			l.Each(func(data.Batch) bool { n++; return true })
			assert.Equal(t, 4*max(1, min(n/4, workers)), n, "the next epoch is whole")
		}
	}
}

// NewLoader refuses to prefetch so many batches that memory for them could not be allocated.
func TestTooManyAhead(t *testing.T) {
	for _, opts := range [][]data.LoaderOption{
		{data.NumWorkers(1), data.PrefetchFactor(1 << 40)},
		{data.NumWorkers(2), data.PrefetchFactor(math.MaxInt)},
		{data.NumWorkers(math.MaxInt)},
		{data.NumWorkers(1 << 40), data.PrefetchFactor(1)},
	} {
		refused(t, torch.ErrValue, "batches ahead", func() { data.NewLoader(ones(4), opts...) })
	}
	n := 0
	data.NewLoader(ones(4), data.NumWorkers(100), data.PrefetchFactor(655)).Each(func(data.Batch) bool {
		n++
		return true
	})
	assert.Equal(t, 4, n)
}

func TestIterOfNoLoader(t *testing.T) {
	for _, it := range []*data.Iter{nil, {}} {
		for name, call := range map[string]func(){
			"Next": func() { it.Next() }, "Batch": func() { it.Batch() }, "Err": func() { _ = it.Err() },
		} {
			refused(t, torch.ErrNil, "data.Iter."+name, call)
		}
		require.NoError(t, it.Close())
	}
}

// Values that contain themselves are refused. Searching them would overflow the stack.
func TestValuesWithinThemselves(t *testing.T) {
	type node struct {
		Next *node
		T    *torch.Tensor
	}
	ring := &node{}
	ring.Next = ring
	loop := map[string]any{}
	loop["self"] = loop
	within := &data.Example{}
	within.Value = within
	for _, v := range []any{ring, loop, within} {
		refused(t, torch.ErrValue, "deep", func() { data.Collate([]any{v, v}) })
		g := got{2, func(int) (data.Example, error) { return data.Example{Value: v}, nil }}
		for kind, l := range g.loaders(data.BatchSizeNone) {
			err := forms["Iter"](l, all)
			require.ErrorIs(t, err, torch.ErrValue, kind)
			assert.ErrorContains(t, err, "deep", kind)
		}
	}
}

// If a decompressor or package tar finds an error, the error has the kind for damaged
// files. If the source cannot be read, the error has no kind.
func TestDamageOfShardsHasAKind(t *testing.T) {
	read := func(opts ...data.WebDatasetOption) error {
		d, err := data.NewWebDataset([]string{"a.tar.x"}, opts...)
		require.NoError(t, err)
		return d.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { return true })
	}
	from := func(r io.Reader) data.OpenShard {
		return func(string) (io.ReadCloser, error) { return io.NopCloser(r), nil }
	}
	broken := errors.New("broken")
	unpack := data.Decompressors{".x": func(r io.Reader) (io.ReadCloser, error) {
		_, err := io.ReadAll(r)
		return nil, errors.Join(broken, err)
	}}
	later := data.Decompressors{".x": func(r io.Reader) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(r, iotest.ErrReader(broken))), nil
	}}
	sparse, err := os.ReadFile("testdata/sparse.tar")
	require.NoError(t, err)
	disk := iotest.ErrReader(errors.New("the disk"))
	for name, c := range map[string]struct {
		opts []data.WebDatasetOption
		kind error
	}{
		"a decompressor":       {[]data.WebDatasetOption{from(strings.NewReader("x")), unpack}, torch.ErrFormat},
		"a decompressor later": {[]data.WebDatasetOption{from(strings.NewReader("x")), later}, torch.ErrFormat},
		"a sparse member":      {[]data.WebDatasetOption{from(bytes.NewReader(sparse))}, torch.ErrFormat},
		"the disk":             {[]data.WebDatasetOption{from(disk)}, nil},
		"the disk, unpacked":   {[]data.WebDatasetOption{from(disk), unpack}, nil},
	} {
		var fe *data.FileError
		require.ErrorAs(t, read(c.opts...), &fe, name)
		assert.Equal(t, c.kind, fe.Kind, "%s: %v", name, fe)
	}
}

func TestDecompressorsThatReturnNothing(t *testing.T) {
	shard := filepath.Join(t.TempDir(), "a.tar.x")
	require.NoError(t, os.WriteFile(shard, nil, 0o600))
	d, err := data.NewWebDataset([]string{shard}, data.Decompressors{".x": func(io.Reader) (io.ReadCloser, error) {
		return nil, nil
	}})
	require.NoError(t, err)
	err = d.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true })
	var fe *data.FileError
	require.ErrorAs(t, err, &fe)
	assert.ErrorContains(t, err, `Decompressors[".x"] returned nothing`)
}

// A stream reads its file again for each pass. If the file's columns have changed since,
// Iterate returns an error, because it could mistake one column for another.
func TestCSVDatasetWhoseFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	write := func(s string) { require.NoError(t, os.WriteFile(path, []byte(s), 0o600)) }
	write("a,b,c\n1,2,3\n")
	d, err := data.NewCSVDataset(path, data.Targets{"c"})
	require.NoError(t, err)
	for _, now := range []string{"a,c\n1,2\n", "b,a,c\n1,2,3\n", "a,b,c,d\n1,2,3,4\n"} {
		write(now)
		err := d.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true })
		require.ErrorIs(t, err, torch.ErrMismatch, now)
	}
	write("a,b,c\n4,5,6\n7,8,9\n")
	n := 0
	require.NoError(t, d.Iterate(data.WorkerInfo{}, func(data.Example) bool { n++; return true }))
	assert.Equal(t, 2, n)
}

// The reader accepts the same texts as numbers as pandas does.
func TestCSVNumbers(t *testing.T) {
	read := func(text string, dtype torch.DType) (*data.Table, error) {
		return data.DecodeCSV(bytes.NewReader([]byte("a\n"+text+"\n")), "a.csv", data.DType(dtype))
	}
	table, err := read("18446744073709551615", torch.Uint64)
	require.NoError(t, err)
	assert.Equal(t, "tensor([18446744073709551615], dtype=torch.uint64)", table.Column("a").String())
	require.NoError(t, table.Close())
	for text, dtype := range map[string]torch.DType{
		"-1": torch.Uint64, "1_0": torch.Float32, "0x1p4": torch.Float64,
		"2024_05": torch.Float16,
	} {
		_, err := read(text, dtype)
		require.ErrorIs(t, err, torch.ErrFormat, text)
	}
}
