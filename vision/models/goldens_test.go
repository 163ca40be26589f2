package models_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
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
	Layout, CRC        string
	CRCs               []uint32
	Sums               []float64
	Eval, Train, After []float64
	Grads              [][2]float64
}

func load(t testing.TB) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/models.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// layout lists the tensors of a state dict as the script does.
func layout(m nn.Module) string {
	var s strings.Builder
	for _, n := range m.StateDict() {
		fmt.Fprintf(&s, "%s [%s] %v\n", n.Name,
			strings.Trim(strings.ReplaceAll(fmt.Sprint([]int64(n.Tensor.Shape())), " ", ", "), "[]"), n.Tensor.DType())
	}
	return s.String()
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
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
			assert.Equal(t, want.Layout, hashed(layout(m)),
				"%s: make_models.py %s prints what ought to be there, not\n%.2000s", name, name, layout(m))
			assert.Equal(t, want.Printed, hashed(m.String()),
				"%s: make_models.py %s prints what ought to be there, not\n%.2000s", name, name, m)
		})
	}
}

// Models have torchvision's initial values, results and gradients.
func TestCases(t *testing.T) {
	g := load(t)
	draws := drawing{values: slices.Equal(g.Probe, probe()), dropout: g.Dropped == dropped()}
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

// drawing says which kinds of random numbers are bitwise equal to the random numbers of
// the processor on which the goldens were made.
type drawing struct{ values, dropout bool }

// probe draws random numbers in the same ways as the models, and returns checksums.
// make_models.py has the same function.
func probe() (sums []uint32) {
	torch.ManualSeed(7)
	torch.Scope(func() {
		empty := func(n int64) *torch.Tensor { return torch.Empty(torch.Shape{n}) }
		for _, x := range []*torch.Tensor{
			nninit.Normal_(empty(5000), 0, 0.02), nninit.Normal_(empty(7), 0, 1),
			nninit.Uniform_(empty(5000), -0.3, 0.7), nninit.TruncNormal_(empty(5000), nninit.Std(0.02)),
		} {
			sums = append(sums, sumOf(x))
		}
	})
	return sums
}

// dropped drops elements in the same way as the models, and returns a checksum.
// make_models.py has the same function.
func dropped() (sum uint32) {
	torch.ManualSeed(7)
	torch.Scope(func() {
		sum = sumOf(F.Dropout(torch.Ones(torch.Shape{1000}, torch.Float64), F.P(0.3), F.Training(true)))
	})
	return sum
}

// sumOf returns the checksum of a tensor's bytes.
func sumOf(x *torch.Tensor) (sum uint32) {
	torch.Scope(func() { sum = crc32.ChecksumIEEE(x.Detach().Reshape(-1).ViewDType(torch.Uint8).Uint8s()) })
	return sum
}

func (c *goldenCase) check(t *testing.T, draws drawing) {
	torch.ManualSeed(0)
	m, err := models.GetModel(c.Model, c.options(t)...)
	require.NoError(t, err)
	defer m.Close()
	require.Equal(t, c.Layout, hashed(layout(m)), layout(m))
	c.checkValues(t, m, draws.values)
	m.To(torch.Float64)
	fill(m)
	tolerance := torchtest.Rounding(roundings(m, c.Size), torch.Float64)
	torch.Scope(func() {
		x := images(c.Size)
		evaluate := func(want []float64) {
			m.Eval()
			torch.NoGrad(func() {
				torchtest.AllClose(t, torch.FromSlice(want, 2, int64(len(want)/2)), m.Forward(x), tolerance)
			})
		}
		evaluate(c.Eval)
		if c.Train == nil || !draws.dropout {
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

// checkValues compares the initial values of parameters. They must be bitwise equal if
// this processor draws the same random numbers as the processor on which the goldens were
// made. Otherwise only the sums of the values are compared.
func (c *goldenCase) checkValues(t *testing.T, m nn.Module, same bool) {
	var all []string
	for i, n := range m.StateDict() {
		sum := sumOf(n.Tensor)
		all = append(all, fmt.Sprint(sum))
		switch {
		case c.Thorough:
		case same:
			assert.Equal(t, c.CRCs[i], sum, "%s: the values differ", n.Name)
		default:
			torch.Scope(func() {
				torch.NoGrad(func() {
					assert.InEpsilon(t, 1+c.Sums[i], 1+n.Tensor.Double().Abs().Sum().Item(), 1e-5, n.Name)
				})
			})
		}
	}
	if same {
		assert.Equal(t, c.CRC, hashed(strings.Join(all, " ")), "the values differ")
	}
}

// images returns the same images as make_models.py.
func images(size int64) *torch.Tensor {
	n := 2 * 3 * size * size
	return torch.Arange(n).MulScalar(37).RemainderScalar(101).Double().DivScalar(101).SubScalar(0.5).Reshape(2, 3, size,
		size)
}

// fill sets parameters to the same values as make_models.py.
func fill(m nn.Module) {
	for i, p := range m.NamedParameters() {
		torch.Scope(func() {
			torch.NoGrad(func() {
				n, shape := p.Tensor.Numel(), p.Tensor.Shape()
				u := torch.Arange(n).MulScalar(7919).AddScalar(11 * i).RemainderScalar(10007).Double().DivScalar(10007).
					SubScalar(0.5)
				switch {
				case len(shape) > 1:
					u.MulScalar_(math.Sqrt(24 / float64(n/shape[0])))
				case strings.HasSuffix(p.Name, "weight"):
					u.DivScalar_(4).AddScalar_(1)
				default:
					u.DivScalar_(4)
				}
				p.Tensor.Copy_(u.Reshape(shape...))
			})
		})
	}
}

// roundings returns how many roundings a forward and a backward pass contain: three times
// the number of terms that each layer adds up.
func roundings(m nn.Module, size int64) int {
	n := int64(0)
	for _, l := range nn.Modules(m) {
		n += 4
		switch l := l.(type) {
		case *nn.Conv2d:
			in, _ := nninit.Fans(l.Weight)
			n += in
		case *nn.Linear:
			n += l.InFeatures
		case *nn.BatchNorm2d:
			n += 2 * size * size / 4 // the pixels of both images, after the first layer has halved height and width
		case *nn.GroupNorm, *nn.LayerNorm, *models.LayerNorm2d, *nn.MultiheadAttention:
			n += size * size / 4
		}
	}
	return int(3 * n)
}
