package serialization_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/serialization"
)

// The memory for the values of a pickle is proportional to the size of the file, even if
// each value takes only a few bytes of the pickle.
func TestWhatValuesCost(t *testing.T) {
	const (
		ordered = "ccollections\nOrderedDict\nq\x00"
		foreign = "cos\nsystem\nq\x00"
	)
	for name, c := range map[string]struct {
		setup, value string
		times        int64
	}{
		"nothing":               {"", "N", 80},
		"numbers":               {"", "M\xff\xff", 48},
		"texts":                 {"", "U\x01a", 48},
		"bytes":                 {"", "C\x01a", 64},
		"tuples":                {"", "N\x85", 100},
		"empty lists":           {"", "]\x94", 100},
		"lists":                 {"", "]Na", 80},
		"empty dicts":           {"", "}\x94", 160},
		"dicts":                 {"", "}NNs", 100},
		"empty sets":            {"", "\x8f\x94", 120},
		"sets":                  {"", "\x8f(N\x90", 72},
		"ordered dicts":         {ordered, "h\x00)R", 72},
		"numbered ordered ones": {ordered, "h\x00)R\x94", 64},
		"ordered ones of one":   {ordered, "h\x00)RNNs", 80},
		"objects":               {foreign, "h\x00)R", 100},
		"classes":               {"", "ca\nb\n", 80},
	} {
		t.Run(name, func(t *testing.T) {
			data := archived([]byte("\x80\x04](" + c.setup + strings.Repeat(c.value, 1<<18) + "e."))
			filetest.Costs(t, 1<<20+c.times*int64(len(data)), func() {
				_, err := serialization.LoadFrom(bytes.NewReader(data), int64(len(data)), serialization.Opaque(true))
				assert.NoError(t, err)
			})
		})
	}
}

// A small dict compares all its keys, and a large dict has a map of them. Both compare keys
// as Python does.
func TestKeysOfFewAndMany(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 40} {
		d := serialization.NewDict()
		for i := range n {
			d.Set(i, i)
		}
		d.Set(serialization.Tuple{1, "a"}, "tuple")
		d.Set(0.0, "zero")
		d.Set("0", "text")
		assert.Equal(t, n+2, d.Len())
		for key, want := range map[any]any{false: "zero", int8(0): "zero", "0": "text", 0.5: nil} {
			got, ok := d.Get(key)
			assert.Equal(t, want, got)
			assert.Equal(t, want != nil, ok)
		}
		got, ok := d.Get(serialization.Tuple{1.0, "a"})
		assert.True(t, ok)
		assert.Equal(t, "tuple", got)
	}
}
