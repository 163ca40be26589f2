package torch_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// methodRule is what the comment of a generated method says about dtypes.
type methodRule struct {
	name    string
	dtype   string
	refused string
	inPlace bool
}

// kindOfDType returns the word for a dtype in the rules.
func kindOfDType(d torch.DType) string {
	switch {
	case d.IsComplex():
		return "complex"
	case d.IsFloatingPoint():
		return "float"
	case d == torch.Bool:
		return "bool"
	}
	return "int"
}

// result returns the dtype that a rule gives for a tensor of dtype d.
func (m methodRule) result(d torch.DType) torch.DType {
	kind := kindOfDType(d)
	integral := kind == "bool" || kind == "int"
	switch {
	case m.dtype == "bool":
		return torch.Bool
	case m.dtype == "double" && kind == "complex":
		return torch.Complex128
	case m.dtype == "double":
		return torch.Float64
	case strings.HasSuffix(m.dtype, "float") && integral:
		return torch.Float32
	case strings.HasPrefix(m.dtype, "real") && d == torch.Complex64:
		return torch.Float32
	case m.name == "ViewAsComplex" && d == torch.Float64:
		return torch.Complex128
	case m.name == "ViewAsComplex":
		return torch.Complex64
	case kind == "bool" && (strings.HasSuffix(m.name, "Scalar") || m.name == "Square"):
		return torch.Int64 // callMethod passes an integer
	}
	return d
}

var methodDTypes = []torch.DType{torch.Bool, torch.Uint8, torch.Int64, torch.Float32, torch.Float64, torch.Complex64}

// callMethod calls a method with tensors of dtype d and the number 2.
func callMethod(name string, d torch.DType) (self, result *torch.Tensor, err error) {
	ones := func() *torch.Tensor { return torch.Ones(torch.Shape{2}, d) }
	self = ones()
	f := reflect.ValueOf(self).MethodByName(name)
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		if f.Type().In(i).Kind() == reflect.Interface {
			args = append(args, reflect.ValueOf(2))
		} else {
			args = append(args, reflect.ValueOf(ones()))
		}
	}
	err = torch.Try(func() { result = f.Call(args)[0].Interface().(*torch.Tensor) })
	return self, result, err
}

// Every generated method accepts the documented dtypes, rejects the others with ErrDType, and
// returns the documented dtype.
func TestGeneratedMethodsKeepTheirDTypeRules(t *testing.T) {
	require.Greater(t, len(methods), 100)
	leakFree(t, func() {
		for _, m := range methods {
			for _, d := range methodDTypes {
				torch.Scope(func() {
					self, got, err := callMethod(m.name, d)
					if strings.Contains(" "+m.refused+" ", " "+kindOfDType(d)+" ") {
						assert.ErrorIs(t, err, torch.ErrDType, "%s of %s", m.name, d)
						return
					}
					if !assert.NoError(t, err, "%s of %s", m.name, d) {
						return
					}
					assert.Equal(t, m.result(d), got.DType(), "%s of %s", m.name, d)
					assert.NotSame(t, self, got, m.name)
				})
			}
		}
	})
}

// The in-place forms return their receiver without changing its dtype, or reject, with
// ErrDType, results that do not fit. For a leaf that requires gradients they panic with
// ErrAutograd.
func TestGeneratedInPlaceMethods(t *testing.T) {
	leakFree(t, func() {
		for _, m := range methods {
			if !m.inPlace {
				continue
			}
			for _, d := range methodDTypes {
				torch.Scope(func() {
					self, got, err := callMethod(m.name+"_", d)
					refused := strings.Contains(" "+m.refused+" ", " "+kindOfDType(d)+" ")
					if err != nil {
						assert.ErrorIs(t, err, torch.ErrDType, "%s_ of %s", m.name, d)
						assert.True(t, refused || m.result(d) != d, "%s_ of %s: %v", m.name, d, err)
						return
					}
					assert.False(t, refused, "%s_ of %s", m.name, d)
					assert.Same(t, self, got, "%s_ of %s", m.name, d)
					assert.Equal(t, d, self.DType(), "%s_ of %s", m.name, d)
				})
			}
			torch.Scope(func() {
				leaf := torch.Ones(torch.Shape{2}, torch.Float64, torch.RequiresGrad(true))
				f := reflect.ValueOf(leaf).MethodByName(m.name + "_")
				var args []reflect.Value
				for i := range f.Type().NumIn() {
					if f.Type().In(i).Kind() == reflect.Interface {
						args = append(args, reflect.ValueOf(2))
					} else {
						args = append(args, reflect.ValueOf(torch.Ones(torch.Shape{2}, torch.Float64)))
					}
				}
				err := torch.Try(func() { f.Call(args) })
				switch {
				case strings.Contains(m.refused, "float"):
				case m.dtype == "bool" && strings.HasPrefix(m.name, "Logical"): // not differentiable
					assert.NoError(t, err, m.name+"_")
				default:
					assert.ErrorIs(t, err, torch.ErrAutograd, m.name+"_")
				}
			})
		}
	})
}

// A result shares memory with the receiver if and only if the schema declares it as a view.
func TestGeneratedMethodsShareMemoryAsDocumented(t *testing.T) {
	views := map[string]bool{
		"Positive": true, "Real": true, "Imag": true, "Conj": true, "ViewAsReal": true,
		"ViewAsComplex": true,
	}
	leakFree(t, func() {
		for _, m := range methods {
			for _, d := range []torch.DType{torch.Int64, torch.Float32, torch.Complex64} {
				torch.Scope(func() {
					if self, got, err := callMethod(m.name, d); err == nil {
						assert.Equal(t, views[m.name], self.SharesStorage(got), "%s of %s", m.name, d)
					}
				})
			}
		}
	})
}
