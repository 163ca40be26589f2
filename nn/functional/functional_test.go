package functional_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// stored is a tensor in testdata/functional.json.
type stored struct {
	Shape torch.Shape
	DType string
	Data  []float64
}

func (s *stored) tensor(opts ...torch.Option) *torch.Tensor {
	dtypes := map[string]torch.DType{"float32": torch.Float32, "float64": torch.Float64, "int64": torch.Int64}
	data := append(make([]float64, 0, 1), s.Data...) // never nil
	return torch.FromSliceWith(data, append(torch.Shape{}, s.Shape...), append([]torch.Option{dtypes[s.DType]}, opts...)...)
}

type golden struct {
	Name   string
	Inputs []stored
	Output stored
	Weight stored
	Grads  []*stored
}

// classes are the class weights that some cases use.
var classes *torch.Tensor

type in []*torch.Tensor

// at returns input i, or nil.
func (x in) at(i int) *torch.Tensor {
	if i < len(x) {
		return x[i]
	}
	return nil
}

func one(f func(*torch.Tensor) *torch.Tensor) func(in) *torch.Tensor {
	return func(x in) *torch.Tensor { return f(x[0]) }
}

// calls are the cases of make_functional.py; a name without an entry uses that
// in front of the slash.
var calls = map[string]func(x in) *torch.Tensor{
	"Linear":   func(x in) *torch.Tensor { return F.Linear(x[0], x[1], x.at(2)) },
	"Bilinear": func(x in) *torch.Tensor { return F.Bilinear(x[0], x[1], x[2], x[3]) },
	"Embedding": func(x in) *torch.Tensor {
		return F.Embedding(x[0], x[1])
	},
	"Embedding/padding": func(x in) *torch.Tensor {
		return F.Embedding(x[0], x[1], F.EmbeddingOptions{PaddingIdx: new(int64(2))})
	},
	"Embedding/padding_negative": func(x in) *torch.Tensor {
		return F.Embedding(x[0], x[1], F.EmbeddingOptions{PaddingIdx: new(int64(-3))})
	},
	"Embedding/freq": func(x in) *torch.Tensor {
		return F.Embedding(x[0], x[1], F.EmbeddingOptions{ScaleGradByFreq: true})
	},
	"OneHot":         func(x in) *torch.Tensor { return F.OneHot(x[0], -1) },
	"OneHot/classes": func(x in) *torch.Tensor { return F.OneHot(x[0], 7) },
	"Flatten":        func(x in) *torch.Tensor { return F.Flatten(x[0], 1, -1) },

	"ReLU": one(F.ReLU), "ReLU6": one(F.ReLU6), "Sigmoid": one(F.Sigmoid), "Tanh": one(F.Tanh),
	"SiLU": one(F.SiLU), "Mish": one(F.Mish), "SELU": one(F.SELU), "Hardswish": one(F.Hardswish),
	"Hardsigmoid": one(F.Hardsigmoid), "LogSigmoid": one(F.LogSigmoid),
	"GELU":          func(x in) *torch.Tensor { return F.GELU(x[0]) },
	"GELU/tanh":     func(x in) *torch.Tensor { return F.GELU(x[0], F.GELUTanh) },
	"LeakyReLU":     func(x in) *torch.Tensor { return F.LeakyReLU(x[0], 0.2) },
	"ELU":           func(x in) *torch.Tensor { return F.ELU(x[0], 1.5) },
	"Hardtanh":      func(x in) *torch.Tensor { return F.Hardtanh(x[0], -0.5, 0.7) },
	"Softplus":      func(x in) *torch.Tensor { return F.Softplus(x[0], 2, 1) },
	"PReLU":         func(x in) *torch.Tensor { return F.PReLU(x[0], x[1]) },
	"GLU":           func(x in) *torch.Tensor { return F.GLU(x[0], 1) },
	"Softmax":       func(x in) *torch.Tensor { return F.Softmax(x[0], 1) },
	"Softmax/dim0":  func(x in) *torch.Tensor { return F.Softmax(x[0], 0) },
	"Softmax/dtype": func(x in) *torch.Tensor { return F.Softmax(x[0], -1, torch.Float64) },
	"LogSoftmax":    func(x in) *torch.Tensor { return F.LogSoftmax(x[0], -1) },

	"Conv1d": func(x in) *torch.Tensor {
		return F.Conv1d(x[0], x[1], x[2], F.ConvOptions{Stride: 2, Padding: []int64{1}})
	},
	"Conv2d": func(x in) *torch.Tensor { return F.Conv2d(x[0], x[1], x.at(2)) },
	"Conv2d/options": func(x in) *torch.Tensor {
		return F.Conv2d(x[0], x[1], x[2], F.ConvOptions{
			Stride: []int64{2, 1}, Padding: []int{1, 2}, Dilation: torch.Shape{1, 2}, Groups: 2,
		})
	},
	"Conv2d/same": func(x in) *torch.Tensor {
		return F.Conv2d(x[0], x[1], x[2], F.ConvOptions{Padding: "same"})
	},
	"Conv3d": func(x in) *torch.Tensor {
		return F.Conv3d(x[0], x[1], x[2], F.ConvOptions{Padding: int64(1)})
	},
	"ConvTranspose2d": func(x in) *torch.Tensor {
		return F.ConvTranspose2d(x[0], x[1], x[2], F.ConvTransposeOptions{Stride: 2, Padding: 1, OutputPadding: 1})
	},
	"MaxPool1d": func(x in) *torch.Tensor { return F.MaxPool1d(x[0], 2) },
	"MaxPool2d": func(x in) *torch.Tensor { return F.MaxPool2d(x[0], 2) },
	"MaxPool2d/options": func(x in) *torch.Tensor {
		return F.MaxPool2d(x[0], []int64{3, 2}, F.MaxPoolOptions{Stride: []int64{2, 1}, Padding: []int64{1, 0}, CeilMode: true})
	},
	"MaxPool2dWithIndices": func(x in) *torch.Tensor {
		_, indices := F.MaxPool2dWithIndices(x[0], 2)
		return indices.To(torch.Float32)
	},
	"AvgPool2d": func(x in) *torch.Tensor { return F.AvgPool2d(x[0], 2) },
	"AvgPool2d/options": func(x in) *torch.Tensor {
		return F.AvgPool2d(x[0], []int64{3, 2}, F.AvgPoolOptions{Stride: 2, Padding: 1, CeilMode: true, ExcludePad: true})
	},
	"AvgPool2d/divisor": func(x in) *torch.Tensor {
		return F.AvgPool2d(x[0], 2, F.AvgPoolOptions{DivisorOverride: 3})
	},
	"AdaptiveAvgPool2d": func(x in) *torch.Tensor { return F.AdaptiveAvgPool2d(x[0], []int64{3, 2}) },
	"AdaptiveMaxPool2d": func(x in) *torch.Tensor { return F.AdaptiveMaxPool2d(x[0], 2) },

	"LayerNorm":       func(x in) *torch.Tensor { return F.LayerNorm(x[0], torch.Shape{6}, x[1], x[2]) },
	"LayerNorm/plain": func(x in) *torch.Tensor { return F.LayerNorm(x[0], torch.Shape{4, 6}, nil, nil, 0.1) },
	"RMSNorm":         func(x in) *torch.Tensor { return F.RMSNorm(x[0], torch.Shape{6}, x[1]) },
	"GroupNorm":       func(x in) *torch.Tensor { return F.GroupNorm(x[0], 2, x[1], x[2]) },
	"BatchNorm/train": func(x in) *torch.Tensor {
		mean, variance := torch.Zeros(torch.Shape{4}), torch.Ones(torch.Shape{4})
		return F.BatchNorm(x[0], mean, variance, F.BatchNormOptions{Weight: x[1], Bias: x[2], Training: true})
	},
	"BatchNorm/eval": func(x in) *torch.Tensor {
		mean, variance := torch.Full(torch.Shape{4}, 0.5), torch.Full(torch.Shape{4}, 2.0)
		return F.BatchNorm(x[0], mean, variance, F.BatchNormOptions{Weight: x[1], Bias: x[2]})
	},
	"BatchNorm/nostats": func(x in) *torch.Tensor {
		return F.BatchNorm(x[0], nil, nil, F.BatchNormOptions{Training: true, Eps: 0.01})
	},

	"CrossEntropy": func(x in) *torch.Tensor { return F.CrossEntropy(x[0], x[1]) },
	"CrossEntropy/sum": func(x in) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.CrossEntropyOptions{Reduction: F.Sum})
	},
	"CrossEntropy/none": func(x in) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.CrossEntropyOptions{Reduction: F.NoReduction})
	},
	"CrossEntropy/weight": func(x in) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.CrossEntropyOptions{Weight: classes})
	},
	"CrossEntropy/ignore": func(x in) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.CrossEntropyOptions{IgnoreIndex: new(int64(0))})
	},
	"CrossEntropy/smoothing": func(x in) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.CrossEntropyOptions{LabelSmoothing: 0.1, Weight: classes})
	},
	"NLLLoss": func(x in) *torch.Tensor { return F.NLLLoss(F.LogSoftmax(x[0], 1), x[1]) },
	"NLLLoss/weight": func(x in) *torch.Tensor {
		return F.NLLLoss(x[0], x[1], F.NLLLossOptions{Weight: classes, Reduction: F.Sum})
	},
	"MSELoss":         func(x in) *torch.Tensor { return F.MSELoss(x[0], x[1]) },
	"MSELoss/none":    func(x in) *torch.Tensor { return F.MSELoss(x[0], x[1], F.NoReduction) },
	"L1Loss":          func(x in) *torch.Tensor { return F.L1Loss(x[0], x[1]) },
	"SmoothL1Loss":    func(x in) *torch.Tensor { return F.SmoothL1Loss(x[0], x[1], F.SmoothL1Options{Beta: new(0.5)}) },
	"SmoothL1Loss/l1": func(x in) *torch.Tensor { return F.SmoothL1Loss(x[0], x[1], F.SmoothL1Options{Beta: new(0.0)}) },
	"HuberLoss": func(x in) *torch.Tensor {
		return F.HuberLoss(x[0], x[1], F.HuberOptions{Delta: 0.7, Reduction: F.Sum})
	},
	"BCELoss": func(x in) *torch.Tensor { return F.BCELoss(x[0], x[1]) },
	"BCELoss/weight": func(x in) *torch.Tensor {
		return F.BCELoss(x[0], x[1], F.BCEOptions{Weight: classes})
	},
	"BCEWithLogits": func(x in) *torch.Tensor { return F.BCEWithLogits(x[0], x[1]) },
	"BCEWithLogits/pos": func(x in) *torch.Tensor {
		return F.BCEWithLogits(x[0], x[1], F.BCEWithLogitsOptions{PosWeight: classes, Reduction: F.NoReduction})
	},
	"KLDiv": func(x in) *torch.Tensor { return F.KLDiv(F.LogSoftmax(x[0], 1), F.Softmax(x[1], 1)) },
	"KLDiv/batchmean": func(x in) *torch.Tensor {
		return F.KLDiv(F.LogSoftmax(x[0], 1), F.LogSoftmax(x[1], 1), F.KLDivOptions{Reduction: F.BatchMean, LogTarget: true})
	},
	"CosineSimilarity": func(x in) *torch.Tensor { return F.CosineSimilarity(x[0], x[1], 1) },
	"Normalize":        func(x in) *torch.Tensor { return F.Normalize(x[0]) },
	"Normalize/p1": func(x in) *torch.Tensor {
		return F.Normalize(x[0], F.NormalizeOptions{P: new(1.0), Dim: new(int64(0))})
	},
	"Normalize/p0": func(x in) *torch.Tensor { return F.Normalize(x[0], F.NormalizeOptions{P: new(0.0)}) },

	"Pad":          func(x in) *torch.Tensor { return F.Pad(x[0], []int64{1, 2}) },
	"Pad/value":    func(x in) *torch.Tensor { return F.Pad(x[0], []int64{1, 0, 0, 2}, F.PadOptions{Value: 1.5}) },
	"Pad/negative": func(x in) *torch.Tensor { return F.Pad(x[0], []int64{-1, -2}) },
	"Pad/reflect": func(x in) *torch.Tensor {
		return F.Pad(x[0], []int64{1, 2, 2, 1}, F.PadOptions{Mode: "reflect"})
	},
	"Pad/circular": func(x in) *torch.Tensor {
		return F.Pad(x[0], []int64{1, 2, 2, 1}, F.PadOptions{Mode: "circular"})
	},
	"Interpolate":      resize(F.InterpolateOptions{ScaleFactor: []float64{2}}),
	"Interpolate/size": resize(F.InterpolateOptions{Size: []int64{5, 9}}),
	"Interpolate/bilinear": resize(F.InterpolateOptions{
		Size: []int64{5, 9}, Mode: "bilinear",
	}),
	"Interpolate/corners": resize(F.InterpolateOptions{
		ScaleFactor: []float64{1.5, 2}, Mode: "bilinear", AlignCorners: true,
	}),
	"Interpolate/bicubic": resize(F.InterpolateOptions{Size: []int64{3, 4}, Mode: "bicubic"}),
	"Interpolate/linear":  resize(F.InterpolateOptions{Size: []int64{7}, Mode: "linear"}),
	"Interpolate/area":    resize(F.InterpolateOptions{Size: []int64{3, 2}, Mode: "area"}),
	"Interpolate/exact":   resize(F.InterpolateOptions{Size: []int64{3, 4}, Mode: "nearest-exact"}),
	"PixelShuffle":        func(x in) *torch.Tensor { return F.PixelShuffle(x[0], 2) },

	"ScaledDotProductAttention": func(x in) *torch.Tensor {
		return F.ScaledDotProductAttention(x[0], x[1], x[2])
	},
	"ScaledDotProductAttention/causal": func(x in) *torch.Tensor {
		return F.ScaledDotProductAttention(x[0], x[1], x[2], F.AttentionOptions{Causal: true, Scale: new(0.3)})
	},
	"ScaledDotProductAttention/mask": func(x in) *torch.Tensor {
		return F.ScaledDotProductAttention(x[0], x[1], x[2], F.AttentionOptions{Mask: x[3]})
	},

	"Dropout":      func(x in) *torch.Tensor { return F.Dropout(x[0], 0.3, true) },
	"Dropout/eval": func(x in) *torch.Tensor { return F.Dropout(x[0], 0.3, false) },
	"Dropout2d":    func(x in) *torch.Tensor { return F.Dropout2d(x[0], 0.5, true) },
	"AlphaDropout": func(x in) *torch.Tensor { return F.AlphaDropout(x[0], 0.3, true) },
}

func resize(o F.InterpolateOptions) func(in) *torch.Tensor {
	return func(x in) *torch.Tensor { return F.Interpolate(x[0], o) }
}

// call finds the entry for a case.
func call(t *testing.T, name string) func(in) *torch.Tensor {
	t.Helper()
	if f, ok := calls[name]; ok {
		return f
	}
	for i := range name {
		if name[i] == '/' {
			require.Contains(t, calls, name[:i])
			return calls[name[:i]]
		}
	}
	require.Fail(t, "no call for "+name)
	return nil
}

// scoped runs a test in a scope and checks that nothing outlives it.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.LiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.LiveTensors(), "tensors left open")
}

func TestAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/functional.json")
	require.NoError(t, err)
	var file struct {
		Classes stored
		Cases   []golden
	}
	require.NoError(t, json.Unmarshal(data, &file))
	scoped(t, func() {
		classes = file.Classes.tensor()
		seeded := false
		seen := map[string]bool{}
		for _, c := range file.Cases {
			if c.Name == "Dropout" && !seeded {
				torch.ManualSeed(7)
				seeded = true
			}
			t.Run(c.Name, func(t *testing.T) { scoped(t, func() { check(t, &c) }) })
			seen[c.Name] = true
		}
		for name := range calls {
			assert.True(t, seen[name], "no golden for %s", name)
		}
	})
}

// makesMore are the cases whose call makes tensors of its own.
var makesMore = map[string]bool{
	"MaxPool2dWithIndices": true, "NLLLoss": true, "KLDiv": true, "KLDiv/batchmean": true,
	"BatchNorm/train": true, "BatchNorm/eval": true,
}

func check(t *testing.T, c *golden) {
	f := call(t, c.Name)
	var x in
	for _, s := range c.Inputs {
		if s.DType == "int64" {
			x = append(x, s.tensor())
		} else {
			x = append(x, s.tensor(torch.RequiresGrad))
		}
	}
	before := torch.LiveTensors()
	y := f(x)
	if !makesMore[c.Name] {
		assert.Equal(t, before+1, torch.LiveTensors(), "temporaries left open")
	}
	// The file keeps six decimals: a float64 is compared as the float32 it was.
	tolerance := torchtest.Rounding(128, y.DType(), torch.Float32)
	require.Empty(t, torchtest.Difference(c.Output.tensor(), y, tolerance))
	if c.Grads == nil {
		assert.False(t, y.RequiresGrad())
		return
	}
	y.BackwardWith(torch.BackwardOptions{Gradient: c.Weight.tensor()})
	for i, want := range c.Grads {
		got := x[i].Grad()
		if want == nil {
			assert.Nil(t, got, "gradient of input %d", i)
			continue
		}
		require.NotNil(t, got, "gradient of input %d", i)
		assert.Empty(t, torchtest.Difference(want.tensor(), got, tolerance), "gradient of input %d", i)
	}
}
