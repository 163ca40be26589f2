package amp_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optable"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/backends"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torchtest"
)

var dtypes = map[string]torch.DType{
	"float32": torch.Float32, "float64": torch.Float64, "bfloat16": torch.BFloat16, "float16": torch.Float16,
	"int64": torch.Int64, "int32": torch.Int32, "bool": torch.Bool,
}

// opCase is an operator, its arguments, and the dtypes of its results. The results are keyed by
// autocast's dtype and then by the dtype of the arguments.
type opCase struct {
	Op      string                         `json:"op"`
	Args    []any                          `json:"args"`
	Results map[string]map[string][]string `json:"results"`
}

// arguments creates the arguments of a call.
type arguments struct {
	dev   torch.Device
	low   torch.DType
	given string
	made  int
}

func (a *arguments) tensor(m map[string]any) *torch.Tensor {
	shape := func(key string) (s torch.Shape) {
		for _, n := range m[key].([]any) {
			s = append(s, int64(n.(float64)))
		}
		return s
	}
	if m["i"] != nil {
		return torch.Full(shape("i"), int64(m["v"].(float64)),
			torch.Int64).To(dtypes[m["dtype"].(string)]).ToDevice(a.dev)
	}
	a.made++
	to := map[string]torch.DType{
		"float32": torch.Float32, "low": a.low, "float64": torch.Float64,
		"mixed": torch.Float32,
	}[a.given]
	if a.given == "mixed" && a.made == 1 {
		to = a.low
	}
	if m["eye"] != nil {
		return torch.Eye(shape("eye")[0]).To(to).ToDevice(a.dev)
	}
	return torch.Full(shape("f"), 0.5, torch.Float32).To(to).ToDevice(a.dev)
}

func (a *arguments) value(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	if m, ok := v.(map[string]any); ok {
		if list, ok := m["list"].([]any); ok {
			v = list
		} else {
			return reflect.ValueOf(a.tensor(m))
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		p.Elem().Set(a.value(v, t.Elem()))
		return p
	case reflect.Interface:
		return reflect.ValueOf(v)
	case reflect.Slice:
		s := reflect.MakeSlice(t, 0, 4)
		for _, e := range v.([]any) {
			s = reflect.Append(s, a.value(e, t.Elem()))
		}
		return s
	}
	return reflect.ValueOf(v).Convert(t)
}

// Every operator that autocast affects returns the same dtypes as in Python, for arguments of all
// dtypes.
func TestOperatorsCastAsInPython(t *testing.T) {
	castAsInPython(t, torch.CPU, "testdata/autocast_cpu.json")
}

// CUDA's operators, too, return the same dtypes as in Python. The test runs without cuDNN,
// which the simulated driver does not support.
func TestCUDAOperatorsCastAsInPython(t *testing.T) {
	if !cuda.IsAvailable() {
		t.Skip("no CUDA")
	}
	cuBLAS()
	backends.CuDNN.Flags(func() { castAsInPython(t, torch.CUDA.At(0), "testdata/autocast_cuda.json") })
}

// cuBLAS runs operators that make the library cuBLAS allocate its scratch memory, which
// the library keeps.
func cuBLAS() {
	torch.Scope(func() {
		a := torch.Ones(torch.Shape{3, 3}, torch.CUDA.At(0))
		F.Linear(a, a, a.Select(0, 0))
		a.MatMul(a)
	})
}

func castAsInPython(t *testing.T, dev torch.Device, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var cases []opCase
	require.NoError(t, json.Unmarshal(text, &cases))
	require.GreaterOrEqual(t, len(cases), 120)
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever))
	for _, c := range cases {
		t.Run(c.Op, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			fn := reflect.ValueOf(optable.Functions[c.Op])
			require.True(t, fn.IsValid(), "not in torch/aten")
			if !strings.HasPrefix(torch.Version(), "2.11.") && c.missing(fn, dev) {
				t.Skip("this libtorch no longer has it")
			}
			for low, byGiven := range c.Results {
				for given, want := range byGiven {
					torch.Scope(func() {
						assert.Equal(t, want, c.call(fn, dev, dtypes[low], given), "%s, arguments of %s", low, given)
						torch.NoGrad(func() {
							assert.Equal(t, want, c.call(fn, dev, dtypes[low], given),
								"%s, arguments of %s, without gradients", low, given)
						})
					})
				}
			}
		})
	}
}

// missing reports whether libtorch lacks the operator on the device.
func (c opCase) missing(fn reflect.Value, dev torch.Device) bool {
	var err error
	torch.Scope(func() { _, err = c.try(fn, dev, torch.BFloat16, "float32") })
	return errors.Is(err, torch.ErrNotImplemented)
}

// call returns the dtypes of an operator's results.
func (c opCase) call(fn reflect.Value, dev torch.Device, low torch.DType, given string) (got []string) {
	out, err := c.try(fn, dev, low, given)
	if err != nil {
		return []string{"error"}
	}
	for _, v := range out {
		switch v := v.Interface().(type) {
		case *torch.Tensor:
			got = append(got, v.DType().String())
		case []*torch.Tensor:
			for _, t := range v {
				got = append(got, t.DType().String())
			}
		}
	}
	return got
}

// try calls an operator within Autocast.
func (c opCase) try(fn reflect.Value, dev torch.Device, low torch.DType,
	given string,
) (out []reflect.Value, err error) {
	a := &arguments{dev: dev, low: low, given: given}
	in := make([]reflect.Value, fn.Type().NumIn())
	for i := range in {
		in[i] = a.value(c.Args[i], fn.Type().In(i))
	}
	err = torch.Try(func() {
		amp.Autocast(dev, low, func() { out = fn.Call(in) })
	})
	return out, err
}
