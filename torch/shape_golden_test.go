package torch_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// These types read the cases that testdata/op_golden.py writes. The script describes the
// format.

type goldCase struct {
	Name string
	Args []json.RawMessage
	Out  []goldTensor
	Grad []*goldTensor
}

type goldTensor struct {
	D      string
	S      torch.Shape
	V      goldNumbers
	G      bool    // a leaf that requires gradients
	Stride []int64 // present if the tensor shares memory with an argument
}

// goldNumbers are JSON numbers, bools, or "nan", "inf" and "-inf" in quotes.
type goldNumbers []float64

func (n *goldNumbers) UnmarshalJSON(b []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*n = make(goldNumbers, len(raw))
	for i, r := range raw {
		switch s := strings.Trim(string(r), `"`); s {
		case "true":
			(*n)[i] = 1
		case "false":
			(*n)[i] = 0
		default:
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return err
			}
			(*n)[i] = v
		}
	}
	return nil
}

// goldDType returns the dtype with this name, or 0.
func goldDType(name string) torch.DType {
	for d := torch.Uint8; d <= torch.Uint64; d++ {
		if d.String() == name {
			return d
		}
	}
	return 0
}

func (g *goldTensor) make() *torch.Tensor {
	t := g.values()
	if g.G {
		t.SetRequiresGrad(true)
	}
	return t
}

func (g *goldTensor) values() *torch.Tensor {
	dtype, shape := goldDType(g.D), append(torch.Shape{}, g.S...)
	if dtype.IsComplex() {
		v := make([]complex128, len(g.V)/2)
		for i := range v {
			v[i] = complex(g.V[2*i], g.V[2*i+1])
		}
		return torch.FromSliceWith(v, shape, dtype)
	}
	return torch.FromSliceWith([]float64(g.V), shape, dtype)
}

// goldArgs converts the arguments of a case to Go types.
type goldArgs struct {
	t   *testing.T
	raw []json.RawMessage
	ins []*torch.Tensor // all tensors, including the elements of lists
	at  map[int][]*torch.Tensor
}

func readGoldArgs(t *testing.T, raw []json.RawMessage) *goldArgs {
	a := &goldArgs{t: t, raw: raw, at: map[int][]*torch.Tensor{}}
	for i, r := range raw {
		var arg struct {
			T *goldTensor
			L []goldTensor
		}
		if len(r) == 0 || r[0] != '{' {
			continue
		}
		require.NoError(t, json.Unmarshal(r, &arg))
		if arg.T != nil {
			arg.L = []goldTensor{*arg.T}
		}
		for j := range arg.L {
			x := arg.L[j].make()
			a.at[i] = append(a.at[i], x)
			a.ins = append(a.ins, x)
		}
	}
	return a
}

func (a *goldArgs) read(i int, to any) { require.NoError(a.t, json.Unmarshal(a.raw[i], to)) }

// x returns tensor argument i, nil for None.
func (a *goldArgs) x(i int) *torch.Tensor {
	if l := a.at[i]; len(l) > 0 {
		return l[0]
	}
	return nil
}
func (a *goldArgs) list(i int) []*torch.Tensor { return a.at[i] }
func (a *goldArgs) int(i int) (n int64)        { a.read(i, &n); return n }
func (a *goldArgs) ints(i int) (n []int64)     { a.read(i, &n); return n }
func (a *goldArgs) bool(i int) (b bool)        { a.read(i, &b); return b }
func (a *goldArgs) str(i int) (s string)       { a.read(i, &s); return s }
func (a *goldArgs) optInt(i int) (n *int64)    { a.read(i, &n); return n }

// any returns argument i: an int64, a float64 if it is a float in Python, a bool, a string or nil.
func (a *goldArgs) any(i int) any {
	if a.raw[i][0] == '{' {
		return a.float(i)
	}
	var v any
	a.read(i, &v)
	if _, ok := v.(float64); ok {
		return a.int(i)
	}
	return v // a bool, a string or nil
}

func (a *goldArgs) float(i int) float64 {
	if a.raw[i][0] != '{' {
		return float64(a.int(i))
	}
	var v struct{ F json.RawMessage }
	a.read(i, &v)
	f, err := strconv.ParseFloat(strings.Trim(string(v.F), `"`), 64)
	require.NoError(a.t, err)
	return f
}

// value returns argument i as a value of type t.
func (a *goldArgs) value(i int, t reflect.Type) reflect.Value {
	switch {
	case t == reflect.TypeFor[*torch.Tensor]():
		return reflect.ValueOf(a.x(i))
	case t == reflect.TypeFor[[]*torch.Tensor]():
		return reflect.ValueOf(a.list(i))
	case t == reflect.TypeFor[torch.DType]():
		return reflect.ValueOf(goldDType(a.str(i)))
	case t.Kind() == reflect.Float64:
		return reflect.ValueOf(a.float(i)).Convert(t)
	case t.Kind() == reflect.Interface:
		if v := a.any(i); v != nil {
			return reflect.ValueOf(v)
		}
		return reflect.Zero(t)
	}
	v := reflect.New(t)
	a.read(i, v.Interface())
	return v.Elem()
}

// from returns argument i as a T, such as an option. Rows of goldOps contain it.
func from[T any](a *goldArgs, i int) any { return a.value(i, reflect.TypeFor[T]()).Interface() }

// A goldOp runs a case itself.
type goldOp = func(a *goldArgs) []*torch.Tensor

// goldOps says how to run the cases of a name, if that is not to call the method with this
// name, up to the first dot, with the arguments of the case. A row is a goldOp, or it begins
// with the function to call, or with the name of the method if that is another. The other
// elements are further arguments: values, from, and functions that make an option from the
// next argument of the case, such as torch.Weights.
type goldOps map[string][]any

// call runs the case with a row of goldOps. A method whose name ends in _ changes a clone.
func (a *goldArgs) call(name string, row []any) (outs []*torch.Tensor) {
	method, _, _ := strings.Cut(name, ".")
	var f reflect.Value
	if len(row) > 0 {
		first := reflect.ValueOf(row[0])
		switch {
		case first.Type() == reflect.TypeFor[goldOp]():
			return row[0].(goldOp)(a)
		case first.Type() == reflect.TypeFor[string]():
			method, row = row[0].(string), row[1:]
		case first.Kind() == reflect.Func && strings.HasSuffix(first.Type().Out(0).String(), "*torch.Tensor"):
			f, row = first, row[1:]
		}
	}
	next := 0 // the next argument of the case
	if !f.IsValid() {
		self := a.x(0)
		if strings.HasSuffix(method, "_") {
			self = self.Clone()
		}
		f, next = reflect.ValueOf(self).MethodByName(method), 1
		require.True(a.t, f.IsValid(), "no method %s", method)
	}
	call, t, fixed := f.Call, f.Type(), f.Type().NumIn()
	if t.IsVariadic() {
		fixed--
	}
	var in []reflect.Value
	for ; len(in) < fixed && next < len(a.raw); next++ {
		in = append(in, a.value(next, t.In(len(in))))
	}
	for _, arg := range row {
		v := reflect.ValueOf(arg)
		switch read, ok := arg.(func(*goldArgs, int) any); {
		case ok:
			v = reflect.ValueOf(read(a, next))
			next++
		case v.Kind() == reflect.Func:
			v = v.Call([]reflect.Value{a.value(next, v.Type().In(0))})[0]
			next++
		case len(in) < fixed:
			v = v.Convert(t.In(len(in)))
		}
		in = append(in, v)
	}
	for ; t.IsVariadic() && next < len(a.raw); next++ {
		if list := t.In(fixed); a.raw[next][0] == '[' || len(a.list(next)) > 0 {
			in, call = append(in, a.value(next, list)), f.CallSlice
		} else {
			in = append(in, a.value(next, list.Elem()))
		}
	}
	require.Len(a.t, a.raw, next, "arguments of %s", name)
	for _, out := range call(in) {
		switch out := out.Interface().(type) {
		case *torch.Tensor:
			outs = append(outs, out)
		case []*torch.Tensor:
			outs = append(outs, out...)
		}
	}
	return outs
}

// goldOut returns a list of results.
func goldOut(ts ...*torch.Tensor) []*torch.Tensor { return ts }

// goldWeights returns the same tensor as weights in op_golden.py.
func goldWeights(x *torch.Tensor) *torch.Tensor {
	w := make([]float64, x.Numel())
	for i := range w {
		w[i] = float64(i%7+1) / 8
	}
	return torch.FromSliceWith(w, x.Shape(), x.DType())
}

// goldCases returns the cases of a file in testdata.
func goldCases(t *testing.T, file string) []goldCase {
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var golden struct{ Cases []goldCase }
	require.NoError(t, json.Unmarshal(data, &golden))
	require.NotEmpty(t, golden.Cases)
	return golden.Cases
}

// runGolden runs a file of cases. A result may differ by the given number of rounding errors; see
// torchtest.Rounding.
func runGolden(t *testing.T, file string, ops goldOps, roundings int) {
	tested := map[string]bool{}
	for i, c := range goldCases(t, file) {
		tested[c.Name] = true
		t.Run(fmt.Sprintf("%s/%d", c.Name, i), func(t *testing.T) {
			leakFree(t, func() { c.run(t, ops[c.Name], roundings) })
		})
	}
	for name := range ops {
		assert.True(t, tested[name], "no case for %s", name)
	}
}

func (c goldCase) run(t *testing.T, row []any, roundings int) {
	a := readGoldArgs(t, c.Args)
	outs := a.call(c.Name, row)
	require.Len(t, outs, len(c.Out))
	var roots, weights []*torch.Tensor
	var results []torch.DType
	for i, out := range outs {
		c.Out[i].check(t, fmt.Sprintf("result %d", i), out, roundings)
		if out.RequiresGrad() {
			roots, weights = append(roots, out), append(weights, goldWeights(out))
			results = append(results, out.DType())
		}
		shares := false
		for _, in := range a.ins {
			shares = shares || out.SharesStorage(in)
		}
		assert.Equal(t, c.Out[i].Stride != nil, shares, "result %d shares memory with an argument", i)
		if c.Out[i].Stride != nil {
			assert.Equal(t, c.Out[i].Stride, append([]int64{}, out.Stride()...), "stride of result %d", i)
		}
	}
	if c.Grad == nil {
		return
	}
	require.NotEmpty(t, roots, "no result requires gradients")
	torch.Backward(roots, torch.GradTensors(weights))
	for i, want := range c.Grad {
		got := a.ins[i].Grad()
		if want == nil {
			assert.Nil(t, got, "argument %d has a gradient", i)
			continue
		}
		require.NotNil(t, got, "argument %d has no gradient", i)
		want.check(t, fmt.Sprintf("gradient of argument %d", i), got, roundings, results...)
	}
}

// check compares got, a result or a gradient, with g, and allows the given number of rounding
// errors. For a gradient, results are the dtypes of the operator's results, whose errors count too.
func (g *goldTensor) check(t *testing.T, what string, got *torch.Tensor, roundings int, results ...torch.DType) {
	t.Helper()
	require.Equal(t, g.S.String(), got.Shape().String(), "shape of %s", what)
	want := g.values()
	tolerance := torchtest.Rounding(roundings, append(results, want.DType())...)
	assert.Empty(t, torchtest.Difference(want, got, tolerance), what)
}

// checkGoldCover fails for exported methods and functions of the files that have no case in
// golden or in options.json.
func checkGoldCover(t *testing.T, golden string, files ...string) {
	covered := map[string]bool{}
	for _, c := range append(goldCases(t, golden), goldCases(t, "options.json")...) {
		covered[c.Name] = true
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && !makesOption(fn) {
				assert.True(t, covered[fn.Name.Name], "%s is not tested against PyTorch", fn.Name.Name)
			}
		}
	}
}

// makesOption reports whether a function only creates an option, which is tested with the functions
// that take it.
func makesOption(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || fn.Type.Results == nil {
		return false
	}
	id, ok := fn.Type.Results.List[0].Type.(*ast.Ident)
	return ok && strings.HasSuffix(id.Name, "Option")
}
