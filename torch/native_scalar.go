package torch

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// scalarArg converts a Go number to a libtorch Scalar. Integers stay integers,
// so adding 1 to an integer tensor keeps its dtype. It panics with an *Error
// that names the argument if v is not a number or bool.
func scalarArg(op, arg string, v any) abi.Scalar {
	return scalarAs(op, arg, "a number, bool or complex", v)
}

// scalarAs is scalarArg for arguments that accept other types too. expected
// describes the accepted types in the error.
func scalarAs(op, arg, expected string, v any) abi.Scalar {
	switch v := v.(type) {
	case int:
		return abi.Scalar{Kind: abi.ScalarInt, I: int64(v)}
	case float64:
		return abi.Scalar{Kind: abi.ScalarFloat, D: v}
	case int64:
		return abi.Scalar{Kind: abi.ScalarInt, I: v}
	case float32:
		return abi.Scalar{Kind: abi.ScalarFloat, D: float64(v)}
	case bool:
		s := abi.Scalar{Kind: abi.ScalarBool}
		if v {
			s.I = 1
		}
		return s
	case complex128:
		return abi.Scalar{Kind: abi.ScalarComplex, D: real(v), Im: imag(v)}
	case complex64:
		return abi.Scalar{Kind: abi.ScalarComplex, D: float64(real(v)), Im: float64(imag(v))}
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return abi.Scalar{Kind: abi.ScalarInt, I: r.Int()}
	case r.CanUint():
		if u := r.Uint(); u <= math.MaxInt64 {
			return abi.Scalar{Kind: abi.ScalarInt, I: int64(u)}
		}
		panic(argError(op, ErrValue, arg, fmt.Sprintf("%d does not fit in a 64-bit signed integer", v)))
	case r.CanFloat():
		return abi.Scalar{Kind: abi.ScalarFloat, D: r.Float()}
	case r.CanComplex():
		return abi.Scalar{Kind: abi.ScalarComplex, D: real(r.Complex()), Im: imag(r.Complex())}
	case r.Kind() == reflect.Bool:
		return scalarAs(op, arg, expected, r.Bool())
	}
	panic(argError(op, ErrType, arg, fmt.Sprintf("expected %s, got %T%s", expected, v, forTensors(op, v))))
}

// forTensors returns the end of the error for a tensor passed to op instead of
// a number. It names the method that takes a tensor, or says how to get the
// number.
func forTensors(op string, v any) string {
	if _, ok := v.(*Tensor); !ok {
		return ""
	}
	name, _ := splitOp(op)
	if with, ok := strings.CutSuffix(strings.TrimSuffix(name, "_"), "Scalar"); ok && with != "" {
		if strings.HasSuffix(name, "_") {
			with += "_"
		}
		return ": " + with + " takes a tensor"
	}
	return ": x.Item() returns the number in a tensor with one element"
}

// ScalarOf converts a Go number or bool to a scalar of package cgotorch. A nil
// v is an absent optional scalar. It panics with an *Error of kind ErrType that
// names op and arg for any other type.
func ScalarOf(op, arg string, v any) abi.Scalar {
	if v == nil {
		return abi.Scalar{}
	}
	return scalarArg(op, arg, v)
}

func scalarValue(s abi.Scalar) any {
	switch s.Kind {
	case abi.ScalarInt:
		return s.I
	case abi.ScalarBool:
		return s.I != 0
	case abi.ScalarComplex:
		return complex(s.D, s.Im)
	case abi.ScalarFloat:
		return s.D
	default:
		return nil
	}
}

// ScalarValue converts a scalar of package cgotorch to an int64, float64, bool,
// complex128 or nil.
func ScalarValue(s abi.Scalar) any { return scalarValue(s) }
