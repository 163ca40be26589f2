package npy_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/npy"
)

func file(version byte, header string, data ...byte) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func described(descr string) []byte {
	return file(1, fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (2,), }          \n", descr), 1, 2, 3, 4,
		5, 6, 7, 8)
}

func TestParse(t *testing.T) {
	for descr, want := range map[string]npy.Header{
		"'|b1'": {Kind: npy.Bool, Size: 1}, "'?'": {Kind: npy.Bool, Size: 1}, "'|i1'": {Kind: npy.Int, Size: 1},
		"'<i8'": {Kind: npy.Int, Size: 8}, "'>u2'": {Kind: npy.Uint, Size: 2, BigEndian: true},
		`"=f2"`:  {Kind: npy.Float, Size: 2},
		"'<f16'": {Kind: npy.Float, Size: 16}, "'<c16'": {Kind: npy.Complex, Size: 16},
		"u'<f4'":    {Kind: npy.Float, Size: 4},
		"'<M8[ns]'": {Kind: npy.DateTime, Size: 8}, "'<m8'": {Kind: npy.TimeDelta, Size: 8},
		"'|S5'": {Kind: npy.Bytes, Size: 5},
		"'<U3'": {Kind: npy.Unicode, Size: 12}, "'|V7'": {Kind: npy.Void, Size: 7}, "'|O'": {Kind: npy.Object},
		"[('a', '<i4'), ('b]', [('c', '<f4')])]": {Kind: npy.Structured},
	} {
		b := described(descr)
		h, err := npy.Parse(b)
		require.NoError(t, err, descr)
		assert.NotEmpty(t, h.Descr)
		assert.Equal(t, len(b)-8, h.Length)
		want.Shape, want.Descr, want.Length = []int64{2}, h.Descr, h.Length
		assert.Equal(t, want, h, descr)
	}
	for version := byte(1); version < 4; version++ {
		h, err := npy.Parse(file(version, `{"shape":(3L,4L),"fortran_order":True,"descr":"<f4"}`))
		require.NoError(t, err)
		assert.Equal(t, []int64{3, 4}, h.Shape)
		assert.True(t, h.Fortran)
	}
	h, err := npy.Parse(file(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (), }", 7, 0, 9))
	require.NoError(t, err)
	assert.Equal(t, []int64{}, h.Shape)
}

func TestMistakes(t *testing.T) {
	good := described("'<i2'")
	for i := range 20 {
		_, err := npy.Parse(good[:i])
		require.ErrorIs(t, err, npy.ErrTruncated, "%d bytes", i)
	}
	for name, c := range map[string]struct {
		b    []byte
		text string
	}{
		"another":      {[]byte("\x89PNG and more"), "first bytes"},
		"short":        {[]byte("\x89"), "first bytes"},
		"version":      {file(4, "{}"), "version 4"},
		"long":         {file(2, string(make([]byte, 10001))), "10001 bytes, more than 10000"},
		"no dict":      {file(1, "[]"), "expected a dictionary"},
		"empty":        {file(1, "{}"), "expected descr"},
		"a key":        {file(1, "{'other': 1}"), `a key "other"`},
		"no value":     {file(1, "{'descr' '<f4'}"), "has no value"},
		"open":         {file(1, "{'descr': '<f4'"), "no end"},
		"open text":    {file(1, "{'descr"), "an unterminated string"},
		"open list":    {file(1, "{'descr': [("), "an unterminated list"},
		"behind":       {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"), "expected descr"},
		"order":        {file(1, "{'fortran_order': 1}"), "neither True nor False"},
		"no tuple":     {file(1, "{'shape': 3}"), "not a tuple"},
		"a number":     {file(1, "{'shape': (3)}"), "not a tuple"},
		"negative":     {file(1, "{'shape': (-3,)}"), "something other than numbers"},
		"huge":         {file(1, "{'shape': (99999999999999999999,)}"), "out of range"},
		"no dtype":     {described("''"), `dtype ""`},
		"of no kind":   {described("'<x4'"), `dtype "<x4"`},
		"of no size":   {described("'<f'"), `dtype "<f"`},
		"of another":   {described("'<f5'"), `dtype "<f5"`},
		"plus":         {described("'<f+4'"), `dtype "<f+4"`},
		"of time":      {described("'<f4[ns]'"), `dtype "<f4[ns]"`},
		"open unit":    {described("'<M8[ns'"), `dtype "<M8[ns"`},
		"long letters": {described("'<U999999999'"), `dtype "<U999999999"`},
	} {
		_, err := npy.Parse(c.b)
		require.ErrorIs(t, err, npy.ErrFormat, name)
		assert.ErrorContains(t, err, c.text, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(described("'<f4'"))
	f.Add(described("[('a', '<i4')]"))
	f.Add(file(3, `{"shape":(3L,4L),"fortran_order":True,"descr":"<M8[ns]"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := npy.Parse(b)
		if err != nil {
			return
		}
		if h.Length > len(b) || len(h.Shape) > 64 || slices.ContainsFunc(h.Shape, func(n int64) bool { return n < 0 }) {
			t.Fatalf("%v of %d bytes", h, len(b))
		}
	})
}
