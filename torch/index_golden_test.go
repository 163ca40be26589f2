package torch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// indexCase is one expression of testdata/make_index.py.
type indexCase struct {
	Shape     torch.Shape       `json:"shape"`
	DType     string            `json:"dtype"`
	Index     []json.RawMessage `json:"index"`
	Value     json.RawMessage   `json:"value"`
	Error     string            `json:"error"`
	WantShape torch.Shape       `json:"want_shape"`
	Want      []float64         `json:"want"`
	View      bool              `json:"view"`
	Grad      []float64         `json:"grad"`
	ValueGrad []float64         `json:"value_grad"`
}

func readIndexCases(t *testing.T) (get, put []indexCase) {
	raw, err := os.ReadFile("testdata/index.json")
	require.NoError(t, err)
	var file struct{ Get, Put []indexCase }
	require.NoError(t, json.Unmarshal(raw, &file))
	require.Greater(t, len(file.Get), 250)
	require.Greater(t, len(file.Put), 150)
	return file.Get, file.Put
}

var indexDTypes = map[string]torch.DType{
	"float32": torch.Float32, "float64": torch.Float64, "float16": torch.Float16, "bfloat16": torch.BFloat16,
	"uint8": torch.Uint8, "int8": torch.Int8, "int16": torch.Int16, "int32": torch.Int32, "int64": torch.Int64,
	"bool": torch.Bool,
}

// counting returns the same tensor as base in make_index.py: 0, 1, 2 and so on, or for Bool whether
// each of these is even.
func counting(shape torch.Shape, dtype torch.DType) *torch.Tensor {
	n := make([]float64, shape.Numel())
	for i := range n {
		if n[i] = float64(i); dtype == torch.Bool {
			n[i] = float64((i + 1) % 2)
		}
	}
	return torch.FromSliceWith(n, shape, dtype)
}

// ramp returns the same tensor as weights in make_index.py: 1, 2, 3 and so on.
func ramp(like *torch.Tensor) *torch.Tensor {
	n := make([]float64, like.Numel())
	for i := range n {
		n[i] = float64(i + 1)
	}
	return torch.FromSliceWith(n, like.Shape(), like.DType())
}

func goIndex(t *testing.T, raw json.RawMessage) any {
	if string(raw) == "null" {
		return torch.NewAxis
	}
	if string(raw) == `"..."` {
		return torch.Ellipsis
	}
	var item struct {
		Int    *int      `json:"int"`
		Bool   *bool     `json:"bool"`
		Ints   *[]int    `json:"ints"`
		Bools  *[]bool   `json:"bools"`
		Slice  *[]*int64 `json:"slice"`
		Tensor *struct {
			Shape torch.Shape     `json:"shape"`
			DType string          `json:"dtype"`
			Data  json.RawMessage `json:"data"`
		} `json:"tensor"`
	}
	require.NoError(t, json.Unmarshal(raw, &item))
	switch {
	case item.Int != nil:
		return *item.Int
	case item.Bool != nil:
		return *item.Bool
	case item.Ints != nil:
		return *item.Ints
	case item.Bools != nil:
		return *item.Bools
	case item.Slice != nil:
		return goSlice(*item.Slice)
	}
	var nested any
	require.NoError(t, json.Unmarshal(item.Tensor.Data, &nested))
	return torch.FromSliceWith(flatten(nested), item.Tensor.Shape, indexDTypes[item.Tensor.DType])
}

// goSlice makes an IndexRange with the simplest constructor.
func goSlice(s []*int64) torch.IndexRange {
	start, stop, step := s[0], s[1], s[2]
	switch {
	case step != nil:
		from, to := int64(0), int64(torch.End)
		if start != nil {
			from = *start
		}
		if stop != nil {
			to = *stop
		}
		return torch.SliceStep(from, to, *step)
	case start != nil && stop != nil:
		return torch.Slice(*start, *stop)
	case start != nil:
		return torch.SliceFrom(*start)
	case stop != nil:
		return torch.SliceTo(*stop)
	default:
		return torch.All
	}
}

func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case bool:
		if v {
			return []float64{1}
		}
		return []float64{0}
	}
	var out []float64
	for _, x := range v.([]any) {
		out = append(out, flatten(x)...)
	}
	return out
}

// wantKind fails the test unless err has the kind that corresponds to a Python exception.
func wantKind(t *testing.T, exception string, err error) {
	t.Helper()
	require.Error(t, err)
	switch exception {
	case "IndexError":
		require.ErrorIs(t, err, torch.ErrIndex)
	case "ValueError":
		require.ErrorIs(t, err, torch.ErrValue)
	default: // RuntimeError, which Python also raises for shapes and dtypes
		require.NotErrorIs(t, err, torch.ErrIndex)
		require.NotErrorIs(t, err, torch.ErrValue)
	}
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Message)
}

// leakFree runs fn in a scope and checks that no tensor outlives it.
func leakFree(t *testing.T, fn func()) {
	t.Helper()
	if torch.NumLiveTensors() != 0 {
		collect(t) // frees tensors of earlier tests
	}
	before := torch.NumLiveTensors()
	torch.Scope(fn)
	require.Equal(t, before, torch.NumLiveTensors(), "tensors leaked")
}

func TestIndexLikePython(t *testing.T) {
	gets, _ := readIndexCases(t)
	for i, c := range gets {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			leakFree(t, func() {
				x := counting(c.Shape, indexDTypes[c.DType])
				if x.IsFloatingPoint() {
					x.SetRequiresGrad(true)
				}
				var y *torch.Tensor
				var items []any
				for _, raw := range c.Index {
					items = append(items, goIndex(t, raw))
				}
				err := torch.Try(func() { y = x.Index(items...) })
				if c.Error != "" {
					wantKind(t, c.Error, err)
					return
				}
				require.NoError(t, err)
				require.Equal(t, c.WantShape, y.Shape())
				require.Equal(t, x.DType(), y.DType())
				require.Equal(t, c.Want, y.Float64s())
				if c.View {
					require.True(t, y.SharesStorage(x), "a view in Python")
				} else if y.Numel() > 0 {
					require.False(t, y.SharesStorage(x), "a copy in Python")
				}
				if c.Grad != nil {
					g := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.GradOutputs{ramp(y)})
					require.Equal(t, c.Grad, g[0].Float64s())
				}
			})
		})
	}
}

func TestSetIndexLikePython(t *testing.T) {
	_, puts := readIndexCases(t)
	for i, c := range puts {
		t.Run(fmt.Sprint(i), func(t *testing.T) { leakFree(t, func() { checkPut(t, c) }) })
	}
}

func checkPut(t *testing.T, c indexCase) {
	x := counting(c.Shape, indexDTypes[c.DType])
	if x.IsFloatingPoint() {
		x.SetRequiresGrad(true)
	}
	y := x.To(torch.Copy(true))
	value, src := putValue(t, c.Value, x.IsFloatingPoint())
	var items []any
	for _, raw := range c.Index {
		items = append(items, goIndex(t, raw))
	}
	err := torch.Try(func() { require.Same(t, y, y.SetIndex(value, items...)) })
	if c.Error != "" {
		wantKind(t, c.Error, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, c.WantShape, y.Shape())
	require.Equal(t, c.Want, y.Float64s())
	if c.Grad == nil {
		return
	}
	inputs := []*torch.Tensor{x}
	if src != nil && src.RequiresGrad() {
		inputs = append(inputs, src)
	}
	g := torch.Grad([]*torch.Tensor{y}, inputs, torch.GradOutputs{ramp(y)}, torch.AllowUnused(true))
	require.Equal(t, c.Grad, g[0].Float64s())
	if c.ValueGrad != nil {
		require.Equal(t, c.ValueGrad, g[1].Float64s())
	}
}

// putValue reads an int, a float, a bool, or a tensor, which it also returns as the second result.
func putValue(t *testing.T, raw json.RawMessage, grad bool) (any, *torch.Tensor) {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		return n, nil
	}
	var f float64
	if json.Unmarshal(raw, &f) == nil {
		return f, nil
	}
	var b bool
	if json.Unmarshal(raw, &b) == nil {
		return b, nil
	}
	var spec struct {
		Shape torch.Shape `json:"shape"`
		DType string      `json:"dtype"`
	}
	require.NoError(t, json.Unmarshal(raw, &spec))
	v := counting(spec.Shape, indexDTypes[spec.DType])
	if grad && v.IsFloatingPoint() {
		v.SetRequiresGrad(true)
	}
	return v, v
}
