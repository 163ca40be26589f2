package aten_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// callWords calls the operator called name by its number in the table. An argument is a
// tensor, a list of tensors, an int, float, bool or string, or []int64. nil means None.
func callWords(t *testing.T, name string, args []any) abi.Status {
	t.Helper()
	op := operator(t, name)
	require.Len(t, args, len(op.Args), name)
	var ws []uint64
	for i, kind := range []byte(op.Args) {
		ws = append(ws, wordsOf(t, kind, args[i])...)
	}
	got := make([]uint64, 4*len(op.Results)+1)
	st := op.Call(noGrad, ws, got)
	if st != 0 {
		return st
	}
	for _, kind := range op.Results {
		switch kind {
		case 't':
			cgotorch.Free(abi.Tensor(got[0]))
			got = got[1:]
		case 'l':
			cgotorch.FreeMany(aten.TakeList(got[:2]))
			got = got[2:]
		case 'i', 'b', 'd':
			got = got[1:]
		}
	}
	return 0
}

func wordsOf(t *testing.T, kind byte, arg any) []uint64 {
	t.Helper()
	switch v := arg.(type) {
	case nil:
		switch kind {
		case 'I', 'D', 'B':
			return []uint64{0, 0}
		case 'T', 'G':
			return []uint64{0}
		case 'S':
			return make([]uint64, 4)
		}
		return []uint64{math.MaxUint64}
	case abi.Tensor:
		return []uint64{uint64(v)}
	case []abi.Tensor:
		ws := []uint64{uint64(len(v))}
		for _, h := range v {
			ws = append(ws, uint64(h))
		}
		return ws
	case bool:
		if v {
			return []uint64{1}
		}
		return []uint64{0}
	case int:
		return numberWords(kind, uint64(v), abi.Scalar{Kind: abi.ScalarInt, I: int64(v)}, float64(v))
	case float64:
		return numberWords(kind, math.Float64bits(v), abi.Scalar{Kind: abi.ScalarFloat, D: v}, v)
	case []int64:
		ws := []uint64{uint64(len(v))}
		for _, n := range v {
			ws = append(ws, uint64(n))
		}
		return ws
	case []bool:
		ws := []uint64{uint64(len(v))}
		for _, b := range v {
			ws = append(ws, wordsOf(t, 'b', b)...)
		}
		return ws
	case string:
		ws := []uint64{uint64(len(v))}
		for at := 0; at < len(v); at += 8 {
			var w uint64
			for i := at; i < min(at+8, len(v)); i++ {
				w |= uint64(v[i]) << (8 * (i - at))
			}
			ws = append(ws, w)
		}
		return ws
	}
	require.Fail(t, "no words of", "%T", arg)
	return nil
}

func numberWords(kind byte, word uint64, s abi.Scalar, d float64) []uint64 {
	switch kind {
	case 's', 'S':
		return []uint64{uint64(s.Kind), uint64(s.I), math.Float64bits(s.D), 0}
	case 'I':
		return []uint64{1, word}
	case 'D':
		return []uint64{1, math.Float64bits(d)}
	case 'd':
		return []uint64{math.Float64bits(d)}
	}
	return []uint64{word}
}

// callTyped calls fn, a function of package aten. args are as for callWords.
func callTyped(t *testing.T, fn any, args []any) abi.Status {
	t.Helper()
	f := reflect.ValueOf(fn)
	in := []reflect.Value{reflect.ValueOf(noGrad)}
	for i, arg := range args {
		in = append(in, valueOf(f.Type().In(i+1), arg))
	}
	st := abi.Status(0)
	for _, out := range f.Call(in) {
		switch v := out.Interface().(type) {
		case abi.Status:
			st = v
		case abi.Ret:
			st = v.Err
			cgotorch.Free(v.T)
		case []abi.Tensor:
			cgotorch.FreeMany(v)
		case [2]abi.Tensor:
			cgotorch.FreeMany(v[:])
		case [3]abi.Tensor:
			cgotorch.FreeMany(v[:])
		}
	}
	return st
}

func valueOf(to reflect.Type, arg any) reflect.Value {
	if arg == nil {
		if to.Kind() == reflect.Int8 || to.Kind() == reflect.Int32 {
			return reflect.ValueOf(none).Convert(to)
		}
		return reflect.Zero(to)
	}
	v := reflect.ValueOf(arg)
	switch {
	case to == reflect.TypeFor[abi.Scalar]():
		if n, ok := arg.(int); ok {
			return reflect.ValueOf(integer(int64(n)))
		}
		return reflect.ValueOf(float(arg.(float64)))
	case to.Kind() == reflect.Pointer:
		p := reflect.New(to.Elem())
		p.Elem().Set(v.Convert(to.Elem()))
		return p
	case to.Kind() == reflect.Array:
		a := reflect.New(to).Elem()
		reflect.Copy(a, v)
		return a
	}
	return v.Convert(to)
}
