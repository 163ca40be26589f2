package aten_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optable"
	"github.com/gotorch/gotorch/torch"
)

// call holds the arguments of an operator, encoded as in testdata/operators.jsonl.
type call = []any

func shaped(shape ...any) map[string]any {
	n := 1
	for _, d := range shape {
		n *= int(d.(float64))
	}
	v := make([]any, n)
	for i := range v {
		v[i] = float64(i%7) - 3
	}
	return map[string]any{"d": "float32", "s": shape, "v": v}
}

func ints(values ...float64) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func indices(values ...float64) map[string]any {
	return map[string]any{"d": "int64", "s": ints(float64(len(values))), "v": ints(values...)}
}

// degenerate has calls for which an operator might return an argument, and calls of
// operators that testdata/operators.jsonl lacks.
var degenerate = map[string][]call{
	"linear": {{shaped(2., 3.), shaped(4., 3.), nil}, {shaped(1., 1.), shaped(1., 1.), nil}},
	"baddbmm": {{
		shaped(2., 2., 2.), shaped(2., 2., 2.), shaped(2., 2., 2.),
		map[string]any{"i": 1.},
		map[string]any{"i": 0.},
	}},
	"addmm": {
		{
			shaped(2., 2.), shaped(2., 2.), shaped(2., 2.),
			map[string]any{"i": 1.},
			map[string]any{"i": 0.},
		},
		{shaped(2., 2.), shaped(2., 0.), shaped(0., 2.), map[string]any{"i": 1.}, map[string]any{"i": 1.}},
	},
	"mv": {{shaped(2., 3.), shaped(3.)}, {shaped(1., 1.), shaped(1.)}},
	"layer_norm": {
		{shaped(2., 3.), ints(3), nil, nil, 1e-5, false},
		{shaped(2., 3.), ints(3), shaped(3.), shaped(3.), 1e-5, true},
	},
	"scaled_dot_product_attention": {
		{
			shaped(1., 1., 2., 4.), shaped(1., 1., 2., 4.), shaped(1., 1., 2., 4.), nil, 0.,
			false, nil, false,
		},
		{shaped(1., 1., 1., 1.), shaped(1., 1., 1., 1.), shaped(1., 1., 1., 1.), nil, 0., true, nil, false},
	},
	"conv1d": {{shaped(1., 1., 3.), shaped(1., 1., 1.), nil, ints(1), ints(0), ints(1), 1.}},
	"conv2d": {{
		shaped(1., 1., 3., 3.), shaped(1., 1., 1., 1.), nil, ints(1, 1), ints(0, 0), ints(1, 1),
		1.,
	}, {shaped(0., 1., 3., 3.), shaped(1., 1., 1., 1.), nil, ints(1, 1), ints(0, 0), ints(1, 1), 1.}},
	"conv2d.padding": {
		{shaped(1., 1., 3., 3.), shaped(1., 1., 1., 1.), nil, ints(1, 1), "valid", ints(1, 1), 1.},
		{shaped(1., 1., 3., 3.), shaped(1., 1., 3., 3.), nil, ints(1, 1), "same", ints(1, 1), 1.},
	},
	"conv3d": {{
		shaped(1., 1., 2., 2., 2.), shaped(1., 1., 1., 1., 1.), nil, ints(1, 1, 1), ints(0, 0, 0),
		ints(1, 1, 1), 1.,
	}},
	"max_pool2d": {{shaped(1., 1., 2., 2.), ints(1, 1), ints(1, 1), ints(0, 0), ints(1, 1), false}},
	"avg_pool2d": {{shaped(1., 1., 2., 2.), ints(1, 1), ints(1, 1), ints(0, 0), false, true, nil}},
	"adaptive_avg_pool2d": {
		{shaped(1., 1., 2., 2.), ints(2, 2)},
		{shaped(1., 1., 1., 1.), ints(1, 1)},
		{shaped(1., 3., 2., 2.), ints(1, 1)},
	},
	"embedding": {
		{shaped(3., 2.), indices(0, 1, 2), -1., false, false},
		{shaped(1., 2.), indices(0), -1., false, false},
	},
	"nll_loss": {
		{shaped(2., 3.), indices(0, 1), nil, 0., -100.},
		{shaped(2., 3.), indices(0, 1), nil, 1., -100.},
	},
	"cross_entropy_loss": {{shaped(2., 3.), shaped(2., 3.), nil, 0., -100., 0.}},
	"mse_loss":           {{shaped(1.), shaped(1.), 0.}, {shaped(), shaped(), 1.}},
	"cat":                {{[]any{shaped(2., 2.)}, 0.}, {[]any{shaped(2., 2.), shaped(0.)}, 0.}},
	"stack":              {{[]any{shaped(2., 2.)}, 0.}},
	"sum":                {{shaped(), nil}, {shaped(1.), nil}},
	"mean":               {{shaped(), nil}, {shaped(1.), nil}},
	"sum.dim_IntList": {
		{shaped(2., 1.), ints(1), true, nil},
		{shaped(2., 1.), ints(1), false, nil},
		{shaped(), ints(), false, nil},
	},
	"mean.dim":        {{shaped(2., 1.), ints(1), true, nil}, {shaped(2., 1.), ints(1), false, nil}},
	"amax":            {{shaped(2., 1.), ints(1), true}, {shaped(), ints(), false}},
	"amin":            {{shaped(2., 1.), ints(1), true}, {shaped(), ints(), false}},
	"index_select":    {{shaped(2., 2.), 0., indices(0, 1)}},
	"softmax.int":     {{shaped(2., 1.), 1., "float32"}, {shaped(), 0., nil}},
	"log_softmax.int": {{shaped(2., 1.), 1., "float32"}, {shaped(), 0., nil}},
}

// forms are variants of the tensors of a call: unchanged, in a different layout, and with
// one element in each dimension.
var forms = map[string]func(t *torch.Tensor) *torch.Tensor{
	"plain": func(t *torch.Tensor) *torch.Tensor { return t },
	"turned": func(t *torch.Tensor) *torch.Tensor {
		if t.Dim() < 2 {
			return t
		}
		return t.Transpose(0, -1).Contiguous().Transpose(0, -1)
	},
	"single": func(t *torch.Tensor) *torch.Tensor {
		for d := range t.Dim() {
			t = t.Narrow(d, 0, min(1, t.Size(d)))
		}
		return t.Clone()
	},
}

// A result must never be an argument, or a view of an argument. Without autograd nothing
// would notice it, and a write to the result would silently change the argument.
func TestFreshResultsShareNothing(t *testing.T) {
	file, err := os.Open("testdata/operators.jsonl")
	require.NoError(t, err)
	defer file.Close()
	calls := map[string][]call{}
	for op, list := range degenerate {
		calls[op] = append(calls[op], list...)
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var rec recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &rec))
		calls[rec.Op] = append(calls[rec.Op], rec.Args)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, optable.Fresh)
	for _, op := range optable.Fresh {
		for mode, with := range map[string]func(func()){
			"no gradients": torch.NoGrad,
			"inference":    torch.InferenceMode,
		} {
			t.Run(op+"/"+mode, func(t *testing.T) {
				checked := 0
				for _, args := range calls[op] {
					for name, form := range forms {
						torch.Scope(func() { with(func() { checked += sharesNothing(t, op, name, args, form) }) })
					}
				}
				assert.Positive(t, checked, "no call of it succeeded")
			})
		}
	}
}

// sharesNothing calls an operator and compares the storages of results and arguments. It
// returns the number of results. An operator may reject the arguments of a form.
func sharesNothing(t *testing.T, op, form string, args call, change func(*torch.Tensor) *torch.Tensor) (results int) {
	fn := reflect.ValueOf(optable.Functions[op])
	require.Equal(t, len(args), fn.Type().NumIn())
	in := make([]reflect.Value, len(args))
	var given []*torch.Tensor
	for i, a := range args {
		in[i] = decode(t, a, fn.Type().In(i))
		switch v := in[i].Interface().(type) {
		case *torch.Tensor:
			if v != nil {
				v = change(v)
				in[i] = reflect.ValueOf(v)
				given = append(given, v)
			}
		case []*torch.Tensor:
			for j := range v {
				v[j] = change(v[j])
			}
			given = append(given, v...)
		}
	}
	var out []reflect.Value
	if torch.Try(func() { out = fn.Call(in) }) != nil {
		return 0
	}
	for _, o := range out {
		r, ok := o.Interface().(*torch.Tensor)
		require.True(t, ok)
		for i, g := range given {
			assert.NotSame(t, g, r)
			assert.False(t, r.SharesStorage(g), "%s, %s: the result shares tensor %d's memory: %v", op, form, i, args)
		}
		results++
	}
	return results
}
