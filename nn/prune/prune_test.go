package prune_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/prune"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// last is a custom method that prunes the last element.
type last struct{ kind prune.Kind }

func (l last) Kind() prune.Kind { return l.kind }
func (l last) Dim() int64       { return 0 }
func (l last) ComputeMask(_, mask *torch.Tensor) *torch.Tensor {
	mask = mask.Clone()
	mask.Flatten().Narrow(0, mask.Numel()-1, 1).Zero_()
	return mask
}

func TestPrune(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewLinear(2, 2)
		m := nn.NewSequential(l)
		defer m.Close()
		weight := l.Weight
		weight.SetRequiresGrad(false)
		weight.Fill_(2)
		assert.False(t, prune.IsPruned(m))
		prune.Apply(l, "weight", last{})
		prune.Apply(l, "weight", last{})
		assert.True(t, prune.IsPruned(m))
		assert.Nil(t, l.Weight)
		assert.Equal(t, []string{"bias", "weight_orig", "weight_mask"}, l.StateDict().Names())
		assert.Equal(t, []float32{1, 1, 0, 0}, l.GetBuffer("weight_mask").Flatten().Float32s())
		prune.Apply(l, "weight", last{prune.Structured})
		assert.Equal(t, []float32{1, 0, 0, 0}, l.GetBuffer("weight_mask").Flatten().Float32s())
		prune.Remove(l, "weight")
		assert.Same(t, weight, l.Weight)
		assert.Equal(t, []float32{2, 0, 0, 0}, l.Weight.Flatten().Float32s())
		assert.False(t, l.Weight.RequiresGrad())
		assert.Equal(t, []string{"bias", "weight"}, l.StateDict().Names())
		assert.False(t, prune.IsPruned(m))
	})
}

// A random method prunes the requested number of elements of all parameters together.
func TestRandomGlobally(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := nn.NewLinear(2, 2), nn.NewLinear(2, 3)
		defer func() { _, _ = a.Close(), b.Close() }()
		prune.GlobalUnstructured([]prune.Parameter{{Module: a, Name: "weight"}, {Module: b, Name: "weight"}},
			prune.Random(7))
		left := a.GetBuffer("weight_mask").Sum().Item() + b.GetBuffer("weight_mask").Sum().Item()
		assert.Equal(t, 3.0, left)
	})
}

// A tensor that cannot be pruned stays unchanged.
func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		before := l.StateDict().String()
		small := torch.Ones(torch.Shape{2})
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil module":         {torch.ErrNil, func() { prune.Identity(nil, "weight") }},
			"nil method":         {torch.ErrNil, func() { prune.Apply(l, "weight", nil) }},
			"no parameter":       {torch.ErrValue, func() { prune.Identity(l, "w") }},
			"part":               {torch.ErrValue, func() { prune.L1Unstructured(l, "weight", 1.5) }},
			"number":             {torch.ErrValue, func() { prune.RandomUnstructured(l, "weight", 5) }},
			"negative":           {torch.ErrValue, func() { prune.RandomUnstructured(l, "weight", -1) }},
			"no number":          {torch.ErrType, func() { prune.L1Unstructured(l, "weight", "all") }},
			"dimension":          {torch.ErrIndex, func() { prune.LnStructured(l, "weight", 1, 2, 2) }},
			"slices of a vector": {torch.ErrValue, func() { prune.RandomStructured(l, "bias", 1, 0) }},
			"scores": {torch.ErrShape, func() {
				prune.L1Unstructured(l, "weight", 1, prune.ImportanceScores(small))
			}},
			"mask":             {torch.ErrShape, func() { prune.CustomFromMask(l, "weight", small) }},
			"nil mask":         {torch.ErrNil, func() { prune.CustomFromMask(l, "weight", nil) }},
			"not pruned":       {torch.ErrValue, func() { prune.Remove(l, "weight") }},
			"remove of nil":    {torch.ErrNil, func() { prune.Remove(nil, "weight") }},
			"is of nil":        {torch.ErrNil, func() { prune.IsPruned(nil) }},
			"nothing globally": {torch.ErrValue, func() { prune.GlobalUnstructured(nil, prune.L1(1)) }},
			"nil globally": {torch.ErrNil, func() {
				prune.GlobalUnstructured([]prune.Parameter{{Name: "weight"}}, prune.L1(1))
			}},
			"no method globally": {torch.ErrNil, func() {
				prune.GlobalUnstructured([]prune.Parameter{{Module: l, Name: "weight"}}, nil)
			}},
			"structured globally": {torch.ErrValue, func() {
				prune.GlobalUnstructured([]prune.Parameter{{Module: l, Name: "weight"}}, last{prune.Structured})
			}},
			"scores globally": {torch.ErrShape, func() {
				prune.GlobalUnstructured([]prune.Parameter{{Module: l, Name: "weight", Scores: small}}, prune.L1(1))
			}},
		} {
			require.ErrorIs(t, torch.Try(c.fn), c.kind, name)
			assert.Equal(t, before, l.StateDict().String(), name)
		}
	})
}

// Errors name the function that the program called, even if that function calls another.
func TestErrorsNameTheFunction(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l := nn.NewLinear(2, 2)
	defer l.Close()
	mask := torch.Ones(torch.Shape{2, 2})
	defer mask.Close()
	for op, fn := range map[string]func(name string){
		"Apply":              func(name string) { prune.Apply(l, name, prune.L1(1)) },
		"Identity":           func(name string) { prune.Identity(l, name) },
		"RandomUnstructured": func(name string) { prune.RandomUnstructured(l, name, 1) },
		"L1Unstructured":     func(name string) { prune.L1Unstructured(l, name, 1) },
		"RandomStructured":   func(name string) { prune.RandomStructured(l, name, 1, 0) },
		"LnStructured":       func(name string) { prune.LnStructured(l, name, 1, 2, 0) },
		"CustomFromMask":     func(name string) { prune.CustomFromMask(l, name, mask) },
		"GlobalUnstructured": func(name string) {
			prune.GlobalUnstructured([]prune.Parameter{{Module: l, Name: name}}, prune.L1(1))
		},
	} {
		var e *torch.Error
		require.ErrorAs(t, torch.Try(func() { fn("wieght") }), &e, op)
		assert.Equal(t, op, e.Op)
		assert.Contains(t, e.Message, `the Linear has no parameter "wieght"`)
	}
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		one, none := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2), torch.FromSlice([]float32{4, 3, 2, 1}, 2, 2)
		row := func(apply func(m nn.Module, opts []prune.Option)) optiontest.Row {
			return optiontest.For(func(opts ...prune.Option) optiontest.Outcome {
				l := nn.NewLinear(2, 2)
				defer l.Close()
				torch.NoGrad(func() { l.Weight.Fill_(1) })
				apply(l, opts)
				return optiontest.Outcome{"does": l.StateDict()[1:].String()}
			}, optiontest.Values(prune.ImportanceScores(one), prune.ImportanceScores(none)))
		}
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"Apply": row(func(m nn.Module, opts []prune.Option) {
				prune.Apply(m, "weight", prune.L1(1), opts...)
			}),
			"L1Unstructured": row(func(m nn.Module, opts []prune.Option) {
				prune.L1Unstructured(m, "weight", 1, opts...)
			}),
			"LnStructured": row(func(m nn.Module, opts []prune.Option) {
				prune.LnStructured(m, "weight", 1, 2, 0, opts...)
			}),
		})
	})
}

// A weight cannot be pruned if it is computed, or if the names that pruning needs are in use.
func TestPruneOfOtherNames(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, before := range map[string]func(l *nn.Linear){
		"spectral norm": func(l *nn.Linear) { nnutil.SpectralNorm(l) },
		"original":      func(l *nn.Linear) { l.RegisterBuffer("weight_orig", torch.Ones(torch.Shape{1})) },
		"mask":          func(l *nn.Linear) { l.RegisterParameter("weight_mask", torch.Ones(torch.Shape{1})) },
	} {
		torch.Scope(func() {
			l := nn.NewLinear(2, 2)
			defer l.Close()
			before(l)
			l.Eval()
			x := torch.Ones(torch.Shape{1, 2})
			text, y := l.StateDict().String(), l.Forward(x).Float32s()
			require.ErrorIs(t, torch.Try(func() { prune.L1Unstructured(l, "weight", 2) }), torch.ErrValue, name)
			assert.Equal(t, text, l.StateDict().String(), name)
			assert.Equal(t, y, l.Forward(x).Float32s(), name)
		})
	}
}
