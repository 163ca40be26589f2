package pyvalue

import (
	"math/big"
	"reflect"
)

// Fit describes whether a value from a file fits a variable of a program.
type Fit int

// The values of Fit.
const (
	NotBasic Fit = iota // the variable is neither a bool nor a number nor a string
	Unlike              // the value is of another type
	TooLarge            // the variable cannot hold the number
	Fits
)

// SetBasic sets a variable that is a bool, a number or a string to a value from a file.
// The value is a bool, int64, *big.Int, float64, complex128 or string. As in Python, an
// int fits a float, and a float fits a complex number. If the value does not fit, the
// variable stays unchanged.
func SetBasic(to reflect.Value, from any) Fit {
	switch {
	case to.Kind() == reflect.Bool:
		return set(to.SetBool, from)
	case to.Kind() == reflect.String:
		return set(to.SetString, from)
	case to.CanInt():
		n, ok := from.(int64)
		switch {
		case !ok:
			return Unlike
		case to.OverflowInt(n):
			return TooLarge
		}
		to.SetInt(n)
		return Fits
	case to.CanUint():
		return setUint(to, from)
	case to.CanFloat():
		if n, ok := from.(int64); ok {
			from = float64(n)
		}
		return set(to.SetFloat, from)
	case to.CanComplex():
		if f, ok := from.(float64); ok {
			from = complex(f, 0)
		}
		return set(to.SetComplex, from)
	}
	return NotBasic
}

func set[T any](to func(T), from any) Fit {
	v, ok := from.(T)
	if !ok {
		return Unlike
	}
	to(v)
	return Fits
}

func setUint(to reflect.Value, from any) Fit {
	var n uint64
	var fits bool
	switch v := from.(type) {
	case int64:
		n, fits = uint64(v), v >= 0 //nolint:gosec // fits tells
	case *big.Int:
		n, fits = v.Uint64(), v.IsUint64()
	default:
		return Unlike
	}
	if !fits || to.OverflowUint(n) {
		return TooLarge
	}
	to.SetUint(n)
	return Fits
}
