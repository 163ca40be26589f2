package aten_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/abi"
	raw "github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/optable"
	"github.com/gotorch/gotorch/torch"
)

// An operator with its own C++ function can also be called boxed. For all recorded calls,
// both ways give the same bits and gradients, and the same errors for an invalid tensor.
// Neither way leaks.
func TestTypedAndBoxedCallsAgree(t *testing.T) {
	operators := map[string]raw.Operator{}
	for _, op := range raw.Operators() {
		operators[op.Name] = op
	}
	file, err := os.Open("testdata/operators.jsonl")
	require.NoError(t, err)
	defer file.Close()
	before := torch.NumLiveTensors()
	compared, backward, refused := map[string]bool{}, map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var rec recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &rec))
		op := operators[rec.Op]
		if !op.HasTyped || uninitialized[rec.Op] {
			continue
		}
		t.Run(rec.Op, func(t *testing.T) {
			p := pair{t: t, op: op, rec: rec}
			torch.Scope(func() { torch.NoGrad(func() { p.run() }) })
			compared[rec.Op] = true
			p.grad = true
			torch.Scope(func() { p.run() })
			backward[rec.Op] = backward[rec.Op] || p.passes > 0
			p.grad, p.spoilt = false, true
			torch.Scope(func() { torch.NoGrad(func() { p.run() }) })
			refused[rec.Op] = refused[rec.Op] || p.errors > 0
		})
	}
	require.NoError(t, lines.Err())
	assert.Equal(t, before, torch.NumLiveTensors())
	t.Logf("%d operators, %d with a backward pass, %d with an error", len(compared), count(backward), count(refused))
	assert.Greater(t, len(compared), 300)
	assert.Greater(t, count(backward), 100)
	assert.Greater(t, count(refused), 100)
}

// uninitialized are the operators whose results have undefined values.
var uninitialized = map[string]bool{
	"empty.memory_format": true, "empty_like": true, "empty_strided": true, "new_empty": true,
	"new_empty_strided": true,
	"resize_":           true, "resize_as_": true,
}

func count(set map[string]bool) (n int) {
	for _, yes := range set {
		if yes {
			n++
		}
	}
	return n
}

// pair makes one recorded call both ways, typed and boxed.
type pair struct {
	t              *testing.T
	op             raw.Operator
	rec            recorded
	grad           bool // record gradients, and compare them
	spoilt         bool // replace a tensor with an invalid one
	passes, errors int
}

// called is the outcome of one call.
type called struct {
	out, args []reflect.Value // args in the schema's order
	err       *torch.Error
}

func (p *pair) run() {
	t := p.t
	typed, boxed := p.call(p.typed), p.call(p.boxed)
	if typed.err != nil || boxed.err != nil {
		p.errors++
		require.NotNil(t, typed.err, "the boxed call failed: %v", boxed.err)
		require.NotNil(t, boxed.err, "the typed call failed: %v", typed.err)
		assert.Equal(t, typed.err.Kind, boxed.err.Kind)
		assert.Equal(t, typed.err.Message, boxed.err.Message)
		return
	}
	require.Len(t, boxed.out, len(typed.out))
	for i := range typed.out {
		same(t, typed.out[i].Interface(), boxed.out[i].Interface())
	}
	for i := range typed.args {
		same(t, typed.args[i].Interface(), boxed.args[i].Interface())
	}
	if p.grad && p.backward(typed) {
		require.True(t, p.backward(boxed))
		p.passes++
		for i := range typed.args {
			if a, ok := typed.args[i].Interface().(*torch.Tensor); ok && a != nil && a.Grad() != nil {
				same(t, a.Grad(), boxed.args[i].Interface().(*torch.Tensor).Grad())
			}
		}
	}
}

// call makes the call in one way. It decodes the arguments again for each call, because
// an operator may write to them. It stores the error of the call, if any.
func (p *pair) call(way func([]reflect.Value) []reflect.Value) (c called) {
	typ := reflect.TypeOf(optable.Functions[p.rec.Op])
	for i, a := range p.rec.Args {
		v := decode(p.t, a, typ.In((i+optable.Outs[p.rec.Op])%typ.NumIn()))
		c.args = append(c.args, v)
		x, ok := v.Interface().(*torch.Tensor)
		if p.grad && ok && x != nil && p.op.Args[i] != 'm' && (x.IsFloatingPoint() || x.IsComplex()) {
			x.SetRequiresGrad(true)
		}
		if p.spoilt && ok && x != nil && i == max(0, slices.Index([]byte(p.op.Args[1:]), 't')+1) {
			c.args[i] = reflect.ValueOf(torch.Zeros(torch.Shape{3, 1, 5, 7, 2, 2, 9}))
		}
	}
	if err := torch.Try(func() { c.out = way(c.args) }); err != nil {
		require.True(p.t, errors.As(err, &c.err))
	}
	return c
}

func (p *pair) typed(args []reflect.Value) []reflect.Value {
	placed := make([]reflect.Value, len(args))
	for i := range args {
		placed[(i+optable.Outs[p.rec.Op])%len(args)] = args[i]
	}
	return reflect.ValueOf(optable.Functions[p.rec.Op]).Call(placed)
}

// boxed writes the arguments as words, calls the operator and reads the results.
func (p *pair) boxed(args []reflect.Value) (out []reflect.Value) {
	var words []uint64
	var written []*torch.Tensor
	for i, a := range args {
		words = append(words, p.words(p.op.Args[i], a.Interface())...)
		if p.op.Args[i] == 'm' {
			written = append(written, a.Interface().(*torch.Tensor))
		}
	}
	results := make([]uint64, 4*len(p.op.Results)+1)
	r := torch.BeginRaw(p.op.Name)
	st := p.op.Call(r.Ctx, words, results)
	r.Status(st)
	for i, code := range p.op.Results {
		switch {
		case code == 't':
			out = append(out, reflect.ValueOf(r.Wrap(abi.Tensor(results[0]))))
		case code == 'l':
			out = append(out, reflect.ValueOf(r.WrapAll(raw.TakeList(results))))
			results = results[1:]
		case code == 'i':
			out = append(out, reflect.ValueOf(int64(results[0])))
		case code == 'b':
			out = append(out, reflect.ValueOf(results[0] != 0))
		case code == 'd':
			out = append(out, reflect.ValueOf(math.Float64frombits(results[0])))
		case code >= '0' && code < '0'+rune(len(written)):
			out = append(out, reflect.ValueOf(written[code-'0']))
			continue
		default:
			require.Failf(p.t, "result", "%d: %c", i, code)
		}
		results = results[1:]
	}
	return out
}

// words returns the words of an argument; see boxed.h.
func (p *pair) words(code byte, v any) []uint64 {
	if code == 's' || code == 'S' {
		if code == 's' && v == nil {
			v = 1 // the only default
		}
		s := torch.ScalarOf("boxed", "scalar", v)
		return []uint64{uint64(s.Kind), uint64(s.I), math.Float64bits(s.D), math.Float64bits(s.Im)}
	}
	bit := map[bool]uint64{true: 1}
	if v := reflect.ValueOf(v); (v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer && (code == 'C')) &&
		v.IsNil() {
		if code == 'l' || code == 'v' || code == 'n' || code == 'L' {
			return []uint64{0}
		}
		return []uint64{^uint64(0)}
	}
	switch v := v.(type) {
	case *torch.Tensor:
		return []uint64{uint64(v.OptionalHandle())}
	case []*torch.Tensor:
		ws := []uint64{uint64(len(v))}
		for _, x := range v {
			ws = append(ws, uint64(x.OptionalHandle()))
		}
		return ws
	case bool:
		return []uint64{bit[v]}
	case *bool:
		return []uint64{bit[v != nil], bit[v != nil && *v]}
	case int64:
		return []uint64{uint64(v)}
	case *int64:
		if v == nil {
			return []uint64{0, 0}
		}
		return []uint64{1, uint64(*v)}
	case float64:
		return []uint64{math.Float64bits(v)}
	case *float64:
		if v == nil {
			return []uint64{0, 0}
		}
		return []uint64{1, math.Float64bits(*v)}
	case []int64:
		ws := []uint64{uint64(len(v))}
		for _, n := range v {
			ws = append(ws, uint64(n))
		}
		return ws
	case []float64:
		ws := []uint64{uint64(len(v))}
		for _, d := range v {
			ws = append(ws, math.Float64bits(d))
		}
		return ws
	case string:
		ws := []uint64{uint64(len(v))}
		for from := 0; from < len(v); from += 8 {
			var w [8]byte
			copy(w[:], v[from:])
			ws = append(ws, *(*uint64)(unsafe.Pointer(&w)))
		}
		return ws
	case *string:
		return p.words('c', *v)
	case torch.DType:
		return []uint64{uint64(v.Code())}
	case torch.Layout:
		return []uint64{uint64(v.Code())}
	case torch.MemoryFormat:
		if v == 0 && code == 'f' {
			v = torch.ContiguousFormat // the only default
		}
		return []uint64{uint64(v.Code())}
	case *torch.Device:
		if v == nil {
			return []uint64{^uint64(0)}
		}
		return []uint64{uint64(v.Code())}
	case *torch.Generator:
		return []uint64{uint64(v.Handle())}
	}
	require.Failf(p.t, "argument", "%T", v)
	return nil
}

// backward runs a backward pass from all results that have one.
func (p *pair) backward(c called) bool {
	var loss *torch.Tensor
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case []*torch.Tensor:
			for _, x := range v {
				add(x)
			}
		case *torch.Tensor:
			if v == nil || !v.RequiresGrad() || !v.IsFloatingPoint() {
				return
			}
			s := v.Mul(v).Sum()
			if loss != nil {
				s = s.Add(loss)
			}
			loss = s
		}
	}
	for _, o := range c.out {
		add(o.Interface())
	}
	if loss == nil {
		return false
	}
	return torch.Try(func() { loss.Backward() }) == nil
}

// same compares bit by bit, but all NaNs are equal.
func same(t *testing.T, want, got any) {
	t.Helper()
	if d, ok := want.(torch.DType); ok {
		want = int64(d.Code())
	}
	switch w := want.(type) {
	case *torch.Tensor:
		g, ok := got.(*torch.Tensor)
		require.True(t, ok)
		if w == nil || g == nil {
			assert.Equal(t, w == nil, g == nil)
			return
		}
		require.Equal(t, w.DType(), g.DType())
		require.Equal(t, w.Shape(), g.Shape())
		assert.Equal(t, w.RequiresGrad(), g.RequiresGrad())
		torch.NoGrad(func() { assert.Equal(t, bits(w), bits(g)) })
	case []*torch.Tensor:
		g, ok := got.([]*torch.Tensor)
		require.True(t, ok)
		require.Len(t, g, len(w))
		for i := range w {
			same(t, w[i], g[i])
		}
	case float64:
		assert.Equal(t, math.Float64bits(w), math.Float64bits(got.(float64)))
	default:
		if d, ok := got.(torch.DType); ok {
			got = int64(d.Code())
		}
		assert.Equal(t, want, got)
	}
}

func bits(x *torch.Tensor) []uint64 {
	var flat []float64
	switch {
	case x.IsComplex():
		for _, c := range x.Complex128s() {
			flat = append(flat, real(c), imag(c))
		}
	case x.IsFloatingPoint():
		flat = x.Float64s()
	default:
		var list []uint64
		for _, n := range x.Int64s() {
			list = append(list, uint64(n))
		}
		return list
	}
	list := make([]uint64, len(flat))
	for i, f := range flat {
		if f != f {
			f = math.NaN()
		}
		list[i] = math.Float64bits(f)
	}
	return list
}
