package tensorfmt_test

import (
	"encoding/json"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// golden is a tensor and the text that PyTorch prints for it. testdata/make_goldens.py
// writes it.
type golden struct {
	Name         string            `json:"name"`
	Shape        []int64           `json:"shape"`
	DType        string            `json:"dtype"`
	Want         string            `json:"want"`
	Options      *goldenOptions    `json:"options"`
	Data         []json.RawMessage `json:"data"`
	Rule         *rule             `json:"rule"`
	Device       string            `json:"device"`
	Meta         bool              `json:"meta"`
	GradFn       string            `json:"grad_fn"`
	RequiresGrad bool              `json:"requires_grad"`
	Layout       string            `json:"layout"`
	NNZ          int64             `json:"nnz"`
	Parts        []goldenPart      `json:"parts"`
	Quantized    []string          `json:"quantized"`
	Nested       []string          `json:"nested"`
}

type goldenPart struct {
	Name  string            `json:"name"`
	Shape []int64           `json:"shape"`
	Data  []json.RawMessage `json:"data"`
}

// rule is a formula for the elements of large tensors: element i is ((i*mul) % mod + add)
// * scale.
type rule struct {
	Mul   int64   `json:"mul"`
	Mod   int64   `json:"mod"`
	Add   int64   `json:"add"`
	Scale float64 `json:"scale"`
}

type goldenOptions struct {
	Profile   string `json:"profile"`
	Precision *int   `json:"precision"`
	Threshold *int   `json:"threshold"`
	EdgeItems *int   `json:"edgeitems"`
	LineWidth *int   `json:"linewidth"`
	SciMode   *bool  `json:"sci_mode"`
}

func (g *goldenOptions) options() tensorfmt.Options {
	var o tensorfmt.Options
	if g == nil {
		return o
	}
	switch g.Profile {
	case "short":
		o.Profile = tensorfmt.ProfileShort
	case "full":
		o.Profile = tensorfmt.ProfileFull
	}
	set := func(field, value *int) {
		if value != nil {
			*field = *value
			if *value == 0 {
				*field = -1 // a literal zero
			}
		}
	}
	set(&o.Precision, g.Precision)
	set(&o.Threshold, g.Threshold)
	set(&o.EdgeItems, g.EdgeItems)
	set(&o.LineWidth, g.LineWidth)
	if g.SciMode != nil {
		o.SciMode = tensorfmt.SciOff
		if *g.SciMode {
			o.SciMode = tensorfmt.SciOn
		}
	}
	return o
}

func TestFormatMatchesPyTorch(t *testing.T) {
	raw, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	var file struct {
		Torch string   `json:"torch"`
		Cases []golden `json:"cases"`
	}
	require.NoError(t, json.Unmarshal(raw, &file))
	require.Equal(t, "2.11.0", file.Torch)
	require.Greater(t, len(file.Cases), 1000)
	for _, g := range file.Cases {
		t.Run(path.Clean(strings.ReplaceAll(g.Name, " ", "")), func(t *testing.T) {
			got, err := tensorfmt.Format(g.tensor(t), g.Options.options())
			require.NoError(t, err)
			require.Equal(t, g.Want, got)
		})
	}
}

func (g golden) tensor(t *testing.T) tensorfmt.Tensor {
	o := g.Options.options()
	out := tensorfmt.Tensor{
		Shape: g.Shape, DType: g.DType, Device: g.Device, Meta: g.Meta,
		NNZ: g.NNZ, Layout: g.Layout, Quantized: g.Quantized, Nested: g.Nested,
		GradFn: g.GradFn, RequiresGrad: g.RequiresGrad,
	}
	switch {
	case g.Meta || g.Parts != nil || g.Nested != nil:
	case g.Rule != nil:
		out.Values = g.Rule.values(g.DType, wanted(g.Shape, o))
	default:
		out.Values = pick(t, g.DType, g.Data, wanted(g.Shape, o))
	}
	for _, p := range g.Parts {
		part := tensorfmt.Part{Name: p.Name, Shape: p.Shape}
		if !g.Meta {
			dtype := g.DType
			if strings.HasSuffix(p.Name, "indices") {
				dtype = "int64"
			}
			part.Values = pick(t, dtype, p.Data, wanted(p.Shape, o))
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// wanted returns the flat indices of the elements that remain after the cuts of a plan,
// in row-major order.
func wanted(shape []int64, o tensorfmt.Options) []int64 {
	plan := tensorfmt.NewPlan(shape, o)
	flat := []int64{0}
	for d, size := range shape {
		kept := make([]int64, 0, size)
		for i := range size {
			cut := false
			for _, c := range plan.Cuts {
				cut = cut || c.Dim == d && i >= c.Keep && i < c.Size-c.Keep
			}
			if !cut {
				kept = append(kept, i)
			}
		}
		var next []int64
		for _, base := range flat {
			for _, i := range kept {
				next = append(next, base*size+i)
			}
		}
		flat = next
	}
	return flat
}

func (r rule) values(dtype string, flat []int64) tensorfmt.Values {
	ints, floats := make([]int64, len(flat)), make([]float64, len(flat))
	for j, i := range flat {
		ints[j] = (i*r.Mul)%r.Mod + r.Add
		floats[j] = float64(ints[j]) * r.Scale
	}
	if strings.HasPrefix(dtype, "float") {
		return tensorfmt.Floats(floats)
	}
	return tensorfmt.Ints(ints)
}

func pick(t *testing.T, dtype string, data []json.RawMessage, flat []int64) tensorfmt.Values {
	switch {
	case dtype == "bool":
		return tensorfmt.Bools(each(t, data, flat, strconv.ParseBool))
	case dtype == "uint64":
		return tensorfmt.Uints(each(t, data, flat, func(s string) (uint64, error) {
			return strconv.ParseUint(s, 10, 64)
		}))
	case strings.HasPrefix(dtype, "complex"):
		return tensorfmt.Complexes(each(t, data, flat, parseComplex))
	case strings.HasPrefix(dtype, "int"), strings.HasPrefix(dtype, "uint"):
		return tensorfmt.Ints(each(t, data, flat, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
	default:
		return tensorfmt.Floats(each(t, data, flat, parseFloat))
	}
}

func each[T any](t *testing.T, data []json.RawMessage, flat []int64, parse func(string) (T, error)) []T {
	out := make([]T, len(flat))
	for j, i := range flat {
		x, err := parse(string(data[i]))
		require.NoError(t, err)
		out[j] = x
	}
	return out
}

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(strings.Trim(s, `"`), 64) }

func parseComplex(s string) (complex128, error) {
	re, im, _ := strings.Cut(strings.Trim(s, "[]"), ",")
	a, err := parseFloat(re)
	if err != nil {
		return 0, err
	}
	b, err := parseFloat(im)
	return complex(a, b), err
}
