package data_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// sampled is a sample that webdataset read; see testdata/make_shards.py.
type sampled struct {
	Key, Shard string
	Fields     [][2]any // the extension and the length in bytes of each field
}

func loadShards(t testing.TB, name string, v any) {
	b, err := os.ReadFile("testdata/shards.json")
	require.NoError(t, err)
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(b, &all))
	require.Contains(t, all, name)
	require.NoError(t, json.Unmarshal(all[name], v))
}

var testShards = []string{"testdata/shards/a-00.tar", "testdata/shards/a-01.tar.gz", "testdata/shards/a-02.tar"}

func newWeb(t testing.TB, shards []string, opts ...data.WebDatasetOption) *data.WebDataset {
	set, err := data.NewWebDataset(shards, opts...)
	require.NoError(t, err)
	return set
}

// Samples have the same keys, order and grouping as in webdataset.
func TestWebDatasetSamples(t *testing.T) {
	for name, c := range map[string]struct {
		w    data.WorkerInfo
		opts []data.WebDatasetOption
	}{
		"all":           {},
		"worker 0 of 2": {w: data.WorkerInfo{ID: 0, NumWorkers: 2}},
		"worker 1 of 2": {w: data.WorkerInfo{ID: 1, NumWorkers: 2}},
		"node 1 of 2":   {opts: []data.WebDatasetOption{data.SplitByNode(1, 2)}},
		"node 0 of 2, worker 1 of 2": {
			w:    data.WorkerInfo{ID: 1, NumWorkers: 2},
			opts: []data.WebDatasetOption{data.SplitByNode(0, 2)},
		},
	} {
		var want, got []sampled
		loadShards(t, name, &want)
		set := newWeb(t, testShards, c.opts...)
		require.NoError(t, set.Samples(c.w, func(s *data.WebSample) bool {
			g := sampled{Key: s.Key, Shard: filepath.Base(s.Shard)}
			for _, f := range s.Fields {
				g.Fields = append(g.Fields, [2]any{f.Ext, float64(len(f.Data))})
			}
			got = append(got, g)
			return true
		}))
		assert.Equal(t, want, got, name)
	}
}

func TestExpandBraces(t *testing.T) {
	var want map[string][]string
	loadShards(t, "braces", &want)
	for pattern, names := range want {
		got, err := data.ExpandBraces(pattern)
		require.NoError(t, err)
		assert.Equal(t, names, got, pattern)
	}
	wrong := map[string]string{
		strings.Repeat("{", 20000) + strings.Repeat("}", 20000): "more than 100 nested braces",
		strings.Repeat("x", 10000) + "{0..1000000}":             "more than 1073741824 bytes of names",
		"a-{00..02.tar": `unbalanced braces in "a-{00..02.tar"`, "{1{2,3}": "unbalanced", "a}": "unbalanced",
		"}{":               "unbalanced",
		"{0..99999999999}": "more than 4194304 names", "{0..9999}{0..9999}": "more than",
		"{0..99999999999999999999}": "value out of range", "{-9223372036854775808..9223372036854775807}": "more than",
	}
	if thorough.Asked() { // slow, because it makes eight million names before it reaches the limit
		wrong["{{0..3999999},{0..3999999}}"] = "more than"
	}
	for pattern, text := range wrong {
		_, err := data.ExpandBraces(pattern)
		require.ErrorIs(t, err, torch.ErrValue, pattern)
		assert.ErrorContains(t, err, text, pattern)
	}
}

func TestWebDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := newWeb(t, []string{"testdata/shards/a-{01,00}.tar.gz"}, data.Fields{"jpg;png", "cls"},
		data.WithTransform(half{}),
		data.OpenShard(func(name string) (io.ReadCloser, error) {
			return os.Open(strings.ReplaceAll(name, "a-00", "a-01")) // both names open the same shard
		}))
	assert.Equal(t, "WebDataset(2 shards: jpg;png, cls)", set.String())
	assert.Equal(t, "WebDataset(nil)", (*data.WebDataset)(nil).String())
	assert.Equal(t, []string{"testdata/shards/a-01.tar.gz", "testdata/shards/a-00.tar.gz"}, set.Shards())
	var classes []int64
	torch.Scope(func() {
		require.NoError(t, set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
			assert.Equal(t, torch.Shape{3, 7, 11}, e.Input.Shape())
			assert.Equal(t, torch.Float32, e.Input.DType())
			classes = append(classes, e.Target.Int64s()...)
			return true
		}))
	})
	assert.Equal(t, []int64{5, 6, 7, 5, 6, 7}, classes)
}

func TestWebDatasetFields(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	first := func(opts ...data.WebDatasetOption) (text string) {
		torch.Scope(func() {
			require.NoError(t, newWeb(t, testShards[:1], opts...).Iterate(data.WorkerInfo{}, func(e data.Example) bool {
				text = e.String()
				return false
			}))
		})
		return text
	}
	assert.Equal(t, "Input uint8 (1, 7, 11) cpu", first(data.Fields{"seg.png"}, data.ImageReadModeGray))
	assert.Equal(t, "Input nil, Value *data.WebSample", first())
	assert.Equal(t, "Input uint8 (2,) cpu, Target uint8 (3, 7, 11) cpu, Extra[0] uint8 (3, 7, 11) cpu",
		first(data.Fields{"cls", "png", "seg.png"}, data.FieldDecoders{"cls": func(b []byte) (*torch.Tensor, error) {
			return torch.FromSlice(b), nil
		}}))
	assert.Equal(t, "Input nil, Value string", first(data.MapSample(func(s *data.WebSample) (data.Example, error) {
		return data.Example{Value: s.String()}, nil
	})))
	s := &data.WebSample{Key: "k", Fields: []data.WebField{{Ext: "txt", Data: []byte("abc")}}}
	assert.Equal(t, "k: txt 3", s.String())
	b, ok := s.Field("txt")
	assert.True(t, ok)
	assert.Equal(t, "abc", string(b))
	_, ok = s.Field("png")
	assert.False(t, ok)
}

// tarred returns a shard. members alternates the names and the contents of the files.
func tarred(members ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		_ = w.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o600})
		_, _ = w.Write([]byte(members[i+1]))
	}
	_ = w.Close()
	return b.Bytes()
}

// inMemory returns an OpenShard that reads shards from a map instead of files.
func inMemory(shards map[string][]byte) data.OpenShard {
	return func(name string) (io.ReadCloser, error) {
		b, ok := shards[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}
}

// A damaged shard causes an error. With a Handler, a pass continues with the next sample
// or with the next shard.
func TestDamagedShards(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good := tarred("1.cls", "1", "2.cls", "2")
	long := tarred("1.cls", "1", "2.bin", strings.Repeat("x", 5000), "2.cls", "2")
	broken := bytes.Clone(good)
	copy(broken[1024:], "2.cls\x00 and this is no header any more")
	zip := zipped(good)
	damaged := bytes.Clone(zip)
	damaged[len(damaged)-6] ^= 1 // the checksum
	shards := map[string][]byte{
		"good": good, "cut": long[:3000], "broken": broken, "zip": zip[:len(zip)-9], "checksum": damaged,
		"twice": tarred("1.cls", "1", "1.CLS", "2", "3.cls", "3"), "word": tarred("1.cls", "one", "2.cls", "2"),
		"lacks": tarred("1.txt", "", "2.cls", "2"), "large": tarred("1.cls", "123456", "2.cls", "2"), "a.zst": good,
		"empty": {},
	}
	for name, c := range map[string]struct {
		kind  error
		text  string
		after []int64 // samples before "good" if the handler continues
	}{
		"nowhere":  {fs.ErrNotExist, "nowhere: cannot be opened", nil},
		"cut":      {torch.ErrTruncated, `cut: ends in member "2.bin"`, []int64{1}},
		"broken":   {torch.ErrFormat, "broken: damaged after 1 members: archive/tar: invalid tar header", nil},
		"zip":      {torch.ErrTruncated, "zip: ends after", []int64{1}},
		"checksum": {torch.ErrFormat, "checksum: damaged after 2 members: gzip: invalid checksum", []int64{1}},
		"twice":    {torch.ErrFormat, `twice: member "1.CLS": sample "1" already has a field "cls"`, []int64{1, 3}},
		"word":     {torch.ErrFormat, `word: sample "1": field "cls": "one" is not an int64`, []int64{2}},
		"lacks":    {torch.ErrFormat, `lacks: sample "1": there is no field "cls"; the fields are txt`, []int64{2}},
		"large": {
			torch.ErrFormat, `large: member "1.cls" has more than the 5 bytes that MaxFieldBytes allows`,
			[]int64{2},
		},
		"a.zst": {iotest.ErrTimeout, "a.zst: cannot be decompressed", nil},
	} {
		var got []int64
		read := func(opts ...data.WebDatasetOption) error {
			got = nil
			limit := data.MaxFieldBytes(5000)
			if name == "large" {
				limit = 5
			}
			set := newWeb(t, []string{name, "good"},
				append(opts, inMemory(shards), data.Fields{"cls"}, limit, data.Decompressors{
					"t": nil, ".zst": func(io.Reader) (io.ReadCloser, error) { return nil, iotest.ErrTimeout },
				})...)
			var err error
			torch.Scope(func() {
				err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
					got = append(got, e.Input.Int64s()...)
					return true
				})
			})
			return err
		}
		err := read()
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		assert.Equal(t, name, fe.Path)
		require.ErrorIs(t, err, c.kind, name)
		require.ErrorContains(t, err, c.text, name)
		assert.NotContains(t, got, int64(99))

		var seen []error
		require.NoError(t, read(data.Handler(func(err error) bool { seen = append(seen, err); return true })), name)
		require.Len(t, seen, 1, name)
		require.ErrorContains(t, seen[0], c.text, name)
		assert.Equal(t, append(c.after[:len(c.after):len(c.after)], 1, 2), got, name)

		require.NoError(t, read(data.Handler(func(error) bool { return false })), name)
		assert.LessOrEqual(t, len(got), 1, name)
	}
	// If a worker finds no samples, the loop ends with an error, except with
	// EmptyCheck(false).
	set := newWeb(t, []string{"empty", "good"}, inMemory(shards))
	err := set.Samples(data.WorkerInfo{ID: 0, NumWorkers: 2}, func(*data.WebSample) bool { return true })
	require.ErrorIs(t, err, torch.ErrMismatch)
	require.ErrorContains(t, err, "the share of WorkerInfo(id=0, num_workers=2, seed=0) of the 2 "+
		"shards has no samples; are there more workers than shards?")
	set = newWeb(t, []string{"empty"}, inMemory(shards), data.EmptyCheck(false))
	require.NoError(t, set.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { return true }))
}

// closing is a reader that subtracts 1 from *open when it is closed.
type closing struct {
	io.Reader
	open *int
}

func (c closing) Close() error { *c.open--; return nil }

func TestShardsAreClosed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good, open, most := tarred("1.cls", "1", "2.cls", "2"), 0, 0
	opener := data.OpenShard(func(string) (io.ReadCloser, error) {
		open++
		most = max(most, open)
		return closing{bytes.NewReader(good), &open}, nil
	})
	unpack := data.Decompressors{".z": func(r io.Reader) (io.ReadCloser, error) {
		open++
		return closing{r, &open}, nil
	}}
	set := newWeb(t, []string{"a{0..3}.z"}, opener, unpack)
	for stop := 1; stop <= 8; stop++ {
		n := 0
		require.NoError(t, set.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { n++; return n < stop }))
		assert.Equal(t, stop, n)
		assert.Zero(t, open)
	}
	assert.Equal(t, 1, most, "one shard at a time")
}

func TestWebDatasetShuffles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	shards, names := map[string][]byte{}, []string{}
	for i := range 10 {
		name := fmt.Sprint("s", i)
		names = append(names, name)
		shards[name] = tarred(fmt.Sprintf("%d.cls", 2*i), "1", fmt.Sprintf("%d.cls", 2*i+1), "1")
	}
	keys := func(opts ...data.WebDatasetOption) (out []string) {
		set := newWeb(t, names, append(opts, inMemory(shards))...)
		require.NoError(t, set.Samples(data.WorkerInfo{}, func(s *data.WebSample) bool {
			out = append(out, s.Key)
			return true
		}))
		return out
	}
	plain := keys()
	assert.Len(t, plain, 20)
	byShard := keys(data.ShardShuffle(100), generator(1))
	assert.ElementsMatch(t, plain, byShard)
	assert.NotEqual(t, plain, byShard)
	for i := 0; i < 20; i += 2 { // the two samples of a shard are adjacent
		var a, b int
		_, err := fmt.Sscan(byShard[i]+" "+byShard[i+1], &a, &b)
		require.NoError(t, err)
		assert.Equal(t, a+1, b)
	}
	mixed := keys(data.ShuffleBuffer(8), generator(1))
	assert.ElementsMatch(t, plain, mixed)
	assert.NotEqual(t, plain, mixed)
	assert.Equal(t, mixed, keys(data.ShuffleBuffer(8), generator(1)))
}

func TestWebDatasetMistakes(t *testing.T) {
	_, err := data.NewWebDataset(nil)
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = data.NewWebDataset([]string{"a", "{"})
	require.ErrorContains(t, err, `unbalanced braces in "{"`)
	urls := []string{"a"}
	one := func(*data.WebSample) (data.Example, error) { return data.Example{}, errors.New("unmappable") }
	set := newWeb(t, []string{"a"}, inMemory(map[string][]byte{"a": tarred("1.cls", "1")}), data.MapSample(one))
	require.ErrorContains(t, set.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true }),
		`a: sample "1": unmappable`)
	none := data.FieldDecoders{"cls": func([]byte) (*torch.Tensor, error) { return nil, nil }}
	set = newWeb(t, []string{"a"}, inMemory(map[string][]byte{"a": tarred("1.cls", "1")}), data.Fields{"cls"}, none)
	require.ErrorContains(t, set.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true }),
		`field "cls": the decoder returned no tensor`)
	set = newWeb(t, []string{"a"}, data.OpenShard(func(string) (io.ReadCloser, error) { return nil, nil }))
	require.ErrorContains(t, set.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true }),
		"OpenShard returned nothing")
	for name, c := range map[string]struct {
		kind error
		fn   func()
	}{
		"both": {torch.ErrValue, func() {
			_, _ = data.NewWebDataset(urls, data.Fields{"a"}, data.MapSample(one))
		}},
		"decoders": {torch.ErrValue, func() {
			_, _ = data.NewWebDataset(urls, none)
		}},
		"a decoder of no field": {torch.ErrValue, func() {
			_, _ = data.NewWebDataset(urls, none, data.Fields{"seg.png", "jpg;webp"})
		}},
		"a decoder of a whole extension": {torch.ErrValue, func() {
			_, _ = data.NewWebDataset(urls, data.Fields{"seg.png"}, data.FieldDecoders{"seg.png": none["cls"]})
		}},
		"a transform": {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, data.WithTransform(half{})) }},
		"images": {torch.ErrValue, func() {
			_, _ = data.NewWebDataset(urls, data.MapSample(one), data.ImageReadModeGray)
		}},
		"a generator": {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, generator(1)) }},
		"a rank":      {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, data.SplitByNode(2, 2)) }},
		"shards":      {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, data.ShardShuffle(-1)) }},
		"bytes":       {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, data.MaxFieldBytes(0)) }},
		"a sample":    {torch.ErrValue, func() { _, _ = data.NewWebDataset(urls, data.MaxSampleBytes(0)) }},
		"no yield":    {torch.ErrNil, func() { _ = set.Iterate(data.WorkerInfo{}, nil) }},
		"neither":     {torch.ErrNil, func() { _ = set.Samples(data.WorkerInfo{}, nil) }},
		"no dataset":  {torch.ErrNil, func() { _ = (*data.WebDataset)(nil).Samples(data.WorkerInfo{}, nil) }},
		"no dataset too": {torch.ErrNil, func() {
			_ = (*data.WebDataset)(nil).Iterate(data.WorkerInfo{}, func(data.Example) bool { return true })
		}},
	} {
		require.ErrorIs(t, torch.Try(c.fn), c.kind, name)
	}
}

func webRows(t testing.TB) map[string]optiontest.Row {
	turned, err := os.ReadFile("testdata/images/turned6.png")
	require.NoError(t, err)
	shards := map[string][]byte{}
	for i := range 4 {
		shards[fmt.Sprint("s", i)] = tarred(fmt.Sprint(i, ".png"), string(turned), fmt.Sprint(i, ".cls"), fmt.Sprint(i),
			fmt.Sprint(i, "b.cls"), "9")
	}
	// The image is missing in every second sample.
	handled := data.Handler(func(error) bool { return true })
	map1 := func(s *data.WebSample) (data.Example, error) {
		return data.Example{Input: torch.Full(torch.Shape{1}, len(s.Key))}, nil
	}
	unpack := func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(r, 1024)), nil }
	count := func([]byte) (*torch.Tensor, error) { return torch.Full(torch.Shape{1}, 3), nil }
	call := func(opts ...data.WebDatasetOption) optiontest.Outcome {
		torch.ManualSeed(3)
		base := []data.WebDatasetOption{handled, inMemory(shards), data.Fields{"png", "cls"}}
		for _, o := range opts {
			switch o.(type) {
			case data.MapSample:
				base[2] = data.Fields(nil)
			case data.GeneratorOption:
				base = append(base, data.ShuffleBuffer(10)) // which draws from the generator
			}
		}
		set, err := data.NewWebDataset([]string{"s{0..3}"}, append(base, opts...)...)
		if err != nil {
			return optiontest.Outcome{"read": err.Error()}
		}
		var text strings.Builder
		torch.Scope(func() {
			// There are too few shards for worker 9 of 10.
			for _, w := range []data.WorkerInfo{{}, {ID: 9, NumWorkers: 10}} {
				err = set.Iterate(w, func(e data.Example) bool {
					fmt.Fprintln(&text, e, e.Input, e.Target)
					return true
				})
				fmt.Fprintln(&text, err)
			}
		})
		return optiontest.Outcome{"read": text.String()}
	}
	pairs := append(imageValues(),
		optiontest.Values(data.Fields{"cls"}, data.Fields{"png"}),
		optiontest.Values(data.FieldDecoders{"cls": count}, data.FieldDecoders(nil)),
		optiontest.Values(data.MapSample(map1), data.MapSample(nil)),
		optiontest.Values(data.WithTransform(half{}), data.WithTransform(nil)),
		optiontest.Values(data.ShardShuffle(10), data.ShardShuffle(0)),
		optiontest.Values(data.ShuffleBuffer(10), data.ShuffleBuffer(0)),
		optiontest.Values(func() any { return generator(1) }, data.Generator(nil)),
		optiontest.Values(data.SplitByNode(1, 2), data.SplitByNode(0, 1)),
		optiontest.Values(data.Handler(func(error) bool { return false }), data.Handler(nil)),
		optiontest.Values(data.EmptyCheck(false), data.EmptyCheck(true)),
		optiontest.Values(inMemory(map[string][]byte{"s1": shards["s1"]}), data.OpenShard(nil)),
		optiontest.Values(data.Decompressors{"s1": unpack, "1": unpack, "2": nil}, data.Decompressors(nil)),
		optiontest.Values(data.MaxFieldBytes(100), data.MaxFieldBytes(1<<20)),
		optiontest.Values(data.MaxSampleBytes(200), data.MaxSampleBytes(1<<20)),
	)
	return map[string]optiontest.Row{"NewWebDataset": optiontest.For(call, pairs...)}
}

func FuzzWebDataset(f *testing.F) {
	for _, name := range testShards {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(tarred("1.cls", "1", "1.png", ""))
	_ = w.Close()
	f.Add(z.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		defer torchtest.CheckLeaks(t)()
		set := newWeb(t, []string{"fuzz"}, inMemory(map[string][]byte{"fuzz": b}), data.Fields{"png", "cls"},
			data.MaxFieldBytes(1<<16), data.MaxPixels(1<<12), data.Handler(func(err error) bool {
				var fe *data.FileError
				require.ErrorAs(t, err, &fe)
				return true
			}), data.EmptyCheck(false))
		torch.Scope(func() {
			require.NoError(t, set.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true }))
		})
	})
}
