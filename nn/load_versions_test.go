package nn_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
)

// way is one of the ways to read a state dict from a file.
type way struct {
	name  string
	plain bool // open loses the versions of the layers
	open  func(t *testing.T, path string) nn.StateSource
}

func ways(file string) []way {
	if strings.HasSuffix(file, ".safetensors") {
		return []way{
			{"LoadFile", true, func(t *testing.T, path string) nn.StateSource {
				m, err := safetensors.LoadFile(path)
				require.NoError(t, err)
				return nn.NewStateDict(m)
			}},
			{"Open", true, func(t *testing.T, path string) nn.StateSource {
				f, err := safetensors.Open(path)
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, f.Close()) })
				return f
			}},
		}
	}
	return []way{
		{"LoadStateDict", true, func(t *testing.T, path string) nn.StateSource {
			sd, err := serialization.LoadStateDict(path)
			require.NoError(t, err)
			return nn.NewStateDict(sd.Map())
		}},
		{"LoadDict", false, func(t *testing.T, path string) nn.StateSource {
			d, err := serialization.LoadDict(path)
			require.NoError(t, err)
			return d
		}},
		{"OpenStateDict", false, func(t *testing.T, path string) nn.StateSource {
			f, err := serialization.OpenStateDict(path)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, f.Close()) })
			return f
		}},
	}
}

type oneScale struct {
	nn.Base
	scale *torch.Tensor
}

func newScale() *oneScale {
	s := new(oneScale)
	s.Init(s)
	s.scale = s.RegisterParameter("scale", torch.Ones(torch.Shape{}))
	return s
}

// All readers convert state dicts of older layer versions as Python does.
func TestOlderVersionsOfLayers(t *testing.T) {
	text, err := os.ReadFile("testdata/versions/goldens.json")
	require.NoError(t, err)
	var goldens map[string]struct {
		Model, Error string
		Strict       bool
		Values       map[string][]float64
	}
	require.NoError(t, json.Unmarshal(text, &goldens))
	for file, golden := range goldens {
		for _, w := range ways(file) {
			for _, opts := range [][]nn.LoadOption{
				nil,
				{nn.Assign(true)},
				{nn.DType(torch.Float32)},
				{nn.Assign(true), nn.DType(torch.Float32)},
			} {
				scoped(t, func() {
					var m nn.Module
					switch golden.Model {
					case "batch_norm":
						m = nn.NewSequential(nn.NewBatchNorm2d(2))
					case "instance_norm":
						m = nn.NewSequential(nn.NewInstanceNorm1d(2))
					case "scalar":
						m = newScale()
					}
					defer m.Close()
					err := m.LoadStateDict(w.open(t, filepath.Join("testdata/versions", file)),
						append(opts, nn.Strict(golden.Strict))...)
					what := file + " by " + w.name
					switch {
					case w.plain && file == "count_2.pt":
						require.NoError(t, err, "its version is unknown")
					case w.plain && file == "instance_2.pt":
						require.ErrorIs(t, err, torch.ErrValue)
					case golden.Error == "":
						require.NoError(t, err, what)
						for _, n := range m.StateDict() {
							assert.Equal(t, golden.Values[n.Name],
								n.Tensor.Detach().To(torch.Float64).Reshape(-1).Float64s(), what)
						}
					case strings.Contains(golden.Error, "size mismatch"):
						require.ErrorIs(t, err, torch.ErrShape, what)
					default:
						require.ErrorIs(t, err, torch.ErrValue, what)
					}
				})
			}
		}
	}
}

// On the meta device, a layer's missing batch count starts at 0.
func TestOlderBatchNormOfAModelWithoutMemory(t *testing.T) {
	for _, w := range ways("count_1.pt") {
		scoped(t, func() {
			m := nn.NewSequential(nn.NewBatchNorm2d(2, nn.Device(torch.Meta)))
			defer m.Close()
			require.NoError(t, m.LoadStateDict(w.open(t, "testdata/versions/count_1.pt"), nn.Assign(true)), w.name)
			assert.Equal(t, int64(0), m.GetBuffer("0.num_batches_tracked").Int64s()[0], w.name)
		})
	}
}

// A file may store a tied weight under any of its names.
func TestTiedWeightsOfAFile(t *testing.T) {
	model := func(alias bool) *nn.Sequential {
		a, b := nn.NewLinear(2, 2, nn.Bias(false)), nn.NewLinear(2, 2, nn.Bias(false))
		b.Weight.Close()
		b.Weight = a.Weight
		if alias {
			b.Weight = a.Weight.Detach() // another tensor that shares the memory
		}
		return nn.NewSequential(a, b)
	}
	path := filepath.Join(t.TempDir(), "tied.safetensors")
	for _, alias := range []bool{false, true} {
		for _, name := range []string{"0.weight", "1.weight"} {
			scoped(t, func() {
				require.NoError(t,
					safetensors.SaveFile(map[string]*torch.Tensor{name: torch.Ones(torch.Shape{2, 2})}, path))
				for _, w := range ways(path) {
					for _, assign := range []bool{false, true} {
						m := model(alias)
						report, err := nn.LoadFrom(m, w.open(t, path), nn.Assign(assign))
						require.NoError(t, err, w.name)
						assert.Empty(t, report.MissingKeys)
						assert.Equal(t,
							[]nn.Loaded{
								{Name: "0.weight", From: []string{name}},
								{Name: "1.weight", From: []string{name}},
							}, report.Loaded)
						for _, n := range m.StateDict() {
							assert.Equal(t, []float32{1, 1, 1, 1}, n.Tensor.Detach().Float32s())
						}
						torch.NoGrad(func() { m.Parameters()[0].Zero_() })
						assert.Zero(t, m.StateDict()[1].Tensor.Detach().Sum().Item(), "still tied")
						require.NoError(t, m.Close())
					}
				}
			})
		}
	}
}
