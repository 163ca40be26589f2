package torch_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// via calls a native operator.
func via(x *torch.Tensor, f func(abi.Ctx, abi.Tensor) abi.Ret) *torch.Tensor {
	h := x.Handle()
	r := torch.BeginRaw("via(self)", x)
	return r.Tensor(f(r.Ctx, h))
}

// upTo returns the floats 0, 1, 2 and so on in the given shape.
func upTo(shape ...int64) *torch.Tensor {
	return shaped(torch.Arange(0, float64(torch.Shape(shape).Numel()), 1), shape...)
}

func shaped(x *torch.Tensor, shape ...int64) *torch.Tensor {
	return via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Reshape(cx, h, shape) })
}

func times(x *torch.Tensor, v float64) *torch.Tensor {
	return via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.MulScalar(cx, h, abi.Scalar{Kind: abi.ScalarFloat, D: v})
	})
}

func leaf(shape ...int64) *torch.Tensor { return upTo(shape...).RequiresGrad_() }

func swapped(x *torch.Tensor) *torch.Tensor {
	return via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.TransposeInt(cx, h, 0, 1) })
}

func expanded(x *torch.Tensor, shape ...int64) *torch.Tensor {
	return via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Expand(cx, h, shape, false) })
}

func conj(x *torch.Tensor) *torch.Tensor { return via(x, aten.Conj) }

func modulo(n, m int) *torch.Tensor {
	v := make([]int, n)
	for i := range v {
		v[i] = i % m
	}
	return torch.FromSlice(v)
}

func seeded(seed uint64, make func() *torch.Tensor) *torch.Tensor {
	torch.ManualSeed(seed)
	return make()
}

func halfDense() *torch.Tensor { return torch.FromSlice([]float32{0, 1.5, 2, 0}, 2, 2) }

// printCases are the tensors of testdata/make_print.py.
var printCases = map[string]func() *torch.Tensor{
	"scalar":      func() *torch.Tensor { return torch.ScalarTensor(3.5) },
	"scalar int":  func() *torch.Tensor { return torch.ScalarTensor(-7, torch.Int64) },
	"scalar bool": func() *torch.Tensor { return torch.ScalarTensor(true, torch.Bool) },
	"vector":      func() *torch.Tensor { return torch.FromSlice([]float32{1.5, -2.25, 1e-3}) },
	"whole":       func() *torch.Tensor { return torch.FromSlice([]float32{1, -20, 300}) },
	"sci":         func() *torch.Tensor { return torch.FromSlice([]float32{1, 1e-5, 12345.678}) },
	"nonfinite": func() *torch.Tensor {
		return torch.FromSlice([]float32{1.5, float32(math.NaN()), float32(math.Inf(-1))})
	},
	"matrix":     func() *torch.Tensor { return upTo(2, 3) },
	"cube":       func() *torch.Tensor { return via(upTo(2, 3, 4), divide(7)) },
	"transposed": func() *torch.Tensor { return swapped(upTo(2, 3)) },
	"strided": func() *torch.Tensor {
		return upTo(4, 5).Index(torch.SliceFrom(1), torch.SliceStep(0, torch.End, 2))
	},
	"expanded":      func() *torch.Tensor { return expanded(upTo(3, 1), 3, 4) },
	"huge expanded": func() *torch.Tensor { return expanded(torch.FromSlice([]float32{1.5}), 100_000, 100_000) },
	"wrapped":       func() *torch.Tensor { return times(upTo(40), 1.25) },
	"empty":         func() *torch.Tensor { return torch.Empty(torch.Shape{0}) },
	"empty matrix":  func() *torch.Tensor { return torch.Empty(torch.Shape{0, 3}) },
	"empty int":     func() *torch.Tensor { return torch.Empty(torch.Shape{0}, torch.Int64) },
	"eye":           func() *torch.Tensor { return torch.Eye(4) },
	"randn": func() *torch.Tensor {
		return seeded(0, func() *torch.Tensor { return torch.Randn(torch.Shape{3, 5}) })
	},
	"rand f64": func() *torch.Tensor {
		return seeded(1, func() *torch.Tensor { return torch.Rand(torch.Shape{2, 2}, torch.Float64) })
	},
	"summary vector": func() *torch.Tensor { return upTo(2000) },
	"summary int":    func() *torch.Tensor { return shaped(torch.Arange(0, 100_000, 1), 100, 1000) },
	"summary tall":   func() *torch.Tensor { return shaped(torch.Arange(0, 3_000_000, 1), 1_000_000, 3) },
	"summary cube":   func() *torch.Tensor { return via(upTo(40, 40, 40), divide(3)) },
	"summary four":   func() *torch.Tensor { return shaped(torch.Arange(0, 1440, 1), 8, 2, 9, 10) },
	"summary view": func() *torch.Tensor {
		return swapped(upTo(200, 200)).Index(torch.SliceStep(0, torch.End, 3), torch.SliceFrom(5))
	},
	"summary bool": func() *torch.Tensor {
		return via(modulo(2000, 3), aten.LogicalNot)
	},
	"summary hidden outlier": func() *torch.Tensor { return torch.Ones(torch.Shape{3000}).SetIndex(1e9, 1500) },
	"summary complex": func() *torch.Tensor {
		v := make([]complex64, 1200)
		for i := range v {
			v[i] = complex(float32(i), -float32(i)/8)
		}
		return torch.FromSlice(v)
	},
	"conj":        func() *torch.Tensor { return conj(torch.FromSlice([]complex64{1 + 2i, -0.5 - 1i})) },
	"conj double": func() *torch.Tensor { return conj(torch.FromSlice([]complex128{1 + 2i, -0.5 - 1i})) },
	"neg view":    func() *torch.Tensor { return via(torch.FromSlice([]float64{1, -2.5}), aten.UnderNegView) },

	"requires grad":       func() *torch.Tensor { return leaf(2, 2) },
	"grad fn":             func() *torch.Tensor { return leaf(2, 2).MulScalar(2) },
	"grad fn add":         func() *torch.Tensor { return leaf(2).AddScalar(1) },
	"grad fn sub":         func() *torch.Tensor { return leaf(2).SubScalar(1) },
	"grad fn rsub":        func() *torch.Tensor { return leaf(2).RSubScalar(1) },
	"grad fn div":         func() *torch.Tensor { return leaf(2).DivScalar(2) },
	"grad fn pow":         func() *torch.Tensor { return leaf(2).PowScalar(2) },
	"grad fn select":      func() *torch.Tensor { return leaf(2, 2).Index(0) },
	"grad fn scalar":      func() *torch.Tensor { return total(leaf(3)) },
	"grad fn copy slices": func() *torch.Tensor { return leaf(2, 2).To(torch.Copy(true)).SetIndex(5, 0, 1) },
	"grad fn summary":     func() *torch.Tensor { return via(leaf(50, 50), aten.Exp) },
	"grad of leaf": func() *torch.Tensor {
		x := leaf(3)
		total(times(x, 3)).Backward()
		return x.Grad()
	},
	"detached": func() *torch.Tensor { return via(times(leaf(2), 2), aten.Detach) },
	"view changed without grad": func() *torch.Tensor {
		x := leaf(4).To(torch.Copy(true))
		var y *torch.Tensor
		torch.NoGrad(func() {
			y = x.Index(torch.SliceFrom(1))
			y.SetIndex(torch.FromSlice([]float32{2, 3, 4}))
		})
		return y
	},
	"inference": func() (x *torch.Tensor) {
		torch.InferenceMode(func() { x = torch.Ones(torch.Shape{2}) })
		return x
	},
	"meta":     func() *torch.Tensor { return torch.Empty(torch.Shape{2, 3}, torch.Meta) },
	"meta int": func() *torch.Tensor { return torch.Empty(torch.Shape{2, 3}, torch.Meta, torch.Int32) },

	"sparse coo":       func() *torch.Tensor { return via(halfDense(), toSparse) },
	"sparse coo int":   func() *torch.Tensor { return via(torch.FromSlice([]int32{0, 1, 2, 0}, 2, 2), toSparse) },
	"sparse coo empty": func() *torch.Tensor { return via(torch.Zeros(torch.Shape{2, 2}), toSparse) },
	"sparse csr": func() *torch.Tensor {
		return via(halfDense(), func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToSparseCsr(cx, h, nil) })
	},
	"sparse csc": func() *torch.Tensor {
		return via(halfDense(), func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToSparseCsc(cx, h, nil) })
	},
	"sparse bsr": func() *torch.Tensor {
		return via(torch.Eye(4), func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.ToSparseBsr(cx, h, []int64{2, 2}, nil)
		})
	},
	"nested": func() *torch.Tensor {
		a, b := upTo(3), torch.Ones(torch.Shape{2})
		ha, hb := a.Handle(), b.Handle()
		r := torch.BeginRaw("nested(a, b)", a, b)
		return r.Tensor(aten.UnderNestedTensorFromTensorList(r.Ctx, []abi.Tensor{ha, hb}, -1, -1, -1, nil))
	},
	"mkldnn": func() *torch.Tensor {
		return via(upTo(2, 3), func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToMkldnn(cx, h, -1) })
	},
	"quantized": func() *torch.Tensor {
		return via(torch.FromSlice([]float32{-1, 0.25, 2}), func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.QuantizePerTensor(cx, h, 0.1, 10, torch.QUint8.Code())
		})
	},
	"quantized channel": func() *torch.Tensor {
		scales, zeros := torch.FromSlice([]float32{0.1, 0.25}), torch.FromSlice([]int{10, 0})
		hs, hz := scales.Handle(), zeros.Handle()
		return via(upTo(2, 3), func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.QuantizePerChannel(cx, h, hs, hz, 0, torch.QInt8.Code())
		})
	},
}

func init() {
	for _, d := range []torch.DType{
		torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Uint16, torch.Uint32, torch.Uint64,
		torch.Float16, torch.BFloat16, torch.Float32, torch.Float64, torch.Bool, torch.Complex64, torch.Complex128,
		torch.Float8E5M2, torch.Float8E4M3FN, torch.Float8E5M2FN, torch.Float8E4M3FNU,
	} {
		printCases["dtype "+d.String()] = func() *torch.Tensor {
			return shaped(torch.Arange(-2, 4, 1), 2, 3).To(d)
		}
		printCases["summary dtype "+d.String()] = func() *torch.Tensor { return modulo(1200, 5).To(d) }
	}
}

func divide(by float64) func(abi.Ctx, abi.Tensor) abi.Ret {
	return func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.DivScalar(cx, h, abi.Scalar{Kind: abi.ScalarFloat, D: by})
	}
}

func total(x *torch.Tensor) *torch.Tensor {
	return via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Sum(cx, h, -1) })
}

func toSparse(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToSparse(cx, h, -1, nil, nil) }

type printGoldens struct {
	Torch          string
	Cases, Options map[string]string
	Formats        []struct {
		DType, Spec, Want string
		Value             float64
	}
}

func readPrintGoldens(t *testing.T) (g printGoldens) {
	raw, err := os.ReadFile("testdata/print.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &g))
	return g
}

func TestPrintLikePython(t *testing.T) {
	g := readPrintGoldens(t)
	require.Equal(t, slices.Sorted(maps.Keys(g.Cases)), slices.Sorted(maps.Keys(printCases)),
		"the script and the test name other tensors")
	for name, want := range g.Cases {
		t.Run(name, func(t *testing.T) {
			leakFree(t, func() {
				x := printCases[name]()
				live := torch.NumLiveTensors()
				require.Equal(t, want, x.String())
				require.Equal(t, want+"\n", fmt.Sprintln(x))
				require.Equal(t, live, torch.NumLiveTensors(), "printing left tensors")
			})
		})
	}
}

func TestPrintOptionsLikePython(t *testing.T) {
	options := map[string][]torch.PrintOption{
		"precision":      {torch.Precision(2)},
		"precision zero": {torch.Precision(0)},
		"threshold":      {torch.Threshold(4)},
		"edge":           {torch.Threshold(4), torch.EdgeItems(1)},
		"edge zero":      {torch.Threshold(4), torch.EdgeItems(0)},
		"width":          {torch.LineWidth(30)},
		"sci":            {torch.SciMode(true)},
		"no sci":         {torch.SciMode(false)},
		"short":          {torch.PrintProfileShort},
		"full":           {torch.PrintProfileFull},
	}
	g := readPrintGoldens(t)
	require.Len(t, g.Options, len(options))
	for name, o := range options {
		t.Run(name, func(t *testing.T) {
			leakFree(t, func() {
				x := upTo(30)
				if name == "full" {
					x = upTo(1001)
				}
				x = via(via(x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
					return aten.PowTensorScalar(cx, h, abi.Scalar{Kind: abi.ScalarInt, I: 3})
				}), divide(7))
				require.Equal(t, g.Options[name], x.StringWith(o...))

				torch.SetPrintOptions(o...)
				defer torch.SetPrintOptions(torch.PrintProfileDefault)
				require.Equal(t, g.Options[name], fmt.Sprint(x))
			})
		})
	}
}
