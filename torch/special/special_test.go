package special_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/special"
	"github.com/gotorch/gotorch/torchtest"
)

// functionRule holds what a generated function's documentation says about dtypes.
type functionRule struct {
	name           string
	function       any
	operator       any // of torch/aten
	dtype, refused string
}

// arguments returns arguments for f: tensors of dtype d, and 2 where f takes a number.
func arguments(f any, d torch.DType) []reflect.Value {
	var args []reflect.Value
	for i := range reflect.TypeOf(f).NumIn() {
		if reflect.TypeOf(f).In(i).Kind() == reflect.Interface {
			args = append(args, reflect.ValueOf(2))
		} else {
			args = append(args, reflect.ValueOf(torch.FromSliceWith([]float64{0.25, 0.5, 0.75}, nil, d).AddScalar(i)))
		}
	}
	return args
}

func call(f any, args []reflect.Value) (result *torch.Tensor, err error) {
	err = torch.Try(func() { result = reflect.ValueOf(f).Call(args)[0].Interface().(*torch.Tensor) })
	return result, err
}

// Every generated function equals the operator with its name, accepts the documented dtypes, and
// leaks nothing on errors.
func TestFunctions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	require.Greater(t, len(functions), 60)
	for _, f := range functions {
		for _, d := range []torch.DType{torch.Bool, torch.Int64, torch.Float32, torch.Float64, torch.Complex64} {
			torch.Scope(func() {
				args := arguments(f.function, d)
				got, err := call(f.function, args)
				if d.IsComplex() {
					require.Equal(t, "complex", f.refused)
					assert.ErrorIs(t, err, torch.ErrDType, f.name)
					return
				}
				require.NoError(t, err, "%s of %v", f.name, d)
				want, err := call(f.operator, args)
				require.NoError(t, err)
				assert.True(t, want.AllClose(got, torch.EqualNaN(true)), "%s of %v: %v and %v", f.name, d, want, got)
				assert.Equal(t, want.DType(), got.DType())
				assert.True(t, got.IsFloatingPoint())
			})
		}
		torch.Scope(func() {
			args := arguments(f.function, torch.Float32)
			for i, a := range args {
				if x, ok := a.Interface().(*torch.Tensor); ok {
					_ = x.Close()
					_, err := call(f.function, args)
					assert.ErrorIs(t, err, torch.ErrClosed, f.name)
					assert.ErrorContains(t, err, "special."+f.name)
					args[i] = reflect.Zero(reflect.TypeFor[*torch.Tensor]())
					_, err = call(f.function, args)
					assert.ErrorIs(t, err, torch.ErrNil, f.name)
					break
				}
			}
			for i, a := range arguments(f.function, torch.Float32) {
				if a.Kind() == reflect.Int {
					args := arguments(f.function, torch.Float32)
					args[i] = reflect.ValueOf("two")
					_, err := call(f.function, args)
					assert.ErrorIs(t, err, torch.ErrType, f.name)
					args[i] = reflect.Zero(reflect.TypeFor[any]())
					_, err = call(f.function, args)
					assert.ErrorIs(t, err, torch.ErrType, f.name)
				}
			}
		})
	}
}

// If an operator has several functions, the name says whether the first or second
// argument is a number.
func TestNamesSayWhichArgumentIsANumber(t *testing.T) {
	for _, f := range functions {
		typ := reflect.TypeOf(f.function)
		first := typ.In(0).Kind() == reflect.Interface
		second := typ.NumIn() > 1 && typ.In(1).Kind() == reflect.Interface
		assert.Equal(t, first, strings.HasPrefix(f.name, "Scalar"), f.name)
		assert.Equal(t, second, strings.HasSuffix(f.name, "Scalar"), f.name)
	}
}

// Functions that are methods of package torch, under a different name, return the same.
func TestMethods(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]float64{0.1, 0.4, 0.7, 0.9}, 2, 2)
		y := torch.FromSlice([]float64{3, 2, 1, 4}, 2, 2)
		for name, pair := range map[string][2]*torch.Tensor{
			"Digamma":       {special.Digamma(x), x.Digamma()},
			"Psi":           {special.Psi(x), x.Digamma()},
			"Erf":           {special.Erf(x), x.Erf()},
			"Erfc":          {special.Erfc(x), x.Erfc()},
			"Erfinv":        {special.Erfinv(x), x.Erfinv()},
			"Exp2":          {special.Exp2(x), x.Exp2()},
			"Expit":         {special.Expit(x), x.Sigmoid()},
			"Expm1":         {special.Expm1(x), x.Expm1()},
			"Gammaln":       {special.Gammaln(x), x.Lgamma()},
			"I0":            {special.I0(x), x.I0()},
			"Log1p":         {special.Log1p(x), x.Log1p()},
			"Sinc":          {special.Sinc(x), x.Sinc()},
			"Gammainc":      {special.Gammainc(x, y), x.Igamma(y)},
			"Gammaincc":     {special.Gammaincc(x, y), x.Igammac(y)},
			"Xlogy":         {special.Xlogy(x, y), x.Xlogy(y)},
			"XlogyScalar":   {special.XlogyScalar(x, 3), x.XlogyScalar(3)},
			"Logit":         {special.Logit(x), x.Logit()},
			"Logit eps":     {special.Logit(x, special.Eps(0.2)), x.Logit(torch.Eps(0.2))},
			"Softmax":       {special.Softmax(x, 0), x.Softmax(0)},
			"Softmax dtype": {special.Softmax(x, 1, torch.Float32), x.Softmax(1, torch.Float32)},
			"LogSoftmax":    {special.LogSoftmax(x, 0), x.LogSoftmax(0)},
			"LogSumExp": {
				special.LogSumExp(x, special.Dim(1), special.KeepDim(true)),
				x.LogSumExp(torch.Dim(1), torch.KeepDim(true)),
			},
			"LogSumExp of all": {special.LogSumExp(x), x.LogSumExp()},
			"Round":            {special.Round(x), x.Round()},
			"Round decimals":   {special.Round(x, special.Decimals(1)), x.Round(torch.Decimals(1))},
			"Polygamma":        {special.Polygamma(2, x), x.Polygamma(2)},
			"Multigammaln":     {special.Multigammaln(y, 1), y.Mvlgamma(1)},
		} {
			assert.Equal(t, pair[1].DType(), pair[0].DType(), name)
			assert.True(t, pair[0].Equal(pair[1]), name)
		}
		assert.ErrorIs(t, torch.Try(func() { special.Erf(nil) }), torch.ErrNil)
	})
}

// Results equal PyTorch's, and functions have gradients.
func TestNumbers(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSliceWith([]float64{0.5, 1, 2}, nil, torch.RequiresGrad(true))
		torchtest.AllClose(t, torch.FromSlice([]float64{0.6914624612740131, 0.8413447460685429, 0.9772498680518208}),
			special.Ndtr(x))
		special.Entr(x).Sum().Backward()
		torchtest.AllClose(t, x.Detach().Log().Neg().SubScalar(1), x.Grad())
		torchtest.AllClose(t, torch.FromSlice([]float64{-5, -4, 40}), special.HermitePolynomialHScalar(x.Detach(), 3))
		torchtest.AllClose(t, torch.FromSlice([]float64{-1, 1, 26}), special.ChebyshevPolynomialTScalar(x.Detach(), 3))
	})
}
