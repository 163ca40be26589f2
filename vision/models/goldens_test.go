package models_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/internal/modeltest"
	"github.com/gotorch/gotorch/vision/models"
)

// goldens contains what the script testdata/make_models.py wrote to testdata/models.json.
type goldens struct {
	Probe   []uint32
	Dropped uint32
	Models  map[string]struct {
		Parameters      int64
		Layout, Printed string
	}
	Cases []goldenCase
}

type goldenCase struct {
	Model              string
	Options            map[string]json.RawMessage
	Size               int64
	Thorough           bool
	Layout             string
	Eval, Train, After []float64
	Grads              [][2]float64
	modeltest.Values
}

func load(t testing.TB) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/models.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// Every model has the same tensors as in torchvision, with the same names, order, shapes
// and dtypes. It also prints the same text.
func TestLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	require.Len(t, models.ListModels(), len(g.Models))
	for _, name := range models.ListModels() {
		torch.WithDevice(torch.Meta, func() {
			m, err := models.GetModel(name)
			require.NoError(t, err, name)
			defer m.Close()
			var parameters int64
			for _, p := range m.Parameters() {
				parameters += p.Numel()
			}
			want := g.Models[name]
			assert.Equal(t, want.Parameters, parameters, name)
			assert.Equal(t, want.Layout, modeltest.Hashed(modeltest.Layout(m)),
				"%s: make_models.py %s prints what ought to be there, not\n%.2000s", name, name, modeltest.Layout(m))
			assert.Equal(t, want.Printed, modeltest.Hashed(m.String()),
				"%s: make_models.py %s prints what ought to be there, not\n%.2000s", name, name, m)
		})
	}
}

// Models have torchvision's initial values, results and gradients.
func TestCases(t *testing.T) {
	g := load(t)
	draws := modeltest.CompareDraws(g.Probe, g.Dropped)
	t.Logf("random numbers are those of the goldens' processor: %+v", draws)
	for _, c := range g.Cases {
		if c.Thorough && !thorough.Asked() {
			continue
		}
		options, err := json.Marshal(c.Options)
		require.NoError(t, err)
		t.Run(c.Model+string(options), func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			c.check(t, draws)
		})
	}
}

func (c *goldenCase) check(t *testing.T, draws modeltest.Draws) {
	torch.ManualSeed(0)
	m, err := models.GetModel(c.Model, c.options(t)...)
	require.NoError(t, err)
	defer m.Close()
	require.Equal(t, c.Layout, modeltest.Hashed(modeltest.Layout(m)), modeltest.Layout(m))
	c.Check(t, m, draws.Values)
	m.To(torch.Float64)
	modeltest.Fill(m)
	tolerance := torchtest.Rounding(modeltest.Roundings(m, c.Size), torch.Float64)
	torch.Scope(func() {
		x := modeltest.Images(c.Size)
		evaluate := func(want []float64) {
			m.Eval()
			torch.NoGrad(func() {
				torchtest.AllClose(t, torch.FromSlice(want, 2, int64(len(want)/2)), m.Forward(x), tolerance)
			})
		}
		evaluate(c.Eval)
		if c.Train == nil || !draws.Dropout {
			return
		}
		m.Train()
		torch.ManualSeed(1)
		out := m.Forward(x)
		torchtest.AllClose(t, torch.FromSlice(c.Train, 2, int64(len(c.Train)/2)), out, tolerance)
		F.CrossEntropy(out, torch.FromSlice([]int64{1, 3}, 2)).Backward()
		for i, p := range m.NamedParameters() {
			torch.Scope(func() {
				grad := p.Tensor.Grad()
				allowed := tolerance.RTol * (1 + c.Grads[i][1])
				assert.InDelta(t, c.Grads[i][0], grad.Sum().Item(), allowed, p.Name)
				assert.InDelta(t, c.Grads[i][1], grad.Abs().Sum().Item(), allowed, p.Name)
			})
		}
		evaluate(c.After)
	})
}
