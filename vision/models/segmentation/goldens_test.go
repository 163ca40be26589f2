package segmentation_test

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
	"github.com/gotorch/gotorch/vision/models/segmentation"
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
	Model   string
	Options struct {
		Classes int64 `json:"num_classes"`
		Aux     bool  `json:"aux_loss"`
	}
	Size               int64
	Thorough           bool
	Layout             string
	Eval, Train, After scores
	Grads              [][2]float64
	modeltest.Values
}

// scores are those of four pixels in each of four rows.
type scores struct{ Out, Aux []float64 }

func load(t testing.TB) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/models.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

func options(classes int64, aux bool) (opts []segmentation.Option) {
	if classes != 0 {
		opts = append(opts, segmentation.NumClasses(classes))
	}
	if aux {
		opts = append(opts, segmentation.AuxLoss(true))
	}
	return opts
}

// Every model has the same tensors as in torchvision, with the same names, order, shapes and
// dtypes. It also prints the same text.
func TestLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	require.Len(t, segmentation.ListModels(), len(g.Models))
	for _, name := range segmentation.ListModels() {
		torch.WithDevice(torch.Meta, func() {
			m, err := segmentation.GetModel(name, options(0, name != "lraspp_mobilenet_v3_large")...)
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
		t.Run(c.Model, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			c.check(t, draws)
		})
	}
}

func (c *goldenCase) check(t *testing.T, draws modeltest.Draws) {
	torch.ManualSeed(0)
	m, err := segmentation.GetModel(c.Model, options(c.Options.Classes, c.Options.Aux)...)
	require.NoError(t, err)
	defer m.Close()
	require.Equal(t, c.Layout, modeltest.Hashed(modeltest.Layout(m)), modeltest.Layout(m))
	c.Check(t, m, draws.Values)
	m.To(torch.Float64)
	modeltest.Fill(m)
	tolerance := torchtest.Rounding(modeltest.Roundings(m, c.Size), torch.Float64)
	torch.Scope(func() {
		x := modeltest.Images(c.Size)
		evaluate := func(want scores) {
			m.Eval()
			torch.NoGrad(func() { want.check(t, m.Forward(x), tolerance) })
		}
		evaluate(c.Eval)
		if c.Train.Out == nil || !draws.Dropout {
			return
		}
		m.Train()
		torch.ManualSeed(1)
		y := m.Forward(x)
		c.Train.check(t, y, tolerance)
		masks := torch.Arange(2*c.Size*c.Size).RemainderScalar(y.Out.Size(1)).Reshape(2, c.Size, c.Size)
		loss := F.CrossEntropy(y.Out, masks)
		if y.Aux != nil {
			loss = loss.Add(F.CrossEntropy(y.Aux, masks).MulScalar(0.5))
		}
		loss.Backward()
		for i, p := range m.NamedParameters() {
			if c.Thorough {
				break
			}
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

func (s scores) check(t *testing.T, got segmentation.Output, tolerance torchtest.Tolerance) {
	t.Helper()
	check := func(want []float64, got *torch.Tensor) {
		t.Helper()
		if want == nil {
			assert.Nil(t, got)
			return
		}
		pixels := torch.SliceStep(0, torch.End, got.Size(-1)/4)
		some := got.Index(torch.All, torch.All, pixels, pixels)
		torchtest.AllClose(t, torch.FromSlice(want), some.Reshape(-1), tolerance)
	}
	check(s.Out, got.Out)
	check(s.Aux, got.Aux)
}

// The weights files, and their image transforms, equal torchvision's.
func TestWeights(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var rows []struct {
		segmentation.Weights
		Shape  torch.Shape
		Result []float64
	}
	torchtest.LoadGoldens(t, "testdata/weights.json").Decode("rows", &rows)
	var all []segmentation.Weights
	for _, name := range segmentation.ListModels() {
		list, err := segmentation.GetModelWeights(name)
		require.NoError(t, err)
		all = append(all, list...)
	}
	require.Len(t, all, len(rows))
	torch.Scope(func() {
		image := torch.Arange(3*40*60).MulScalar(37).RemainderScalar(251).Byte().Reshape(3, 40, 60)
		for i, want := range rows {
			w, err := segmentation.GetWeight(want.Name)
			require.NoError(t, err)
			assert.Equal(t, all[i], w)
			assert.Equal(t, want.Weights, w)
			y := w.Transforms().Forward(image)
			assert.Equal(t, want.Shape, y.Shape(), want.Name)
			// Different kernels round the uint8 values of the resized image differently. On
			// average the values differ by less than 0.5.
			torchtest.AllClose(t, torch.FromSlice(want.Result, 3), y.Double().Mean(torch.Dims{1, 2}), torchtest.RTol(0),
				torchtest.ATol(0.5/255/w.Std[0]))
		}
	})
}
