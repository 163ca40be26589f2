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

// Goldens are named values computed by another program, usually PyTorch. The file is a JSON
// object. A tensor is an object with "dtype", "shape" and a flat list "data". In data the
// strings "nan", "inf" and "-inf" stand for these numbers. A complex number is a pair.
// Write such files with goldens.py, next to this file.
type Goldens struct {
	t      testing.TB
	path   string
	values map[string]json.RawMessage
}

// LoadGoldens reads a file. If that fails, it ends the test.
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

// Has reports whether there is a value with the given name.
func (g *Goldens) Has(name string) bool {
	_, ok := g.values[name]
	return ok
}

// Decode decodes a value into v, as encoding/json does. If the value is missing or its
// type does not match v, it ends the test.
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

// Tensor returns a new tensor with the named value. If the value is missing or is not a
// tensor, it ends the test.
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

// Value is a tensor in a goldens file, for structs passed to [Goldens.Decode].
type Value struct {
	DType string            `json:"dtype"`
	Shape torch.Shape       `json:"shape"`
	Data  []json.RawMessage `json:"data"`
}

// Tensor returns a new tensor with the value. It returns an error for an invalid element
// or an unknown dtype.
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

// decode is json.Unmarshal, but null is an error.
func decode(raw json.RawMessage, v any) error {
	if string(raw) == "null" {
		return errors.New("null is not a value")
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
			return nil, fmt.Errorf("element %d: %s is not a pair of numbers", i, r)
		}
		parts, err := floats(pair)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = complex(parts[0], parts[1])
	}
	return out, nil
}
