package aten_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optable"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// recorded is a call that PyTorch made; see testdata/record.py.
type recorded struct {
	Op    string
	Args  []any
	Out   []any
	After map[string]any
}

// Every recorded call gives the same dtypes and shapes in Go, and values within float32's
// precision. The functions are called by reflection. The recorded arguments are in the
// schema's order.
func TestRecordedOperators(t *testing.T) {
	file, err := os.Open("testdata/operators.jsonl")
	require.NoError(t, err)
	defer file.Close()
	before, n := torch.NumLiveTensors(), 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var rec recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &rec))
		n++
		t.Run(rec.Op, func(t *testing.T) {
			torch.Scope(func() { torch.NoGrad(func() { replay(t, rec) }) })
		})
	}
	require.NoError(t, lines.Err())
	assert.Greater(t, n, 1500)
	assert.Equal(t, before, torch.NumLiveTensors())
}

func replay(t *testing.T, rec recorded) {
	fn := reflect.ValueOf(optable.Functions[rec.Op])
	require.True(t, fn.IsValid(), "no such function")
	require.Equal(t, len(rec.Args), fn.Type().NumIn())
	args := make([]reflect.Value, len(rec.Args))
	// place returns the position in args of the schema's argument i.
	place := func(i int) int { return (i + optable.Outs[rec.Op]) % len(args) }
	for i, a := range rec.Args {
		args[place(i)] = decode(t, a, fn.Type().In(place(i)))
	}
	var out []reflect.Value
	if err := torch.Try(func() { out = fn.Call(args) }); err != nil {
		missing := strings.Contains(err.Error(), "is not in libtorch") || strings.Contains(err.Error(),
			"that this processor lacks")
		if errors.Is(err, torch.ErrNotImplemented) && missing {
			t.Skip(err)
		}
		require.NoError(t, err)
	}
	require.Len(t, out, len(rec.Out))
	for i, want := range rec.Out {
		compare(t, want, out[i], freeSigns[rec.Op])
	}
	for i, want := range rec.After {
		at, err := strconv.Atoi(i)
		require.NoError(t, err)
		compare(t, want, args[place(at)], freeSigns[rec.Op])
	}
}

var (
	tensorType = reflect.TypeFor[*torch.Tensor]()
	scalarType = reflect.TypeFor[any]()
)

// decode returns the Go argument of the given type.
func decode(t *testing.T, v any, typ reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(typ)
	}
	switch typ {
	case tensorType:
		return reflect.ValueOf(makeTensor(v.(map[string]any)))
	case scalarType:
		return reflect.ValueOf(makeScalar(v.(map[string]any)))
	case reflect.TypeFor[torch.DType]():
		return reflect.ValueOf(dtypes[v.(string)])
	case reflect.TypeFor[torch.Layout]():
		return reflect.ValueOf(map[string]torch.Layout{"strided": torch.Strided}[v.(string)])
	case reflect.TypeFor[torch.MemoryFormat]():
		return reflect.ValueOf(map[string]torch.MemoryFormat{
			"contiguous_format": torch.ContiguousFormat, "preserve_format": torch.PreserveFormat,
			"channels_last": torch.ChannelsLast, "channels_last_3d": torch.ChannelsLast3d,
		}[v.(string)])
	case reflect.TypeFor[torch.Device]():
		d, err := torch.ParseDevice(v.(string))
		require.NoError(t, err)
		return reflect.ValueOf(d)
	}
	switch typ.Kind() {
	case reflect.Pointer:
		p := reflect.New(typ.Elem())
		p.Elem().Set(decode(t, v, typ.Elem()))
		return p
	case reflect.Slice:
		s := reflect.MakeSlice(typ, 0, len(v.([]any)))
		for _, e := range v.([]any) {
			s = reflect.Append(s, decode(t, e, typ.Elem()))
		}
		return s
	case reflect.Array:
		a := reflect.New(typ).Elem()
		for i, e := range v.([]any) {
			a.Index(i).Set(decode(t, e, typ.Elem()))
		}
		return a
	}
	if f, ok := numeric(v); ok {
		return reflect.ValueOf(f).Convert(typ)
	}
	return reflect.ValueOf(v).Convert(typ)
}

// numeric reads a number, which the file stores as a string if it is not finite. It
// returns false if v is not a number; for a bool it returns 0 or 1 and false.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		return map[bool]float64{true: 1}[v], false
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && (math.IsNaN(f) || math.IsInf(f, 0))
	}
	return 0, false
}

func makeScalar(v map[string]any) any {
	for kind, x := range v {
		f, _ := numeric(x)
		switch kind {
		case "b":
			return x
		case "i":
			return int64(f)
		case "f":
			return f
		}
		c := x.([]any)
		re, _ := numeric(c[0])
		im, _ := numeric(c[1])
		return complex(re, im)
	}
	return nil
}

var dtypes = map[string]torch.DType{}

func init() {
	for d := torch.Uint8; d <= torch.Uint64; d++ {
		dtypes[d.String()] = d
	}
}

func makeTensor(v map[string]any) *torch.Tensor {
	shape, flat := shapeOf(v), floats(v["v"])
	dtype := dtypes[v["d"].(string)]
	if dtype.IsComplex() {
		c := make([]complex128, len(flat)/2)
		for i := range c {
			c[i] = complex(flat[2*i], flat[2*i+1])
		}
		return torch.FromSliceWith(c, shape, dtype)
	}
	return torch.FromSliceWith(flat, shape, dtype)
}

func shapeOf(v map[string]any) torch.Shape {
	shape := torch.Shape{}
	for _, d := range floats(v["s"]) {
		shape = append(shape, int64(d))
	}
	return shape
}

func floats(v any) []float64 {
	list := make([]float64, len(v.([]any)))
	for i, x := range v.([]any) {
		list[i], _ = numeric(x)
	}
	return list
}

// freeSigns are the operators whose matrices have eigenvectors as columns. The negative of an
// eigenvector is valid too, and which one is returned depends on LAPACK.
var freeSigns = map[string]bool{
	"_linalg_eigh": true, "_linalg_eigh.eigenvalues": true, "linalg_eigh": true, "linalg_eigh.eigvals": true,
}

// alignSigns negates each column of have that points opposite to the same column of want.
func alignSigns(want, have []float64, columns int) {
	for c := range columns {
		var product float64
		for i := c; i < len(have); i += columns {
			product += want[i] * have[i]
		}
		for i := c; i < len(have) && product < 0; i += columns {
			have[i] = -have[i]
		}
	}
}

// compare compares a result with the recording. The columns of matrices with free signs may be
// negated.
func compare(t *testing.T, want any, got reflect.Value, free bool) {
	t.Helper()
	if got.Type() == scalarType {
		assert.InDelta(t, makeScalar(want.(map[string]any)), got.Interface(), 1e-6)
		return
	}
	switch g := got.Interface().(type) {
	case *torch.Tensor:
		if want == nil {
			assert.Nil(t, g)
			return
		}
		compareTensor(t, want.(map[string]any), g, free)
	case []*torch.Tensor:
		require.Len(t, g, len(want.([]any)))
		for i, w := range want.([]any) {
			compare(t, w, got.Index(i), free)
		}
	case torch.DType:
		assert.Equal(t, dtypes[want.(string)], g)
	case bool:
		assert.Equal(t, want, g)
	case int64:
		assert.EqualValues(t, want, g)
	case float64:
		assert.InDelta(t, want, g, 1e-6)
	default:
		assert.Failf(t, "unexpected result", "%T", g)
	}
}

func compareTensor(t *testing.T, want map[string]any, got *torch.Tensor, free bool) {
	t.Helper()
	require.NotNil(t, got)
	assert.Equal(t, want["d"], got.DType().String())
	require.Equal(t, shapeOf(want), got.Shape())
	var have []float64
	if got.IsComplex() {
		for _, c := range got.Complex128s() {
			have = append(have, real(c), imag(c))
		}
	} else {
		have = got.Float64s()
	}
	// The arguments, usually float32, may be less precise than the result.
	tol := torchtest.Rounding(128, got.DType(), torch.Float32)
	values := floats(want["v"])
	if shape := got.Shape(); free && len(shape) == 2 {
		alignSigns(values, have, int(shape[1]))
	}
	for i, w := range values {
		h := have[i]
		if w == h || math.IsNaN(w) && math.IsNaN(h) {
			continue
		}
		if !(math.Abs(w-h) <= tol.ATol+tol.RTol*math.Abs(w)) {
			assert.Failf(t, "value differs", "element %d: %v, want %v", i, h, w)
			return
		}
	}
}
