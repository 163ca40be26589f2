package torch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// pwTensor is a tensor in pointwise.json. Complex numbers are pairs; dtype "go"
// marks a plain bool.
type pwTensor struct {
	DType string      `json:"dtype"`
	Shape []int64     `json:"shape"`
	Data  goldNumbers `json:"data"`
}

func (p *pwTensor) gold() *goldTensor { return &goldTensor{D: p.DType, S: p.Shape, V: p.Data} }

type pwCase struct {
	Op        string            `json:"op"`
	In        []pwTensor        `json:"in"`
	Call      []json.RawMessage `json:"call"`
	Seed      *uint64           `json:"seed"`
	Out       []pwTensor        `json:"out"`
	Weight    *pwTensor         `json:"weight"`
	Leaves    []int             `json:"leaves"`
	Grads     []*pwTensor       `json:"grads"`
	GradError string            `json:"gradError"`
	Error     string            `json:"error"`
}

// pwRoundings is the number of rounding errors that a pointwise result or gradient may have; see
// torchtest.Rounding. It allows for a few functions in sequence.
const pwRoundings = 64

// pwFunctions are the operators that are not methods.
var pwFunctions = map[string]any{
	"Where": torch.Where, "Complex": torch.Complex, "Polar": torch.Polar, "ScalarPow": torch.ScalarPow,
	"NormalTensor": torch.NormalTensor,

	// These are methods with options, as functions that take the options' values as
	// arguments.
	"FillDiagonal_": func(t *torch.Tensor, value any, wrap bool) *torch.Tensor {
		return t.FillDiagonal_(value, torch.Wrap(wrap))
	},
	"Multinomial": func(w *torch.Tensor, n int64, replacement bool) *torch.Tensor {
		return w.Multinomial(n, torch.Replacement(replacement))
	},
	"AddAlpha":  func(x, y *torch.Tensor, alpha float64) *torch.Tensor { return x.Add(y, torch.Alpha(alpha)) },
	"AddAlpha_": func(x, y *torch.Tensor, alpha float64) *torch.Tensor { return x.Add_(y, torch.Alpha(alpha)) },
	"SubAlpha":  func(x, y *torch.Tensor, alpha float64) *torch.Tensor { return x.Sub(y, torch.Alpha(alpha)) },
	"SubAlpha_": func(x, y *torch.Tensor, alpha float64) *torch.Tensor { return x.Sub_(y, torch.Alpha(alpha)) },
	"DivMode":   func(x, y *torch.Tensor, m torch.RoundingMode) *torch.Tensor { return x.Div(y, m) },
	"DivMode_":  func(x, y *torch.Tensor, m torch.RoundingMode) *torch.Tensor { return x.Div_(y, m) },
	"DivScalarMode": func(x *torch.Tensor, v any, m torch.RoundingMode) *torch.Tensor {
		return x.DivScalar(v, m)
	},
	"Addcmul":       addcmul((*torch.Tensor).Addcmul),
	"Addcmul_":      addcmul((*torch.Tensor).Addcmul_),
	"Addcdiv":       addcmul((*torch.Tensor).Addcdiv),
	"Addcdiv_":      addcmul((*torch.Tensor).Addcdiv_),
	"LogitEps":      func(x *torch.Tensor, eps float64) *torch.Tensor { return x.Logit(torch.Eps(eps)) },
	"RoundDecimals": func(x *torch.Tensor, n int64) *torch.Tensor { return x.Round(torch.Decimals(n)) },
	"GELUTanh":      func(x *torch.Tensor) *torch.Tensor { return x.GELU(torch.ApproximateTanh) },
	"SoftplusWith": func(x *torch.Tensor, beta, threshold float64) *torch.Tensor {
		return x.Softplus(torch.Beta(beta), torch.WithThreshold(threshold))
	},
	"NaNToNum":  func(x *torch.Tensor, v pwNumbers) *torch.Tensor { return x.NaNToNum(v.options()...) },
	"NaNToNum_": func(x *torch.Tensor, v pwNumbers) *torch.Tensor { return x.NaNToNum_(v.options()...) },
	"IsClose": func(x, y *torch.Tensor, rtol, atol float64, equalNaN bool) *torch.Tensor {
		return x.IsClose(y, torch.RTol(rtol), torch.ATol(atol), torch.EqualNaN(equalNaN))
	},
	"AllClose": func(x, y *torch.Tensor, rtol, atol float64, equalNaN bool) bool {
		return x.AllClose(y, torch.RTol(rtol), torch.ATol(atol), torch.EqualNaN(equalNaN))
	},
}

func addcmul(f func(t, a, b *torch.Tensor, opts ...torch.AddcmulOption) *torch.Tensor) any {
	return func(t, a, b *torch.Tensor, value *float64) *torch.Tensor {
		if value == nil {
			return f(t, a, b)
		}
		return f(t, a, b, torch.Value(*value))
	}
}

// pwNumbers are the arguments of NaNToNum.
type pwNumbers struct{ NaN, PosInf, NegInf *float64 }

func (n pwNumbers) options() (opts []torch.NaNToNumOption) {
	if n.NaN != nil {
		opts = append(opts, torch.NaN(*n.NaN))
	}
	if n.PosInf != nil {
		opts = append(opts, torch.PosInf(*n.PosInf))
	}
	if n.NegInf != nil {
		opts = append(opts, torch.NegInf(*n.NegInf))
	}
	return opts
}

// arg converts an element of the call to a Go value of type want.
func (c *pwCase) arg(raw json.RawMessage, ins []*torch.Tensor, want reflect.Type) reflect.Value {
	var s string
	switch {
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			panic(err)
		}
	case bytes.Equal(raw, []byte("null")):
		return reflect.Zero(want)
	case want.Kind() == reflect.Interface:
		return reflect.ValueOf(pwScalar(raw))
	default:
		v := reflect.New(want)
		if err := json.Unmarshal(raw, v.Interface()); err != nil {
			panic(err)
		}
		return v.Elem()
	}
	if n, ok := strings.CutPrefix(s, "$"); ok {
		i, err := strconv.Atoi(n)
		if err != nil {
			panic(err)
		}
		return reflect.ValueOf(ins[i])
	}
	if d := goldDType(s); d != 0 {
		return reflect.ValueOf(d)
	}
	return reflect.ValueOf(s).Convert(want)
}

// pwScalar reads a bool or a number. As in Python, 2 is an integer and 2.0 a float.
func pwScalar(raw json.RawMessage) any {
	if b, err := strconv.ParseBool(string(raw)); err == nil && len(raw) > 1 {
		return b
	}
	if i, err := strconv.Atoi(string(raw)); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		panic(err)
	}
	return f
}

// run calls the operator and returns its results as tensors or bools.
func (c *pwCase) run(t *testing.T, ins []*torch.Tensor) []any {
	name := strings.TrimPrefix(c.Op, "Tensor.")
	call := c.Call
	f := reflect.ValueOf(pwFunctions[c.Op])
	if !f.IsValid() {
		self := c.arg(call[0], ins, reflect.TypeFor[*torch.Tensor]())
		f = self.MethodByName(name)
		require.True(t, f.IsValid(), "no method %s", name)
		call = call[1:]
	}
	var args []reflect.Value
	for i, raw := range call {
		ft := f.Type()
		want := ft.In(min(i, ft.NumIn()-1))
		if ft.IsVariadic() && i >= ft.NumIn()-1 {
			want = want.Elem()
		}
		args = append(args, c.arg(raw, ins, want))
	}
	var outs []any
	for _, v := range f.Call(args) {
		outs = append(outs, v.Interface())
	}
	if strings.HasSuffix(name, "_") {
		require.Same(t, ins[0], outs[0], "an in-place method returns its receiver")
	}
	return outs
}

func (c *pwCase) test(t *testing.T, sameVersion bool) {
	leaves := make([]*torch.Tensor, len(c.In))
	for i := range c.In {
		leaves[i] = c.In[i].gold().values()
	}
	for _, i := range c.Leaves {
		leaves[i].SetRequiresGrad(true)
	}
	ins := append([]*torch.Tensor(nil), leaves...)
	if strings.HasSuffix(c.Op, "_") {
		ins[0] = ins[0].Clone()
	}
	if c.Seed != nil {
		torch.ManualSeed(*c.Seed)
	}
	var outs []any
	err := torch.Try(func() { outs = c.run(t, ins) })
	if c.Error != "" {
		var te *torch.Error
		require.ErrorAs(t, err, &te)
		require.Error(t, te.Kind)
		require.NotEmpty(t, te.Args, "the error describes the tensors")
		if sameVersion {
			require.Equal(t, c.Error, te.Message)
		}
		return
	}
	require.NoError(t, err)
	require.Len(t, outs, len(c.Out))
	for i, out := range outs {
		if b, ok := out.(bool); ok {
			require.Equal(t, c.Out[i].Data[0] != 0, b)
			continue
		}
		c.Out[i].gold().check(t, "result", out.(*torch.Tensor), pwRoundings)
	}
	if c.Weight == nil {
		return
	}
	var inputs []*torch.Tensor
	for _, i := range c.Leaves {
		inputs = append(inputs, leaves[i])
	}
	var grads []*torch.Tensor
	err = torch.Try(func() {
		grads = torch.Grad([]*torch.Tensor{outs[0].(*torch.Tensor)}, inputs,
			torch.GradOutputs{c.Weight.gold().values()}, torch.AllowUnused(true))
	})
	if c.GradError != "" {
		// A later libtorch may support a gradient that this one rejects.
		if sameVersion {
			require.ErrorContains(t, err, c.GradError)
		}
		return
	}
	require.NoError(t, err)
	for i, want := range c.Grads {
		if want == nil {
			require.Nil(t, grads[i], "gradient %d", i)
			continue
		}
		what := fmt.Sprintf("gradient %d", i)
		require.NotNil(t, grads[i], what)
		want.gold().check(t, what, grads[i], pwRoundings, outs[0].(*torch.Tensor).DType())
	}
}

// The results, gradients and error messages of every pointwise operator equal PyTorch's, and
// nothing outlives a scope.
func TestPointwiseGoldens(t *testing.T) {
	file, cases := pwGoldens(t)
	for i := range cases {
		c := &cases[i]
		t.Run(fmt.Sprintf("%s/%d", c.Op, i), func(t *testing.T) {
			leakFree(t, func() { c.test(t, strings.HasPrefix(torch.Version(), file)) })
		})
	}
}

func pwGoldens(t *testing.T) (version string, cases []pwCase) {
	t.Helper()
	b, err := os.ReadFile("testdata/pointwise.json")
	require.NoError(t, err)
	var file struct {
		Torch string   `json:"torch"`
		Cases []pwCase `json:"cases"`
	}
	require.NoError(t, json.Unmarshal(b, &file))
	require.NotEmpty(t, file.Cases)
	return file.Torch, file.Cases
}
