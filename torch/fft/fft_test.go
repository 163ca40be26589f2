package fft_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/fft"
	"github.com/gotorch/gotorch/torchtest"
)

// functionRule holds what a generated function's documentation says about dtypes.
type functionRule struct {
	name           string
	function       any
	operator       any // of torch/aten
	dtype, refused string
}

func signal(d torch.DType) *torch.Tensor {
	return torch.Arange(24, torch.Float64).View(2, 3, 4).Sin().To(d)
}

// plain calls the operator with the schema's defaults.
func plain(operator any, x *torch.Tensor, n *int64, s []int64, dim int64, dims []int64, norm *string) *torch.Tensor {
	switch f := operator.(type) {
	case func(*torch.Tensor, *int64, int64, *string) *torch.Tensor:
		return f(x, n, dim, norm)
	case func(*torch.Tensor, []int64, []int64, *string) *torch.Tensor:
		return f(x, s, dims, norm)
	case func(*torch.Tensor, []int64) *torch.Tensor:
		return f(x, dims)
	}
	panic(reflect.TypeOf(operator))
}

func twoDims(name string) []int64 {
	if name[len(name)-1] == '2' {
		return []int64{-2, -1}
	}
	return nil
}

// Every function, with Python's defaults, returns the same as the operator with its name.
// It accepts the documented dtypes, and leaks nothing on errors.
func TestFunctions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	require.Len(t, functions, 20)
	for _, f := range functions {
		for _, d := range []torch.DType{
			torch.Bool, torch.Int64, torch.Float32, torch.Float64, torch.Complex64,
			torch.Complex128,
		} {
			torch.Scope(func() {
				x := signal(d)
				var got *torch.Tensor
				err := torch.Try(func() {
					got = reflect.ValueOf(f.function).
						Call([]reflect.Value{reflect.ValueOf(x)})[0].Interface().(*torch.Tensor)
				})
				if f.refused == "complex" && d.IsComplex() {
					assert.ErrorIs(t, err, torch.ErrDType, "%s of %v", f.name, d)
					return
				}
				require.NoError(t, err, "%s of %v", f.name, d)
				assert.True(t, got.Equal(plain(f.operator, x, nil, nil, -1, twoDims(f.name), nil)), "%s of %v", f.name,
					d)
				switch f.dtype {
				case "keep":
					assert.Equal(t, d, got.DType(), f.name)
				case "complex":
					assert.True(t, got.IsComplex(), f.name)
				default:
					assert.True(t, got.IsFloatingPoint(), f.name)
				}
			})
		}
		err := torch.Try(func() {
			reflect.ValueOf(f.function).Call([]reflect.Value{reflect.Zero(reflect.TypeFor[*torch.Tensor]())})
		})
		assert.ErrorIs(t, err, torch.ErrNil, f.name)
		assert.ErrorContains(t, err, "fft."+f.name)
	}
}

// rows returns the option tests of each generated function.
func rows() map[string]optiontest.Row {
	all := map[string]optiontest.Row{}
	norms := []optiontest.Pair{
		optiontest.Values(fft.NormOrtho, fft.NormForward),
		optiontest.Values(fft.NormBackward, fft.NormOrtho),
	}
	x := signal(torch.Float64)
	show := func(y *torch.Tensor) optiontest.Outcome {
		return optiontest.Outcome{"result": y.String() + y.Shape().String()}
	}
	for _, f := range functions {
		switch call := f.function.(type) {
		case func(*torch.Tensor, ...fft.Option) *torch.Tensor:
			all[f.name] = optiontest.For(func(opts ...fft.Option) optiontest.Outcome { return show(call(x, opts...)) },
				append(norms, optiontest.Values(fft.N(2), fft.N(3)), optiontest.Values(fft.Dim(0), fft.Dim(-1)))...)
		case func(*torch.Tensor, ...fft.NOption) *torch.Tensor:
			all[f.name] = optiontest.For(func(opts ...fft.NOption) optiontest.Outcome { return show(call(x, opts...)) },
				append(norms, optiontest.Values(fft.S{2, 2}, fft.S{3, 2}),
					optiontest.Values(fft.Dims{1, 0}, fft.Dims{2, 1}))...)
		case func(*torch.Tensor, ...fft.ShiftOption) *torch.Tensor:
			all[f.name] = optiontest.For(func(opts ...fft.ShiftOption) optiontest.Outcome {
				return show(call(x, opts...))
			},
				optiontest.Values(fft.Dim(0), fft.Dim(1)), optiontest.Values(fft.Dims{0, 2}, fft.Dims{}))
		}
	}
	frequencies := func(call func(int64, float64, ...torch.CreateOption) *torch.Tensor) optiontest.Row {
		return optiontest.For(func(opts ...torch.CreateOption) optiontest.Outcome {
			y := call(4, 1, opts...)
			return optiontest.Outcome{"result": fmt.Sprint(y.DType(), y.Device(), y.RequiresGrad())}
		}, optiontest.Values(torch.Float64, torch.Float32), optiontest.Values(torch.Meta, torch.CPU),
			optiontest.Values(torch.RequiresGrad(true), torch.RequiresGrad(false)))
	}
	all["FFTFreq"], all["RFFTFreq"] = frequencies(fft.FFTFreq), frequencies(fft.RFFTFreq)
	return all
}

func TestOptions(t *testing.T) {
	torch.Scope(func() {
		table := map[string][]string{}
		for name, r := range rows() {
			t.Run(name, func(t *testing.T) { r.Check(t) })
			table[name] = r.Options()
		}
		table["FFTFreq"], table["RFFTFreq"] = nil, nil // their options are tested in package torch
		optiontest.Read(t, ".").Complete(t, table)
	})
}

// Each option has the effect of the operator's argument.
func TestWhatOptionsMean(t *testing.T) {
	torch.Scope(func() {
		x, n, norm := signal(torch.Float64), int64(3), "ortho"
		for _, f := range functions {
			var got *torch.Tensor
			want := func() *torch.Tensor { return plain(f.operator, x, &n, []int64{2, 3}, 1, []int64{0, 1}, &norm) }
			switch call := f.function.(type) {
			case func(*torch.Tensor, ...fft.Option) *torch.Tensor:
				got = call(x, fft.N(3), fft.Dim(1), fft.NormOrtho)
			case func(*torch.Tensor, ...fft.NOption) *torch.Tensor:
				got = call(x, fft.S{2, 3}, fft.Dims{0, 1}, fft.NormOrtho)
			case func(*torch.Tensor, ...fft.ShiftOption) *torch.Tensor:
				got = call(x, fft.Dims{0, 1})
			}
			assert.True(t, got.Equal(want()), f.name)
		}
	})
}

// Inverse transforms undo transforms, and frequencies and gradients are right.
func TestTransforms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := signal(torch.Float64)
		torchtest.AllClose(t, x, fft.IRFFT(fft.RFFT(x), fft.N(4)))
		torchtest.AllClose(t, x, fft.IFFTN(fft.FFTN(x, fft.NormForward), fft.NormForward).Real())
		torchtest.AllClose(t, x, fft.HFFT(fft.IHFFT(x)))
		assert.True(t, x.Equal(fft.IFFTShift(fft.FFTShift(x))))
		assert.Equal(t, []float32{0, 0.4, 0.8, -0.8, -0.4}, fft.FFTFreq(5, 0.5).Float32s())
		assert.Equal(t, []float64{0, 0.25, 0.5}, fft.RFFTFreq(4, 1, torch.Float64).Float64s())
		f := fft.RFFTFreq(4, 1, torch.RequiresGrad(true))
		assert.True(t, f.RequiresGrad() && f.IsLeaf())
		assert.Equal(t, torch.Shape{0}, fft.FFTFreq(0, 1).Shape())
		y := torch.Ones(torch.Shape{3}, torch.Float64, torch.RequiresGrad(true))
		fft.FFT(y).Real().Sum().Backward()
		assert.Equal(t, []float64{3, 0, 0}, y.Grad().Float64s())
	})
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := signal(torch.Float32)
		for name, c := range map[string]struct {
			kind error
			f    func()
		}{
			"a dimension that is not there": {torch.ErrIndex, func() { fft.FFT(x, fft.Dim(3)) }},
			"no points":                     {torch.ErrValue, func() { fft.FFT(x, fft.N(0)) }},
			"another norm":                  {torch.ErrValue, func() { fft.FFT(x, fft.Norm("both")) }},
			"an empty norm":                 {torch.ErrValue, func() { fft.FFTN(x, fft.Norm("")) }},
			"a dimension given twice":       {torch.ErrShape, func() { fft.FFTN(x, fft.Dims{0, 0}) }},
			"two lengths":                   {torch.ErrShape, func() { fft.FFTN(x, fft.S{2}, fft.Dims{0, 1}) }},
			"a size below 1":                {torch.ErrValue, func() { fft.FFTN(x, fft.S{0, 2}) }},
			"a number":                      {torch.ErrIndex, func() { fft.FFT(torch.Ones(nil)) }},
			"a shift elsewhere":             {torch.ErrIndex, func() { fft.FFTShift(x, fft.Dim(5)) }},
			"whole frequencies":             {torch.ErrDType, func() { fft.FFTFreq(4, 1, torch.Int64) }},
			"a nil option":                  {torch.ErrNil, func() { fft.FFTFreq(4, 1, nil) }},
		} {
			assert.ErrorIs(t, torch.Try(c.f), c.kind, name)
		}
		assert.Error(t, torch.Try(func() { fft.RFFTFreq(-1, 1) }))
	})
}
