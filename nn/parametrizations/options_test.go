package parametrizations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrizations"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// made applies a function to a module with two matrices and describes the result.
func made(apply func(m nn.Module)) optiontest.Outcome {
	torch.ManualSeed(1)
	m := nn.NewParameterDict()
	defer m.Close()
	torch.Scope(func() {
		// The power method converges slowly, because the singular values are close.
		w := torch.FromSlice([]float32{1, 0, 0, 0, 0.99, 0}, 2, 3)
		m.Add("weight", w.Clone()).Add("other", w.Clone())
	})
	apply(m)
	text := m.StateDict().String()
	torch.Scope(func() {
		for _, name := range []string{"weight", "other"} {
			if !m.IsDerived(name) {
				continue
			}
			torch.NoGrad(func() {
				for _, p := range m.Parameters() {
					p.Add_(torch.Rand(p.Shape()).MulScalar(0.01))
				}
			})
			for range 2 {
				text += fmt.Sprint(m.Derived(name).Detach().Float32s())
			}
		}
	})
	return optiontest.Outcome{"does": text}
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		name := optiontest.Values(parametrizations.Name("other"), parametrizations.Name("weight"))
		dim := optiontest.Values(parametrizations.Dim(1), parametrizations.Dim(0))
		optiontest.Read(t, ".", "../internal/reparam").Run(t, map[string]optiontest.Row{
			"WeightNorm": optiontest.For(func(opts ...parametrizations.WeightNormOption) optiontest.Outcome {
				return made(func(m nn.Module) { parametrizations.WeightNorm(m, opts...) })
			}, name, dim),
			"SpectralNorm": optiontest.For(func(opts ...parametrizations.SpectralNormOption) optiontest.Outcome {
				return made(func(m nn.Module) { parametrizations.SpectralNorm(m, opts...) })
			}, name, dim, optiontest.Values(parametrizations.NPowerIterations(5), parametrizations.NPowerIterations(1)),
				optiontest.Values(parametrizations.Eps(3), parametrizations.Eps(0))),
			"Orthogonal": optiontest.For(func(opts ...parametrizations.OrthogonalOption) optiontest.Outcome {
				return made(func(m nn.Module) { parametrizations.Orthogonal(m, opts...) })
			}, name, optiontest.Values(parametrizations.OrthogonalMapCayley, parametrizations.OrthogonalMapMatrixExp),
				optiontest.Values(parametrizations.UseTrivialization(false), parametrizations.UseTrivialization(true))),
		})
	})
}

// A tensor that cannot be parametrized stays unchanged.
func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewLinear(3, 2)
		defer l.Close()
		c := nn.NewLinear(3, 2, nn.DType(torch.Complex64))
		defer c.Close()
		before := l.StateDict().String()
		for name, e := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil of WeightNorm":   {torch.ErrNil, func() { parametrizations.WeightNorm(nil) }},
			"nil of SpectralNorm": {torch.ErrNil, func() { parametrizations.SpectralNorm(nil) }},
			"nil of Orthogonal":   {torch.ErrNil, func() { parametrizations.Orthogonal(nil) }},
			"name of WeightNorm": {torch.ErrValue, func() {
				parametrizations.WeightNorm(l, parametrizations.Name("w"))
			}},
			"name of SpectralNorm": {torch.ErrValue, func() {
				parametrizations.SpectralNorm(l, parametrizations.Name("w"))
			}},
			"name of Orthogonal": {torch.ErrValue, func() {
				parametrizations.Orthogonal(l, parametrizations.Name("w"))
			}},
			"dimension": {torch.ErrIndex, func() { parametrizations.SpectralNorm(l, parametrizations.Dim(2)) }},
			"steps": {torch.ErrValue, func() {
				parametrizations.SpectralNorm(l, parametrizations.NPowerIterations(0))
			}},
			"a vector": {torch.ErrValue, func() { parametrizations.Orthogonal(l, parametrizations.Name("bias")) }},
			"no such map": {torch.ErrValue, func() {
				parametrizations.Orthogonal(l, parametrizations.OrthogonalMap("some"))
			}},
			"complex": {torch.ErrValue, func() {
				parametrizations.Orthogonal(c, parametrizations.OrthogonalMapHouseholder)
			}},
		} {
			assert.ErrorIs(t, torch.Try(e.fn), e.kind, name)
		}
		assert.Equal(t, before, l.StateDict().String())
		assert.NotNil(t, l.Weight)
	})
}

// Errors name the function that the program called, even if that function calls another.
func TestErrorsNameTheFunction(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l := nn.NewLinear(3, 2)
	defer l.Close()
	for name, fn := range map[string]func(){
		"WeightNorm":   func() { parametrizations.WeightNorm(l, parametrizations.Name("w")) },
		"SpectralNorm": func() { parametrizations.SpectralNorm(l, parametrizations.Name("w")) },
		"Orthogonal":   func() { parametrizations.Orthogonal(l, parametrizations.Name("w")) },
		"WeightNorm's": func() { parametrizations.WeightNorm(l, parametrizations.Dim(2)) },
	} {
		var e *torch.Error
		require.ErrorAs(t, torch.Try(fn), &e, name)
		assert.Equal(t, strings.TrimSuffix(name, "'s"), e.Op)
	}
	assert.NotNil(t, l.Weight)
}

// A state dict that was saved with nnutil.WeightNorm can be loaded.
func TestOlderNames(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewLinear(3, 2)
		defer l.Close()
		parametrizations.WeightNorm(l)
		sd := nn.NewStateDict(map[string]*torch.Tensor{
			"bias": torch.Ones(torch.Shape{2}), "weight_g": torch.Ones(torch.Shape{2, 1}),
			"weight_v": torch.Ones(torch.Shape{2, 3}),
		})
		assert.NoError(t, l.LoadStateDict(sd))
		assert.Equal(t, []float32{1, 1}, l.GetParameter("parametrizations.weight.original0").Flatten().Float32s())
	})
}
