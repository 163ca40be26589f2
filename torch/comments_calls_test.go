package torch_test

import (
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch"
)

// quiet suppresses libtorch's warnings during a test, because calls with bad arguments cause many.
func quiet(t *testing.T) {
	t.Helper()
	was := torch.SetWarnings(torch.WarnNever)
	t.Cleanup(func() { torch.SetWarnings(was) })
}

// notCalled are methods for which there are no suitable arguments.
var notCalled = map[string]bool{"Format": true, "RegisterHook": true}

// badOptions are options that are invalid for at least some tensors.
var badOptions = []any{
	torch.Dim(9),
	torch.Dims{0, 0},
	torch.Dims{9},
	torch.Dim(0), torch.KeepDim(true), torch.Bool, torch.Int64, torch.Complex64, torch.Float16,
	torch.ChannelsLast, torch.SparseCSR, torch.RoundingMode("up"), torch.Alpha(0.5), torch.Beta(0.5), torch.Value(0.5),
	torch.Correction(0.5),
	torch.P(-1), torch.Upper(true), torch.Mode("x"), torch.Driver("x"), torch.UPLO("x"), torch.N(-1), torch.Bins(-1),
	torch.Interpolation("x"),
	torch.RTol(-1), torch.ATol(-1), torch.Decimals(1), torch.Eps(-1), torch.RequiresGrad(true),
}

// badArguments returns values of a parameter's type for the calls of a method. All are unusual, and
// many are invalid.
func badArguments(t *torch.Tensor, of reflect.Type) []reflect.Value {
	var list []any
	switch of {
	case reflect.TypeFor[*torch.Tensor]():
		closed := torch.Zeros(torch.Shape{2})
		_ = closed.Close()
		alike := closed
		if !t.IsClosed() {
			alike = t.Detach().Clone()
		}
		list = []any{
			(*torch.Tensor)(nil), closed, torch.Ones(torch.Shape{2, 3}),
			torch.Ones(torch.Shape{5}, torch.Int64), alike, torch.Ones(torch.Shape{1}, torch.Complex128),
		}
	case reflect.TypeFor[int64]():
		list = []any{int64(0), int64(-1), int64(1), int64(7), int64(-7), int64(2)}
	case reflect.TypeFor[bool]():
		list = []any{true, false}
	case reflect.TypeFor[float64]():
		list = []any{0.0, -1.0, 0.5, 7.5, 1.0, 2.0}
	case reflect.TypeFor[[]int64](), reflect.TypeFor[torch.Shape]():
		list = []any{[]int64(nil), []int64{0}, []int64{-1, 7}, []int64{7}, []int64{0, 0}, []int64{2, 3}}
	case reflect.TypeFor[any]():
		list = []any{2, -1, nil, "x", 0.5, 1i}
	}
	if of.Kind() == reflect.Interface && of.NumMethod() > 0 {
		list = append(list, nil)
		for _, option := range badOptions {
			if reflect.TypeOf(option).Implements(of) {
				list = append(list, option)
			}
		}
	}
	var values []reflect.Value
	for _, v := range list {
		if v == nil {
			values = append(values, reflect.Zero(of))
			continue
		}
		values = append(values, reflect.ValueOf(v).Convert(of))
	}
	return values
}

// callBadly calls a method several times with different bad arguments, and calls tell
// with each error.
func callBadly(t *torch.Tensor, method reflect.Method, tell func(error)) {
	typ := method.Func.Type()
	for i := range 12 {
		torch.Scope(func() {
			args := []reflect.Value{reflect.ValueOf(t)}
			for k := 1; k < typ.NumIn(); k++ {
				if typ.IsVariadic() && k == typ.NumIn()-1 && i%2 == 0 {
					break // no options
				}
				of := typ.In(k)
				if typ.IsVariadic() && k == typ.NumIn()-1 {
					of = of.Elem()
				}
				values := badArguments(t, of)
				if len(values) == 0 {
					values = []reflect.Value{reflect.Zero(of)}
				}
				args = append(args, values[(i+k-1)%len(values)])
			}
			if err := torch.Try(func() { method.Func.Call(args) }); err != nil {
				tell(err)
			}
		})
	}
}

// receiversOfBadCalls are the tensors on which methods are called with bad arguments.
var receiversOfBadCalls = map[string]func() *torch.Tensor{
	"nil":     func() *torch.Tensor { return nil },
	"closed":  func() *torch.Tensor { x := torch.Zeros(torch.Shape{2}); _ = x.Close(); return x },
	"matrix":  func() *torch.Tensor { return torch.Ones(torch.Shape{2, 3}) },
	"square":  func() *torch.Tensor { return torch.Ones(torch.Shape{3, 3}) },
	"scalar":  func() *torch.Tensor { return torch.Ones(nil) },
	"empty":   func() *torch.Tensor { return torch.Ones(torch.Shape{0}) },
	"ints":    func() *torch.Tensor { return torch.Ones(torch.Shape{3}, torch.Int64) },
	"bools":   func() *torch.Tensor { return torch.Ones(torch.Shape{2, 2}, torch.Bool) },
	"complex": func() *torch.Tensor { return torch.Ones(torch.Shape{2, 2}, torch.Complex64) },
	"leaf":    func() *torch.Tensor { return torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true)) },
}

// With any arguments, a method panics only with kinds of errors that its comment names, and leaks
// nothing.
func TestCommentsNameTheKindsThatOccur(t *testing.T) {
	if sanitized.On {
		t.Skip("it calls methods one after another, which other tests do too")
	}
	all := comments(t)
	quiet(t)
	typ := reflect.TypeFor[*torch.Tensor]()
	leakFree(t, func() {
		for i := range typ.NumMethod() {
			method := typ.Method(i)
			name := "Tensor." + method.Name
			if notCalled[method.Name] || cannotFail[name] != "" || strings.HasPrefix(method.Name, "CUDA") {
				continue
			}
			kinds := kindsOf(t, all, name)
			missing := map[string]string{}
			for of, make := range receiversOfBadCalls {
				torch.Scope(func() {
					callBadly(make(), method, func(err error) {
						var te *torch.Error
						require.ErrorAs(t, err, &te)
						if k := kindName[te.Kind]; !kinds[k] {
							missing[k] = of + ": " + err.Error()
						}
					})
				})
			}
			for k, why := range missing {
				assert.Fail(t, name+" does not name "+k, why)
			}
		}
	})
}

// refusals matches the dtypes that a comment says a method rejects.
var refusals = regexp.MustCompile(
	`ErrDType for ((?:bools|integers|complex numbers|anything but floating point)` +
		`(?:(?:,| and) (?:bools|integers|complex numbers))*)[.,]`)

// A method rejects with ErrDType the dtypes that its comment names.
func TestCommentsNameTheDTypesThatAreRefused(t *testing.T) {
	all := comments(t)
	quiet(t)
	typ := reflect.TypeFor[*torch.Tensor]()
	words := map[string][]torch.DType{
		"bools": {torch.Bool}, "integers": {torch.Int64}, "complex numbers": {torch.Complex64},
		"anything but floating point": {torch.Bool, torch.Int64, torch.Complex64},
	}
	checked := 0
	for i := range typ.NumMethod() {
		method := typ.Method(i)
		m := refusals.FindStringSubmatch(all["Tensor."+method.Name].text)
		if m == nil {
			continue
		}
		checked++
		for word, dtypes := range words {
			if !strings.Contains(m[1], word) {
				continue
			}
			for _, d := range dtypes {
				fine, refused := callWell(method, d)
				assert.True(t, refused && fine == 0, "%s does not refuse %v", method.Name, d)
			}
		}
	}
	require.Greater(t, checked, 100)
}

// callWell calls a method with tensors of one dtype and usual arguments. It returns how many calls
// succeed, and whether all errors are ErrDType.
func callWell(method reflect.Method, d torch.DType) (fine int, refused bool) {
	typ := method.Func.Type()
	for _, shape := range []torch.Shape{{3, 3}, {3}, {4}, {2, 3, 3}} {
		for _, n := range []int64{1, 0, 2, 4} {
			torch.Scope(func() {
				args := []reflect.Value{reflect.ValueOf(spread(shape, d))}
				for k := 1; k < typ.NumIn() && (!typ.IsVariadic() || k < typ.NumIn()-1); k++ {
					switch of := typ.In(k); of {
					case reflect.TypeFor[*torch.Tensor]():
						args = append(args, reflect.ValueOf(spread(shape[min(int(n%2), len(shape)-1):], d)))
					case reflect.TypeFor[[]int64]():
						args = append(args, reflect.ValueOf([]int64{n}))
					case reflect.TypeFor[bool]():
						args = append(args, reflect.ValueOf(true))
					case reflect.TypeFor[int64]():
						args = append(args, reflect.ValueOf(n))
					case reflect.TypeFor[float64](), reflect.TypeFor[any]():
						args = append(args, reflect.ValueOf(float64(n)/2))
					default:
						args = append(args, reflect.Zero(of))
					}
				}
				err := torch.Try(func() { method.Func.Call(args) })
				fine += map[bool]int{true: 1}[err == nil]
				refused = refused || errors.Is(err, torch.ErrDType)
			})
		}
	}
	return fine, refused
}

// spread returns a tensor of numbers between 0 and 1, converted to d. Its 3 x 3 matrices are not
// singular before the conversion.
func spread(shape torch.Shape, d torch.DType) *torch.Tensor {
	x := torch.Full(shape, 0.25, torch.Float32)
	if n := len(shape); n > 1 && shape[n-2] == 3 {
		x = x.Add(torch.Eye(3).MulScalar(0.5))
	}
	return x.To(d)
}
