package torchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// Goldens are named values that another program, as a rule PyTorch, worked out:
// a JSON object. Tensors in it are objects with "dtype", "shape" and a flat
// "data", in which the strings "nan", "inf" and "-inf" stand for what JSON
// lacks, and pairs for complex numbers. goldens.py beside this file writes them.
type Goldens struct {
	t      testing.TB
	path   string
	values map[string]json.RawMessage
}

// LoadGoldens reads a file. It ends the test if that fails.
func LoadGoldens(t testing.TB, path string) *Goldens {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("goldens: %v", err)
	}
	g := &Goldens{t: t, path: path}
	if err := json.Unmarshal(text, &g.values); err != nil {
		t.Fatalf("goldens: %s: %v", path, err)
	}
	return g
}

// Has reports whether there is a value of that name.
func (g *Goldens) Has(name string) bool {
	_, ok := g.values[name]
	return ok
}

// Decode reads a value into v as encoding/json does. It ends the test if there
// is none or it does not fit.
func (g *Goldens) Decode(name string, v any) {
	g.t.Helper()
	raw, ok := g.values[name]
	if !ok {
		g.t.Fatalf("goldens: %s has no %q", g.path, name)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		g.t.Fatalf("goldens: %s: %q: %v", g.path, name, err)
	}
}

// Tensor returns a new tensor with the value of that name. It ends the test if
// there is none.
func (g *Goldens) Tensor(name string) *torch.Tensor {
	g.t.Helper()
	var v Value
	g.Decode(name, &v)
	t, err := v.Tensor()
	if err != nil {
		g.t.Fatalf("goldens: %s: %q: %v", g.path, name, err)
	}
	return t
}

// Value is a tensor in a file of goldens, for structs that Decode fills.
type Value struct {
	DType string            `json:"dtype"`
	Shape torch.Shape       `json:"shape"`
	Data  []json.RawMessage `json:"data"`
}

// Tensor returns a new tensor with the value. The error says what is no number
// or which dtype is unknown.
func (v Value) Tensor() (out *torch.Tensor, err error) {
	dtype, ok := dtypeNamed(v.DType)
	if !ok {
		return nil, fmt.Errorf("unknown dtype %q", v.DType)
	}
	shape := v.Shape
	if shape == nil {
		shape = torch.Shape{}
	}
	var elements any
	switch {
	case dtype == torch.Bool:
		elements, err = decodeAll[bool](v.Data)
	case dtype == torch.Uint64:
		elements, err = decodeAll[uint64](v.Data)
	case dtype.IsInteger():
		elements, err = decodeAll[int64](v.Data)
	case dtype.IsComplex():
		elements, err = complexes(v.Data)
	default:
		elements, err = floats(v.Data)
	}
	if err != nil {
		return nil, err
	}
	err = torch.Try(func() { out = torch.FromSliceWith(elements, shape, dtype, torch.CPU) })
	return out, err
}

func dtypeNamed(name string) (torch.DType, bool) {
	for d := torch.Uint8; d <= torch.Uint64; d++ {
		if d.String() == name {
			return d, true
		}
	}
	return 0, false
}

func decodeAll[E any](raw []json.RawMessage) ([]E, error) {
	out := make([]E, len(raw))
	for i, r := range raw {
		if err := decode(r, &out[i]); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return out, nil
}

// decode is json.Unmarshal, which leaves v alone for null, without null.
func decode(raw json.RawMessage, v any) error {
	if string(raw) == "null" {
		return errors.New("null is no value")
	}
	return json.Unmarshal(raw, v)
}

func floats(raw []json.RawMessage) ([]float64, error) {
	out := make([]float64, len(raw))
	for i, r := range raw {
		f, err := float(r)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = f
	}
	return out, nil
}

func float(raw json.RawMessage) (f float64, err error) {
	switch string(raw) {
	case `"nan"`:
		return math.NaN(), nil
	case `"inf"`:
		return math.Inf(1), nil
	case `"-inf"`:
		return math.Inf(-1), nil
	}
	return f, decode(raw, &f)
}

func complexes(raw []json.RawMessage) ([]complex128, error) {
	out := make([]complex128, len(raw))
	for i, r := range raw {
		var pair []json.RawMessage
		if err := json.Unmarshal(r, &pair); err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("element %d: %s is no pair of numbers", i, r)
		}
		parts, err := floats(pair)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = complex(parts[0], parts[1])
	}
	return out, nil
}
