package nnutil_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.NumLiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.NumLiveTensors(), "tensors left open")
}

type goldens struct {
	Shapes []torch.Shape
	Grads  [][]float32
	Cases  map[string]struct {
		Norm  *float64
		After [][]float32
	}
}

// params returns parameters with the file's gradients, and one without a gradient.
func (g *goldens) params() []*torch.Tensor {
	var ps []*torch.Tensor
	for i, shape := range g.Shapes {
		p := torch.Zeros(shape, torch.RequiresGrad(true))
		p.SetGrad(torch.FromSlice(g.Grads[i], shape...))
		ps = append(ps, p)
	}
	return append(ps, torch.Zeros(torch.Shape{7}, torch.RequiresGrad(true)))
}

func TestClipAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/clip.json")
	require.NoError(t, err)
	var g goldens
	require.NoError(t, json.Unmarshal(data, &g))
	calls := map[string]func(p []*torch.Tensor) *torch.Tensor{
		"below": func(p []*torch.Tensor) *torch.Tensor { return nnutil.ClipGradNorm_(p, 100) },
		"two":   func(p []*torch.Tensor) *torch.Tensor { return nnutil.ClipGradNorm_(p, 1.5) },
		"one": func(p []*torch.Tensor) *torch.Tensor {
			return nnutil.ClipGradNorm_(p, 1.5, nnutil.NormType(2), nnutil.NormType(1))
		},
		"inf": func(p []*torch.Tensor) *torch.Tensor {
			return nnutil.ClipGradNorm_(p, 0.5, nnutil.NormType(math.Inf(1)))
		},
		"zero": func(p []*torch.Tensor) *torch.Tensor { return nnutil.ClipGradNorm_(p, 1.5, nnutil.NormType(0)) },
		"each": func(p []*torch.Tensor) *torch.Tensor { return nnutil.ClipGradNorm_(p, 1.5, nnutil.Foreach(false)) },
		"value": func(p []*torch.Tensor) *torch.Tensor {
			nnutil.ClipGradValue_(p, 0.4)
			return nil
		},
		"value each": func(p []*torch.Tensor) *torch.Tensor {
			nnutil.ClipGradValue_(p, 0.4, nnutil.Foreach(true), nnutil.Foreach(false))
			return nil
		},
	}
	require.Len(t, g.Cases, len(calls))
	for name, want := range g.Cases {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				ps := g.params()
				norm := calls[name](ps)
				if want.Norm != nil {
					assert.InEpsilon(t, *want.Norm, norm.Item(), 1e-6)
				}
				for i, after := range want.After {
					w := torch.FromSlice(after, g.Shapes[i]...)
					assert.Empty(t, torchtest.Difference(w, ps[i].Grad(), torchtest.Rounding(16, torch.Float32)))
				}
				assert.Nil(t, ps[3].Grad())
			})
		})
	}
}

func TestGradNorm(t *testing.T) {
	scoped(t, func() {
		p := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
		assert.Zero(t, nnutil.GradNorm([]*torch.Tensor{p}).Item(), "no gradients")
		p.SetGrad(torch.FromSlice([]float32{3, -4}))
		assert.InDelta(t, 5, nnutil.GradNorm([]*torch.Tensor{p}).Item(), 1e-6)
		assert.InDelta(t, 4, nnutil.GradNorm([]*torch.Tensor{p}, nnutil.NormType(math.Inf(1))).Item(), 1e-6)
		assert.InDelta(t, 7, nnutil.GradNorm([]*torch.Tensor{p}, nnutil.NormType(1), nnutil.Foreach(false)).Item(),
			1e-6)
		assert.Equal(t, []float32{3, -4}, p.Grad().Float32s())
	})
}

func TestVector(t *testing.T) {
	scoped(t, func() {
		a := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
		b := torch.Zeros(torch.Shape{3}, torch.RequiresGrad(true))
		ps := []*torch.Tensor{a, b}
		live := torch.NumLiveTensors()
		v := nnutil.ParametersToVector(ps)
		assert.Equal(t, live+1, torch.NumLiveTensors())
		assert.Equal(t, []float32{1, 1, 1, 1, 0, 0, 0}, v.Float32s())
		v.Sum().Backward()
		assert.Equal(t, torch.Shape{2, 2}, a.Grad().Shape())
		nnutil.VectorToParameters(torch.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7}), ps)
		assert.Equal(t, []float32{1, 2, 3, 4}, a.Float32s())
		assert.Equal(t, []float32{5, 6, 7}, b.Float32s())
		assert.True(t, b.IsLeaf())
	})
}

func TestBadInput(t *testing.T) {
	scoped(t, func() {
		p := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
		p.SetGrad(torch.FromSlice([]float32{float32(math.NaN()), 0}))
		ps := []*torch.Tensor{p}
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"negative norm": {torch.ErrValue, func() { nnutil.ClipGradNorm_(ps, -1) }},
			"not finite": {torch.ErrValue, func() {
				nnutil.ClipGradNorm_(ps, 1, nnutil.ErrorIfNonfinite(true))
			}},
			"not finite norm":      {torch.ErrValue, func() { nnutil.GradNorm(ps, nnutil.ErrorIfNonfinite(true)) }},
			"nil option":           {torch.ErrNil, func() { nnutil.ClipGradNorm_(ps, 1, nil) }},
			"nil option of norm":   {torch.ErrNil, func() { nnutil.GradNorm(ps, nil) }},
			"nil option of values": {torch.ErrNil, func() { nnutil.ClipGradValue_(ps, 1, nil) }},
			"nil parameter":        {torch.ErrNil, func() { nnutil.ClipGradNorm_([]*torch.Tensor{nil}, 1) }},
			"negative limit":       {torch.ErrValue, func() { nnutil.ClipGradValue_(ps, -1) }},
			"no parameters":        {torch.ErrValue, func() { nnutil.ParametersToVector(nil) }},
			"vector's size": {torch.ErrShape, func() {
				nnutil.VectorToParameters(torch.Zeros(torch.Shape{3}), ps)
			}},
		} {
			err := torch.Try(c.fn)
			if assert.Error(t, err, name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			}
		}
		assert.True(t,
			math.IsNaN(nnutil.ClipGradNorm_(ps, 1, nnutil.ErrorIfNonfinite(true),
				nnutil.ErrorIfNonfinite(false)).Item()))
	})
}

func TestOptionsDoNotAllocate(t *testing.T) {
	scoped(t, func() {
		p := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
		p.SetGrad(torch.FromSlice([]float32{3, -4}))
		ps, kind := []*torch.Tensor{p}, 1.5
		without := optiontest.LeastAllocations(func() { _ = nnutil.ClipGradNorm_(ps, 1).Close() })
		with := optiontest.LeastAllocations(func() {
			_ = nnutil.ClipGradNorm_(ps, 1, nnutil.NormType(kind), nnutil.ErrorIfNonfinite(false),
				nnutil.Foreach(true)).Close()
		})
		assert.LessOrEqual(t, with, without)
	})
}

func TestForeignOptionsDoNotCompile(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/nn/nnutil",
			"F github.com/gotorch/gotorch/nn/functional",
		},
		Decls: "var ps []*torch.Tensor",
	}
	s.Accepts(t, "nnutil.ClipGradNorm_(ps, 1, nnutil.NormType(1))",
		"nnutil.ClipGradValue_(ps, 1, nnutil.Foreach(false))")
	s.Rejects(t, "nnutil.ClipGradNorm_(ps, 1, 2)", "nnutil.ClipGradNorm_(ps, 1, F.NormType(1))",
		"nnutil.ClipGradValue_(ps, 1, nnutil.NormType(1))", "nnutil.GradNorm(ps, 2)")
}

func Example_clipGradNorm() {
	w := torch.FromSliceWith([]float32{3, 4}, torch.Shape{2}, torch.RequiresGrad(true))
	defer w.Close()
	torch.Scope(func() {
		w.Mul(w).Sum().Backward() // the gradient is 6, 8
		norm := nnutil.ClipGradNorm_([]*torch.Tensor{w}, 5)
		fmt.Printf("%.0f, now %.2f\n", norm.Item(), w.Grad().Float32s())
	})
	// Output: 10, now [3.00 4.00]
}
