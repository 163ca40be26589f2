package nnutil_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/parametrizations"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/nn/prune"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// reparam is a case of reparam.json: functions that make a module, apply a
// reparametrization to it, and remove the reparametrization.
type reparam struct {
	make          func() nn.Layer
	apply, remove func(m nn.Layer)
}

func linear(in, out int64) func() nn.Layer {
	return func() nn.Layer { return nn.NewLinear(in, out) }
}

func parametrized(name string) func(m nn.Layer) {
	return func(m nn.Layer) { parametrize.Remove(m, name) }
}

// pruned returns a case in which fns prune the weight.
func pruned(fns ...func(m nn.Layer)) reparam {
	return reparam{linear(3, 4), func(m nn.Layer) {
		for _, fn := range fns {
			fn(m)
		}
	}, func(m nn.Layer) { prune.Remove(m, "weight") }}
}

func l1(amount any) func(m nn.Layer) {
	return func(m nn.Layer) { prune.L1Unstructured(m, "weight", amount) }
}

func random(amount any) func(m nn.Layer) {
	return func(m nn.Layer) { prune.RandomUnstructured(m, "weight", amount) }
}

func ln(amount any, n float64, dim int64) func(m nn.Layer) {
	return func(m nn.Layer) { prune.LnStructured(m, "weight", amount, n, dim) }
}

var inf = math.Inf(1)

func mask() *torch.Tensor {
	return torch.FromSlice([]float32{1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1}, 4, 3)
}

func norm(opts ...parametrizations.WeightNormOption) func(m nn.Layer) {
	return func(m nn.Layer) { parametrizations.WeightNorm(m, opts...) }
}

func spectral(opts ...parametrizations.SpectralNormOption) func(m nn.Layer) {
	return func(m nn.Layer) { parametrizations.SpectralNorm(m, opts...) }
}

func orthogonal(opts ...parametrizations.OrthogonalOption) func(m nn.Layer) {
	return func(m nn.Layer) { parametrizations.Orthogonal(m, opts...) }
}

func reparams() map[string]reparam {
	removed := parametrized("weight")
	transposed := func() nn.Layer { return nn.NewConvTranspose2d(2, 3, 2) }
	plain := parametrizations.UseTrivialization(false)
	return map[string]reparam{
		"WeightNorm": {linear(3, 4), norm(), removed},
		"WeightNorm/dim": {
			func() nn.Layer { return nn.NewConv1d(2, 3, 2) }, norm(parametrizations.Dim(1)),
			removed,
		},
		"WeightNorm/whole": {linear(3, 4), norm(parametrizations.Dim(-1)), removed},
		"SpectralNorm":     {linear(3, 4), spectral(), removed},
		"SpectralNorm/steps": {
			func() nn.Layer { return nn.NewConv2d(2, 3, 2) },
			spectral(parametrizations.NPowerIterations(2)), removed,
		},
		"SpectralNorm/transposed": {transposed, spectral(), removed},
		"SpectralNorm/vector":     {linear(3, 4), spectral(parametrizations.Name("bias")), parametrized("bias")},
		"Orthogonal/square":       {linear(4, 4), orthogonal(), removed},
		"Orthogonal/wide":         {linear(5, 3), orthogonal(), removed},
		"Orthogonal/exp":          {linear(3, 5), orthogonal(parametrizations.OrthogonalMapMatrixExp), removed},
		"Orthogonal/cayley":       {linear(4, 4), orthogonal(parametrizations.OrthogonalMapCayley), removed},
		"Orthogonal/plain":        {linear(3, 5), orthogonal(plain), removed},
		"Orthogonal/plainexp":     {linear(4, 4), orthogonal(parametrizations.OrthogonalMapMatrixExp, plain), removed},
		"old/WeightNorm": {
			linear(3, 4), func(m nn.Layer) { nnutil.WeightNorm(m) },
			func(m nn.Layer) { nnutil.RemoveWeightNorm(m, "weight") },
		},
		"old/SpectralNorm": {
			linear(3, 4), func(m nn.Layer) { nnutil.SpectralNorm(m) },
			func(m nn.Layer) { nnutil.RemoveSpectralNorm(m, "weight") },
		},
		"old/SpectralNorm/transposed": {
			transposed, func(m nn.Layer) { nnutil.SpectralNorm(m) },
			func(m nn.Layer) { nnutil.RemoveSpectralNorm(m, "weight") },
		},
		"two": {linear(4, 4), func(m nn.Layer) { orthogonal()(m); spectral()(m) }, removed},

		"prune/identity": pruned(func(m nn.Layer) { prune.Identity(m, "weight") }),
		"prune/l1":       pruned(l1(0.3)),
		"prune/l1/scores": pruned(func(m nn.Layer) {
			prune.L1Unstructured(m, "weight", 5,
				prune.ImportanceScores(m.ModuleBase().GetParameter("weight").Detach().Square().Add(mask())))
		}),
		"prune/l1/again":     pruned(l1(3), l1(0.25)),
		"prune/random":       pruned(random(4)),
		"prune/random/again": pruned(random(4), random(0.5)),
		"prune/structured":   pruned(func(m nn.Layer) { prune.RandomStructured(m, "weight", 0.5, 0) }),
		"prune/ln":           pruned(ln(1, 2, -1)),
		"prune/ln/again":     pruned(ln(1, 1, 0), ln(0.5, inf, 0)),
		"prune/mixed":        pruned(l1(3), ln(1, 2, 0), l1(2)),
		"prune/mask":         pruned(func(m nn.Layer) { prune.CustomFromMask(m, "weight", mask()) }),
		"prune/global": pruned(func(m nn.Layer) {
			prune.GlobalUnstructured([]prune.Parameter{{Module: m, Name: "weight"}, {Module: m, Name: "bias"}},
				prune.L1(0.4))
		}),
	}
}

// goldTensor is a tensor of reparam.json.
type goldTensor struct {
	Name  string
	Shape []int64
	Data  []float64
}

func (g goldTensor) check(t *testing.T, what string, got *torch.Tensor) {
	t.Helper()
	if !assert.NotNil(t, got, what) {
		return
	}
	torch.Scope(func() {
		want := torch.FromSlice(g.Data, g.Shape...)
		assert.Empty(t,
			torchtest.Difference(want, got.Detach().To(torch.Float64), torchtest.Rounding(64, torch.Float32)), what)
	})
}

func checkState(t *testing.T, what string, want []goldTensor, m nn.Module) {
	t.Helper()
	var names []string
	for _, g := range want {
		names = append(names, g.Name)
	}
	sd := m.StateDict()
	if assert.Equal(t, names, sd.Names(), what) {
		for i, g := range want {
			g.check(t, what+" "+g.Name, sd[i].Tensor)
		}
	}
}

func reparamInput(m nn.Layer) *torch.Tensor {
	switch m := m.(type) {
	case *nn.Linear:
		x := torch.FromSlice([]float32{1, -2, 0.5, 3, -1, 0.25, 1, 2, -3, 0.5}, 2, 5)
		_, features, _ := strings.Cut(m.String(), "in_features=")
		return x.Narrow(1, 0, int64(features[0]-'0')).Clone()
	case *nn.Conv1d:
		return ramp(2, 2, 5)
	}
	return ramp(1, 2, 3, 3)
}

func ramp(shape ...int64) *torch.Tensor {
	n := torch.Shape(shape).Numel()
	return torch.Arange(0, float64(n), 1.0, torch.Float32).DivScalar(n).SubScalar(0.3).Reshape(shape...)
}

// Computed weights equal PyTorch's: initially, in training and in evaluation, with gradients, and
// after the norm is removed. Copies of a module are independent.
func TestReparametrizations(t *testing.T) {
	data, err := os.ReadFile("testdata/reparam.json")
	require.NoError(t, err)
	var goldens map[string]struct {
		Text, Left                 string
		Made, Used, Removed, Grads []goldTensor
		Outs                       []goldTensor
		Grad                       goldTensor
	}
	require.NoError(t, json.Unmarshal(data, &goldens))
	cases := reparams()
	require.Len(t, cases, len(goldens))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			g := goldens[name]
			torch.Scope(func() {
				torch.ManualSeed(3)
				m := c.make()
				defer func() { _ = m.Close() }()
				c.apply(m)
				assert.Equal(t, g.Text, m.String())
				checkState(t, "made", g.Made, m)
				twin := nn.DeepCopy(m).(nn.Layer)
				defer func() { _ = twin.Close() }()
				x := reparamInput(m).RequiresGrad_()
				live := torch.NumLiveTensors()
				y := m.Forward(x)
				assert.Equal(t, live+1, torch.NumLiveTensors(), "a forward pass leaves its result")
				z := m.Forward(x)
				g.Outs[0].check(t, "first", y)
				g.Outs[1].check(t, "second", z)
				y.Mul(y).Add(z).Sum().Backward()
				g.Grad.check(t, "gradient of the input", x.Grad())
				for _, p := range g.Grads {
					grad := m.ModuleBase().GetParameter(p.Name).Grad()
					p.check(t, "gradient of "+p.Name, grad)
				}
				m.Eval()
				g.Outs[2].check(t, "evaluation", m.Forward(x))
				checkState(t, "used", g.Used, m)
				checkState(t, "the copy", g.Made, twin)
				g.Outs[0].check(t, "the copy", twin.Forward(x))
				c.remove(m)
				assert.Equal(t, g.Left, m.String())
				checkState(t, "removed", g.Removed, m)
				if !strings.HasPrefix(name, "prune") {
					g.Outs[2].check(t, "removed", m.Forward(x))
				}
			})
		})
	}
}

// If the module already uses a name that a norm needs, applying the norm fails and changes nothing.
func TestNormsOfTakenNames(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, fn := range map[string]func(l *nn.Linear){
		"weight_g":    func(l *nn.Linear) { nnutil.WeightNorm(l) },
		"weight_v":    func(l *nn.Linear) { nnutil.WeightNorm(l) },
		"weight_orig": func(l *nn.Linear) { nnutil.SpectralNorm(l) },
		"weight_u":    func(l *nn.Linear) { nnutil.SpectralNorm(l) },
	} {
		torch.Scope(func() {
			l := nn.NewLinear(2, 2)
			defer l.Close()
			l.RegisterBuffer(name, torch.Ones(torch.Shape{1}))
			before := l.StateDict().String()
			require.ErrorIs(t, torch.Try(func() { fn(l) }), torch.ErrValue, name)
			assert.Equal(t, before, l.StateDict().String(), name)
			l.Forward(torch.Ones(torch.Shape{1, 2}))
		})
	}
}

// ownTransposed embeds a transposed convolution.
type ownTransposed struct{ *nn.ConvTranspose2d }

// A layer that embeds a transposed convolution has its outputs in dimension 1 of the weight too.
func TestSpectralNormOfOwnLayers(t *testing.T) {
	scoped(t, func() {
		for name, norm := range map[string]func(m nn.Layer){
			"parametrizations.weight.0._u": spectral(),
			"weight_u":                     func(m nn.Layer) { nnutil.SpectralNorm(m) },
		} {
			l := &ownTransposed{nn.NewConvTranspose2d(2, 3, 2)}
			l.Init(l)
			norm(l)
			assert.Equal(t, torch.Shape{3}, l.GetBuffer(name).Shape(), name)
			_ = l.Close()
		}
	})
}
