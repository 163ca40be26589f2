package pickle_test

import (
	"bufio"
	"bytes"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pickle"
)

func run(t *testing.T, text string, use func(*pickle.Reader, *pickle.Dict)) error {
	t.Helper()
	r := pickle.NewReader(bufio.NewReader(strings.NewReader(text)))
	return r.Run(func(d *pickle.Dict) { use(r, d) })
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	var b bytes.Buffer
	p := pickle.NewWriter(&b)
	words := []string{"a", "b", "a"}
	list := func() { p.Items(len(words), func(i int) { p.Str(words[i]) }) }
	p.Dict(func() {
		p.Str("small")
		p.Int(200)
		p.Str("negative")
		p.Int(-5)
		p.Str("large")
		p.Int(math.MinInt64)
		p.Str("largest")
		p.Uint(math.MaxUint64)
		p.Str("text")
		p.Str("é")
		p.ListItem("many", 2500, func(i int) { p.Int(int64(i)) })
		for _, key := range []string{"first", "again"} {
			p.Str(key)
			p.Shared(pickle.Ref{At: unsafe.Pointer(&words[0]), Len: len(words)}, list)
		}
		p.Str("pair")
		p.Pair(3, 4)
		p.Str("map")
		p.Map(map[string]any{"on": true, "half": 0.5, "n": 7, "in": map[string]any{}, "other": struct{}{}})
	})
	require.NoError(t, p.Close())
	err := run(t, b.String(), func(r *pickle.Reader, d *pickle.Dict) {
		get := func(key string) any {
			v, ok := d.Get(key)
			require.True(t, ok, key)
			return v
		}
		assert.Equal(t, int64(200), r.Int("small", get("small")))
		assert.Equal(t, int64(-5), r.Int("negative", get("negative")))
		assert.Equal(t, int64(math.MinInt64), r.Int("large", get("large")))
		assert.Equal(t, uint64(math.MaxUint64), r.Uint("largest", get("largest")))
		assert.Equal(t, "é", r.String("text", get("text")))
		assert.Len(t, r.List("many", get("many")).Items, 2500)
		assert.Same(t, r.List("first", get("first")), r.List("again", get("again")))
		assert.Equal(t, []any{"a", "b", "a"}, r.List("first", get("first")).Items)
		assert.Equal(t, []any{int64(3), int64(4)}, r.List("pair", get("pair")).Items)
		assert.Equal(t, map[string]any{"on": true, "half": 0.5, "n": int64(7), "in": map[string]any{}, "other": nil},
			r.Plain("map", get("map")))
	})
	require.NoError(t, err)
}

func TestMade(t *testing.T) {
	l := &pickle.List{}
	a, first := pickle.Made[[]int](l)
	require.True(t, first)
	*a = []int{1}
	b, first := pickle.Made[[]int](l)
	assert.False(t, first)
	assert.Same(t, a, b)
	_, first = pickle.Made[string](l)
	assert.True(t, first, "another type has its own place")
}

func TestErrorsSayWhere(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "ends too early",
		"\x80\x02K\x07.":      "not a dict",
		"\x80\x02}(K\x01Nu.":  "a key that is not a string",
		"\x80\x02c":           "not plain data",
		"\x80\x09":            "protocol 9",
		"}(X\xff\xff\xff\xff": "ends too early",
	} {
		err := run(t, text, func(*pickle.Reader, *pickle.Dict) { t.Error(text) })
		var bad *pickle.Error
		require.ErrorAs(t, err, &bad, "%q", text)
		assert.ErrorContains(t, err, says, "%q", text)
	}
	err := run(t, "\x80\x02}.", func(r *pickle.Reader, _ *pickle.Dict) { r.Int("n", "seven") })
	assert.EqualError(t, err, "n: string is not an integer")
}

// Spend counts the values that a caller converts. It fails if there are more values than
// bytes in the file, because the file then refers to the same values again and again.
func TestSpend(t *testing.T) {
	text := "\x80\x02}(X\x01\x00\x00\x00aNu."
	spend := func(n int) error {
		return run(t, text, func(r *pickle.Reader, _ *pickle.Dict) { r.Spend("a", n) })
	}
	assert.NoError(t, spend(len(text)))
	assert.ErrorContains(t, spend(len(text)+1), "again and again")
}

type thing struct {
	Name string
	N    int
	U    uint64
	On   bool
	Pair [2]int64
}

var things = pickle.FieldsOf(
	pickle.StringField("name", func(t *thing) *string { return &t.Name }),
	pickle.IntField("n", func(t *thing) *int { return &t.N }).Unless(func(t *thing) bool { return t.N == 0 }),
	pickle.UintField("u", func(t *thing) *uint64 { return &t.U }),
	pickle.BoolField("on", func(t *thing) *bool { return &t.On }),
	pickle.PairField("pair", func(t *thing) *[2]int64 { return &t.Pair }),
)

func TestFields(t *testing.T) {
	for _, want := range []thing{{"a", 1, math.MaxUint64, true, [2]int64{2, 3}}, {}} {
		var b bytes.Buffer
		p := pickle.NewWriter(&b)
		things.Write(p, &want)
		require.NoError(t, p.Close())
		var got thing
		require.NoError(t, run(t, b.String(), func(r *pickle.Reader, d *pickle.Dict) {
			_, there := d.Get("n")
			assert.Equal(t, want.N != 0, there)
			things.Read(r, d, &got)
		}))
		assert.Equal(t, want, got)
	}
	got := thing{U: 7}
	other := "\x80\x02}(X\x01\x00\x00\x00xK\x01X\x01\x00\x00\x00nK\x05u."
	require.NoError(t, run(t, other, func(r *pickle.Reader, d *pickle.Dict) { things.Read(r, d, &got) }))
	assert.Equal(t, thing{N: 5, U: 7}, got, "a key that is missing changes nothing, another is skipped")
	err := run(t, "\x80\x02}(X\x01\x00\x00\x00nX\x01\x00\x00\x00nu.", func(r *pickle.Reader, d *pickle.Dict) {
		things.Read(r, d, &got)
	})
	assert.EqualError(t, err, "n: string is not an integer")
}

// Once parses a string only the first time, however often it occurs in a pickle.
func TestOnce(t *testing.T) {
	parsed := 0
	parse := func(s string) int { parsed++; return len(s) }
	list := "\x80\x02}(X\x01\x00\x00\x00l](X\x03\x00\x00\x00oneX\x03\x00\x00\x00oneX\x03\x00\x00\x00oneeu."
	require.NoError(t, run(t, list, func(r *pickle.Reader, d *pickle.Dict) {
		v, _ := d.Get("l")
		for _, s := range r.List("l", v).Items {
			assert.Equal(t, 3, pickle.Once(r, r.String("l", s), parse))
		}
	}))
	assert.Equal(t, 1, parsed)
}

// The Writer writes an object of a class with the same opcodes as Python: NewObj, and
// then Build for its attributes.
func TestNewObj(t *testing.T) {
	var b bytes.Buffer
	p := pickle.NewWriter(&b)
	p.Global("a", "B")
	p.Tuple(0, nil)
	p.NewObj()
	p.EmptyDict()
	p.Build()
	require.NoError(t, p.Close())
	assert.Equal(t, "\x80\x02ca\nB\nq\x00)\x81}b.", b.String())
}
