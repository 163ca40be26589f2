package nninit_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

var calls = map[string]func(t *torch.Tensor) *torch.Tensor{
	"Uniform_": func(t *torch.Tensor) *torch.Tensor { return nninit.Uniform_(t, -2, 3) },
	"Normal_":  func(t *torch.Tensor) *torch.Tensor { return nninit.Normal_(t, 1, 2) },
	"TruncNormal_": func(t *torch.Tensor) *torch.Tensor {
		return nninit.TruncNormal_(t, nninit.Mean(0.5), nninit.Std(1.5), nninit.A(-1), nninit.B(2))
	},
	"Constant_":      func(t *torch.Tensor) *torch.Tensor { return nninit.Constant_(t, 0.3) },
	"Ones_":          nninit.Ones_,
	"Zeros_":         nninit.Zeros_,
	"Eye_":           nninit.Eye_,
	"XavierUniform_": func(t *torch.Tensor) *torch.Tensor { return nninit.XavierUniform_(t, nninit.Gain(1.5)) },
	"XavierNormal_":  func(t *torch.Tensor) *torch.Tensor { return nninit.XavierNormal_(t) },
	"KaimingUniform_": func(t *torch.Tensor) *torch.Tensor {
		return nninit.KaimingUniform_(t, nninit.A(math.Sqrt(5)))
	},
	"KaimingUniform_/relu": func(t *torch.Tensor) *torch.Tensor {
		return nninit.KaimingUniform_(t, nninit.ModeFanOut, nninit.NonlinearityReLU)
	},
	"KaimingNormal_": func(t *torch.Tensor) *torch.Tensor {
		return nninit.KaimingNormal_(t, nninit.NonlinearityTanh)
	},
	"Sparse_":     func(t *torch.Tensor) *torch.Tensor { return nninit.Sparse_(t, 0.4) },
	"Sparse_/std": func(t *torch.Tensor) *torch.Tensor { return nninit.Sparse_(t, 0.6, nninit.Std(2)) },
	"Dirac_":      func(t *torch.Tensor) *torch.Tensor { return nninit.Dirac_(t) },
	"Dirac_/groups": func(t *torch.Tensor) *torch.Tensor {
		return nninit.Dirac_(t, nninit.Groups(3))
	},
	"Dirac_/volume":    func(t *torch.Tensor) *torch.Tensor { return nninit.Dirac_(t) },
	"Orthogonal_":      func(t *torch.Tensor) *torch.Tensor { return nninit.Orthogonal_(t) },
	"Orthogonal_/wide": func(t *torch.Tensor) *torch.Tensor { return nninit.Orthogonal_(t, nninit.Gain(2)) },
}

func TestAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/init.json")
	require.NoError(t, err)
	var goldens map[string]struct {
		Shape torch.Shape
		Data  []float32
	}
	require.NoError(t, json.Unmarshal(data, &goldens))
	require.Len(t, goldens, len(calls))
	before := torch.NumLiveTensors()
	for name, g := range goldens {
		torch.Scope(func() {
			// Autograd rejects in-place writes to a leaf that requires gradients, so the functions
			// must not record.
			p := torch.Zeros(g.Shape, torch.RequiresGrad(true))
			live := torch.NumLiveTensors()
			torch.ManualSeed(5)
			assert.Same(t, p, calls[name](p), name)
			assert.Equal(t, live, torch.NumLiveTensors(), "%s leaves temporaries", name)
			// Each random number is computed with a logarithm, a root, a cosine and a scale. Each
			// of them may round differently from Python's.
			want := torch.FromSlice(g.Data, g.Shape...)
			assert.Empty(t, torchtest.Difference(want, p, torchtest.Rounding(16, torch.Float32)), name)
			assert.True(t, p.IsLeaf(), name)
		})
	}
	assert.Equal(t, before, torch.NumLiveTensors())
}

func TestGenerator(t *testing.T) {
	torch.Scope(func() {
		g := torch.NewGenerator(torch.CPU).ManualSeed(5)
		a, b := torch.Zeros(torch.Shape{4}), torch.Zeros(torch.Shape{4})
		nninit.Uniform_(a, 0, 1, nninit.Generator(g))
		torch.ManualSeed(5)
		nninit.Uniform_(b, 0, 1)
		assert.Equal(t, b.Float32s(), a.Float32s())
	})
}

// Every option has an effect, and if an option is given several times, the last one
// applies.
func TestOptions(t *testing.T) {
	torch.Scope(func() {
		values := func(f func(t *torch.Tensor) *torch.Tensor, seed uint64) []float32 {
			torch.ManualSeed(seed)
			return f(torch.Zeros(torch.Shape{6, 4})).Float32s()
		}
		g := torch.NewGenerator(torch.CPU)
		for name, c := range map[string]struct {
			with, as func(t *torch.Tensor) *torch.Tensor
		}{
			"gain twice": {
				func(t *torch.Tensor) *torch.Tensor { return nninit.XavierUniform_(t, nninit.Gain(7), nninit.Gain(2)) },
				func(t *torch.Tensor) *torch.Tensor { return nninit.XavierUniform_(t, nninit.Gain(2)) },
			},
			"gain of 0": {
				func(t *torch.Tensor) *torch.Tensor { return nninit.Orthogonal_(t, nninit.Gain(0)) }, nninit.Zeros_,
			},
			"defaults": {
				func(t *torch.Tensor) *torch.Tensor {
					return nninit.KaimingNormal_(t, nninit.ModeFanIn, nninit.NonlinearityLeakyReLU, nninit.A(0),
						nninit.Generator(nil))
				},
				func(t *torch.Tensor) *torch.Tensor { return nninit.KaimingNormal_(t) },
			},
			"generator": {
				func(t *torch.Tensor) *torch.Tensor {
					return nninit.TruncNormal_(t, nninit.Generator(g.ManualSeed(5)))
				},
				func(t *torch.Tensor) *torch.Tensor { return nninit.TruncNormal_(t) },
			},
		} {
			assert.Equal(t, values(c.as, 5), values(c.with, 5), name)
		}
	})
}

// A weight has shape (out, in, *kernel).
func TestFans(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		in, out := nninit.Fans(torch.Empty(torch.Shape{3, 2, 5}))
		assert.Equal(t, [2]int64{10, 15}, [2]int64{in, out})
		assert.ErrorIs(t, torch.Try(func() { nninit.Fans(torch.Empty(torch.Shape{3})) }), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() { nninit.Fans(nil) }), torch.ErrNil)
	})
}

func TestBadInput(t *testing.T) {
	torch.Scope(func() {
		v, m := torch.Zeros(torch.Shape{4}), torch.Zeros(torch.Shape{2, 2, 2})
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil":          {torch.ErrNil, func() { nninit.Uniform_(nil, 0, 1) }},
			"vector":       {torch.ErrShape, func() { nninit.KaimingUniform_(v) }},
			"not a matrix": {torch.ErrShape, func() { nninit.Eye_(m) }},
			"orthogonal":   {torch.ErrShape, func() { nninit.Orthogonal_(v) }},
			"gain":         {torch.ErrValue, func() { nninit.CalculateGain("other", 0) }},
			"integers":     {torch.ErrDType, func() { nninit.Normal_(torch.Zeros(torch.Shape{2}, torch.Int64), 0, 1) }},
			"mode":         {torch.ErrValue, func() { nninit.KaimingNormal_(m, nninit.Mode("fan")) }},
			"nil option":   {torch.ErrNil, func() { nninit.Uniform_(v, 0, 1, nil) }},
			"nil gain":     {torch.ErrNil, func() { nninit.XavierNormal_(m, nil) }},
			"nil kaiming":  {torch.ErrNil, func() { nninit.KaimingNormal_(m, nil) }},
			"nil trunc":    {torch.ErrNil, func() { nninit.TruncNormal_(m, nil) }},
			"sparse":       {torch.ErrShape, func() { nninit.Sparse_(m, 0.5) }},
			"sparsity":     {torch.ErrValue, func() { nninit.Sparse_(torch.Zeros(torch.Shape{2, 2}), 1.5) }},
			"nil sparse":   {torch.ErrNil, func() { nninit.Sparse_(torch.Zeros(torch.Shape{2, 2}), 0.5, nil) }},
			"dirac":        {torch.ErrShape, func() { nninit.Dirac_(torch.Zeros(torch.Shape{2, 2})) }},
			"long dirac":   {torch.ErrShape, func() { nninit.Dirac_(torch.Zeros(torch.Shape{1, 1, 1, 1, 1, 1})) }},
			"dirac groups": {torch.ErrValue, func() { nninit.Dirac_(m, nninit.Groups(3)) }},
			"no groups":    {torch.ErrValue, func() { nninit.Dirac_(m, nninit.Groups(0)) }},
			"nil dirac":    {torch.ErrNil, func() { nninit.Dirac_(m, nil) }},
			"bounds":       {torch.ErrValue, func() { nninit.Uniform_(v, 1, 0) }},
		} {
			err := torch.Try(c.fn)
			if assert.Error(t, err, name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			}
		}
		empty := torch.Zeros(torch.Shape{0, 3})
		assert.Same(t, empty, nninit.KaimingUniform_(empty))
		for _, f := range []func(*torch.Tensor, ...nninit.KaimingOption) *torch.Tensor{
			nninit.KaimingUniform_,
			nninit.KaimingNormal_,
		} {
			assert.ErrorIs(t, torch.Try(func() { f(empty, nil) }), torch.ErrNil,
				"options are read for an empty tensor too")
			assert.ErrorIs(t, torch.Try(func() { f(empty, nninit.Mode("fan")) }), torch.ErrValue)
			assert.ErrorIs(t, torch.Try(func() { f(empty, nninit.Nonlinearity("other")) }), torch.ErrValue)
		}
		assert.ErrorContains(t, torch.Try(func() { nninit.KaimingNormal_(v) }), "torch: KaimingNormal_: argument t")
		assert.ErrorContains(t, torch.Try(func() { nninit.XavierUniform_(v) }), "torch: XavierUniform_: argument t")
	})
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/nn/nninit", "github.com/gotorch/gotorch/torch"},
		Decls:   "var x *torch.Tensor; var g *torch.Generator",
	}
	s.Accepts(t,
		"nninit.Uniform_(x, 0, 1, nninit.Generator(g))",
		"nninit.TruncNormal_(x, nninit.Mean(0), nninit.Std(1), nninit.A(-1), nninit.B(1), nninit.Generator(g))",
		"nninit.KaimingUniform_(x, nninit.A(1), nninit.ModeFanOut, nninit.NonlinearityReLU, nninit.Generator(g))",
		"nninit.XavierNormal_(x, nninit.Gain(2), nninit.Generator(g))",
	)
	s.Rejects(t,
		"nninit.Uniform_(x, 0, 1, g)",
		"nninit.Uniform_(x, 0, 1, nninit.Gain(2))",
		"nninit.Normal_(x, 0, 1, nninit.Mean(2))",
		"nninit.TruncNormal_(x, nninit.Gain(2))",
		"nninit.KaimingUniform_(x, nninit.B(2))",
		"nninit.KaimingNormal_(x, nninit.Gain(2))",
		"nninit.XavierUniform_(x, nninit.ModeFanIn)",
		"nninit.XavierNormal_(x, 2)",
		"nninit.Orthogonal_(x, nninit.A(1))",
		"nninit.Sparse_(x, 0.5, nninit.Mean(1))",
		"nninit.Dirac_(x, nninit.Generator(g))",
	)
}

// TruncNormal_ does not round its scale factor to 16 bits.
func TestTruncNormalOf16Bits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := torch.Empty(torch.Shape{500}, torch.BFloat16)
		torch.ManualSeed(1)
		nninit.TruncNormal_(w, nninit.Std(0.7))
		torch.ManualSeed(1)
		cdf := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt(2))) / 2 }
		u := nninit.Uniform_(torch.Empty(torch.Shape{500}, torch.BFloat16), 2*cdf(-2/0.7)-1, 2*cdf(2/0.7)-1)
		u = u.Erfinv().MulScalar(0.7 * math.Sqrt(2))
		at := u.Abs().LeScalar(2) // compare only the elements that TruncNormal_ does not clamp
		assert.True(t, u.MaskedSelect(at).Equal(w.MaskedSelect(at)))
	})
}
