package nn_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// member is a constructor with some of its options. make registers the module
// with p under the name "m"; in makes arguments of Forward, if there is one.
type member struct {
	name string // that of the constructor less New, and what is said with it
	make func(p *holder) nn.Module
	in   func() []*torch.Tensor
}

func sized(shape ...int64) func() []*torch.Tensor {
	return func() []*torch.Tensor { return []*torch.Tensor{torch.Rand(torch.Shape(shape))} }
}

// pair makes an input and a target of one shape.
func pair() []*torch.Tensor {
	x := torch.Rand(torch.Shape{4, 3})
	return []*torch.Tensor{x, torch.Rand(torch.Shape{4, 3})}
}

func classes() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{4, 3}), torch.FromSlice([]int64{0, 1, 2, 1})}
}

func words() []*torch.Tensor { return []*torch.Tensor{torch.FromSlice([]int64{0, 4, 1}, 3)} }

var (
	row   = sized(4, 3)
	image = sized(1, 2, 6, 6)
)

// members has every constructor of the package; TestEveryConstructorIsTested
// finds those that are missing.
var members = []member{
	{"Linear", func(p *holder) nn.Module { return nn.NewLinear(3, 2, p.As("m")) }, row},
	{"Linear/nobias", func(p *holder) nn.Module { return nn.NewLinear(3, 2, nn.Bias(true), nn.Bias(false), p.As("m")) }, row},
	{"Conv1d", func(p *holder) nn.Module { return nn.NewConv1d(2, 4, 3, p.As("m")) }, sized(1, 2, 6)},
	{"Conv2d", func(p *holder) nn.Module { return nn.NewConv2d(2, 4, 3, p.As("m")) }, image},
	{"Conv2d/all", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, []int{3, 2}, nn.Stride(7), nn.Strides{2, 1}, nn.PaddingSame, nn.Paddings{1, 0}, nn.Dilation(2), nn.Groups(2),
			nn.Bias(false), nn.PaddingModeReflect, p.As("m"))
	}, image},
	{"Conv2d/same", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.Padding(3), nn.PaddingSame, nn.Dilations{1, 1}, p.As("m"))
	}, image},
	{"Conv2d/valid", func(p *holder) nn.Module {
		return nn.NewConv2d(2, 4, 3, nn.PaddingValid, nn.PaddingModeCircular, p.As("m"))
	}, image},
	{"Conv3d", func(p *holder) nn.Module { return nn.NewConv3d(2, 4, 2, p.As("m")) }, sized(1, 2, 3, 3, 3)},
	{"MaxPool2d", func(p *holder) nn.Module { return nn.NewMaxPool2d(2, p.As("m")) }, image},
	{"MaxPool2d/all", func(p *holder) nn.Module {
		return nn.NewMaxPool2d([]int{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0}, nn.Dilations{1, 2}, nn.CeilMode(true), p.As("m"))
	}, image},
	{"AvgPool2d", func(p *holder) nn.Module { return nn.NewAvgPool2d(2, p.As("m")) }, image},
	{"AvgPool2d/all", func(p *holder) nn.Module {
		return nn.NewAvgPool2d(2, nn.Stride(1), nn.Padding(1), nn.CeilMode(true), nn.CountIncludePad(false), nn.DivisorOverride(3), p.As("m"))
	}, image},
	{"AdaptiveAvgPool2d", func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool2d(1, p.As("m")) }, image},
	{"AdaptiveAvgPool2d/two", func(p *holder) nn.Module { return nn.NewAdaptiveAvgPool2d([]int64{2, 1}, p.As("m")) }, image},
	{"ReLU", func(p *holder) nn.Module { return nn.NewReLU(p.As("m")) }, row},
	{"GELU", func(p *holder) nn.Module { return nn.NewGELU(p.As("m")) }, row},
	{"GELU/tanh", func(p *holder) nn.Module { return nn.NewGELU(nn.ApproximateTanh, p.As("m")) }, row},
	{"Sigmoid", func(p *holder) nn.Module { return nn.NewSigmoid(p.As("m")) }, row},
	{"Tanh", func(p *holder) nn.Module { return nn.NewTanh(p.As("m")) }, row},
	{"SiLU", func(p *holder) nn.Module { return nn.NewSiLU(p.As("m")) }, row},
	{"LeakyReLU", func(p *holder) nn.Module { return nn.NewLeakyReLU(p.As("m")) }, row},
	{"LeakyReLU/slope", func(p *holder) nn.Module { return nn.NewLeakyReLU(nn.NegativeSlope(2), p.As("m")) }, row},
	{"Softmax", func(p *holder) nn.Module { return nn.NewSoftmax(1, p.As("m")) }, row},
	{"LogSoftmax", func(p *holder) nn.Module { return nn.NewLogSoftmax(-1, p.As("m")) }, row},
	{"Identity", func(p *holder) nn.Module { return nn.NewIdentity(p.As("m")) }, row},
	{"Flatten", func(p *holder) nn.Module { return nn.NewFlatten(p.As("m")) }, image},
	{"Flatten/dims", func(p *holder) nn.Module { return nn.NewFlatten(nn.StartDim(0), nn.EndDim(1), p.As("m")) }, image},
	{"Dropout", func(p *holder) nn.Module { return nn.NewDropout(p.As("m")) }, row},
	{"Dropout/zero", func(p *holder) nn.Module { return nn.NewDropout(nn.P(0), p.As("m")) }, row},
	{"Dropout2d", func(p *holder) nn.Module { return nn.NewDropout2d(nn.P(0.25), p.As("m")) }, image},
	{"BatchNorm1d", func(p *holder) nn.Module { return nn.NewBatchNorm1d(2, p.As("m")) }, sized(4, 2)},
	{"BatchNorm2d", func(p *holder) nn.Module { return nn.NewBatchNorm2d(2, p.As("m")) }, image},
	{"BatchNorm2d/all", func(p *holder) nn.Module {
		return nn.NewBatchNorm2d(2, nn.Eps(0.001), nn.MomentumNone, nn.Affine(false), p.As("m"))
	}, image},
	{"BatchNorm2d/untracked", func(p *holder) nn.Module {
		return nn.NewBatchNorm2d(2, nn.MomentumNone, nn.Momentum(0), nn.TrackRunningStats(false), p.As("m"))
	}, image},
	{"LayerNorm", func(p *holder) nn.Module { return nn.NewLayerNorm(torch.Shape{3}, p.As("m")) }, row},
	{"LayerNorm/nobias", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{4, 3}, nn.Eps(1e-6), nn.Bias(false), p.As("m"))
	}, row},
	{"LayerNorm/plain", func(p *holder) nn.Module {
		return nn.NewLayerNorm(torch.Shape{3}, nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{"RMSNorm", func(p *holder) nn.Module { return nn.NewRMSNorm(torch.Shape{3}, p.As("m")) }, row},
	{"RMSNorm/all", func(p *holder) nn.Module {
		return nn.NewRMSNorm(torch.Shape{3}, nn.Eps(0), nn.ElementwiseAffine(false), p.As("m"))
	}, row},
	{"GroupNorm", func(p *holder) nn.Module { return nn.NewGroupNorm(2, 4, p.As("m")) }, sized(2, 4, 3)},
	{"GroupNorm/all", func(p *holder) nn.Module {
		return nn.NewGroupNorm(2, 4, nn.Eps(1e5), nn.Affine(false), p.As("m"))
	}, sized(2, 4, 3)},
	{"Embedding", func(p *holder) nn.Module { return nn.NewEmbedding(5, 3, p.As("m")) }, words},
	{"Embedding/all", func(p *holder) nn.Module {
		return nn.NewEmbedding(5, 3, nn.PaddingIdx(0), nn.PaddingIdx(-1), nn.ScaleGradByFreq(true), nn.Sparse(true), p.As("m"))
	}, words},
	{"Embedding/norm", func(p *holder) nn.Module {
		return nn.NewEmbedding(5, 3, nn.MaxNorm(1.5), nn.NormType(1), p.As("m"))
	}, words},
	{"MultiheadAttention", func(p *holder) nn.Module { return nn.NewMultiheadAttention(4, 2, p.As("m")) }, sized(3, 2, 4)},
	{"MultiheadAttention/all", func(p *holder) nn.Module {
		return nn.NewMultiheadAttention(4, 2, nn.WithDropout(0.1), nn.Bias(false), nn.BatchFirst(true), p.As("m"))
	}, sized(3, 2, 4)},
	{"CrossEntropyLoss", func(p *holder) nn.Module { return nn.NewCrossEntropyLoss(p.As("m")) }, classes},
	{"CrossEntropyLoss/all", func(p *holder) nn.Module {
		return nn.NewCrossEntropyLoss(nn.Weight(torch.Ones(torch.Shape{3})), nn.IgnoreIndex(0), nn.LabelSmoothing(0.1), nn.ReductionSum, p.As("m"))
	}, classes},
	{"NLLLoss", func(p *holder) nn.Module { return nn.NewNLLLoss(p.As("m")) }, classes},
	{"MSELoss", func(p *holder) nn.Module { return nn.NewMSELoss(nn.ReductionNone, nn.ReductionMean, p.As("m")) }, pair},
	{"L1Loss", func(p *holder) nn.Module { return nn.NewL1Loss(p.As("m")) }, pair},
	{"SmoothL1Loss", func(p *holder) nn.Module { return nn.NewSmoothL1Loss(nn.Beta(0), p.As("m")) }, pair},
	{"HuberLoss", func(p *holder) nn.Module { return nn.NewHuberLoss(nn.Delta(2), p.As("m")) }, pair},
	{"BCELoss", func(p *holder) nn.Module { return nn.NewBCELoss(p.As("m")) }, pair},
	{"BCEWithLogitsLoss", func(p *holder) nn.Module {
		return nn.NewBCEWithLogitsLoss(nn.PosWeight(torch.Ones(torch.Shape{3})), p.As("m"))
	}, pair},
	{"KLDivLoss", func(p *holder) nn.Module {
		return nn.NewKLDivLoss(nn.LogTarget(true), nn.ReductionBatchMean, p.As("m"))
	}, pair},
	{"Sequential", func(p *holder) nn.Module {
		return nn.NewSequential(nn.NewLinear(3, 2), nn.NewSequential(nn.NewReLU(), nn.NewFlatten())).In(p, "m")
	}, row},
	{"Sequential/empty", func(p *holder) nn.Module { return nn.NewSequential().In(p, "m") }, row},
	{"ModuleList", func(p *holder) nn.Module {
		return nn.NewModuleList(nn.NewReLU(), nn.NewReLU(), nn.NewLinear(3, 2), nn.NewReLU()).In(p, "m")
	}, nil},
	{"ModuleList/nested", func(p *holder) nn.Module {
		block := func() nn.Module { return nn.NewSequential(nn.NewReLU(), nn.NewTanh()) }
		return nn.NewModuleList(block(), block()).In(p, "m")
	}, nil},
	{"ModuleDict", func(p *holder) nn.Module {
		return nn.NewModuleDict().Add("b", nn.NewReLU()).Add("a", nn.NewLinear(3, 2)).In(p, "m")
	}, nil},
	{"ParameterList", func(p *holder) nn.Module {
		return nn.NewParameterList(torch.Zeros(torch.Shape{2, 3}), torch.Zeros(torch.Shape{})).In(p, "m")
	}, nil},
	{"ParameterList/one", func(p *holder) nn.Module { return nn.NewParameterList(torch.Zeros(torch.Shape{2})).In(p, "m") }, nil},
}

// onDevice makes the members with parameters elsewhere and of another dtype.
var onDevice = map[string]func(nn.Device, nn.DType) nn.Module{
	"Linear":             func(d nn.Device, t nn.DType) nn.Module { return nn.NewLinear(3, 2, d, t) },
	"Conv1d":             func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv1d(2, 4, 3, d, t) },
	"Conv2d":             func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv2d(2, 4, 3, d, t) },
	"Conv3d":             func(d nn.Device, t nn.DType) nn.Module { return nn.NewConv3d(2, 4, 2, d, t) },
	"BatchNorm1d":        func(d nn.Device, t nn.DType) nn.Module { return nn.NewBatchNorm1d(2, d, t) },
	"BatchNorm2d":        func(d nn.Device, t nn.DType) nn.Module { return nn.NewBatchNorm2d(2, d, t) },
	"LayerNorm":          func(d nn.Device, t nn.DType) nn.Module { return nn.NewLayerNorm(torch.Shape{3}, d, t) },
	"RMSNorm":            func(d nn.Device, t nn.DType) nn.Module { return nn.NewRMSNorm(torch.Shape{3}, d, t) },
	"GroupNorm":          func(d nn.Device, t nn.DType) nn.Module { return nn.NewGroupNorm(2, 4, d, t) },
	"Embedding":          func(d nn.Device, t nn.DType) nn.Module { return nn.NewEmbedding(5, 3, d, t) },
	"MultiheadAttention": func(d nn.Device, t nn.DType) nn.Module { return nn.NewMultiheadAttention(4, 2, d, t) },
}

func TestMembers(t *testing.T) {
	data, err := os.ReadFile("testdata/printing.json")
	require.NoError(t, err)
	var goldens map[string]struct {
		Text  string
		State map[string]torch.Shape
	}
	require.NoError(t, json.Unmarshal(data, &goldens))
	require.Len(t, goldens, len(members))
	for _, m := range members {
		t.Run(m.name, func(t *testing.T) {
			scoped(t, func() {
				p := new(holder)
				p.Init(p)
				defer p.Close()
				module := m.make(p)
				assert.Same(t, module, p.Get("m"), "As registers")
				g := goldens[m.name]
				assert.Equal(t, g.Text, module.String(), "printing")
				state := map[string]torch.Shape{}
				for _, n := range module.StateDict() {
					state[n.Name] = append(torch.Shape{}, n.Tensor.Shape()...)
				}
				assert.Equal(t, g.State, state)
				if m.in != nil {
					checkForward(t, module, m.in())
					checkCopies(t, module, m)
				}
				checkConversion(t, module)
			})
		})
	}
}

// checkForward looks at hooks, temporaries and errors.
func checkForward(t *testing.T, m nn.Module, in []*torch.Tensor) {
	var seen []string
	pre := m.ModuleBase().RegisterForwardPreHook(func(h nn.Module, in []*torch.Tensor) []*torch.Tensor {
		assert.Same(t, m, h)
		seen = append(seen, "before")
		return nil
	})
	post := m.ModuleBase().RegisterForwardHook(func(h nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
		seen = append(seen, "after")
		return nil
	})
	results(m, in)
	assert.Equal(t, []string{"before", "after"}, seen, "hooks")
	pre.Remove()
	post.Remove()
	live := torch.LiveTensors()
	made := 0
	for _, y := range results(m, in) {
		if !slices.Contains(in, y) {
			made++
		}
	}
	assert.Equal(t, live+int64(made), torch.LiveTensors(), "temporaries left open")
	assert.Len(t, seen, 2, "hooks that are removed")

	if _, ok := m.(*nn.Identity); ok || strings.HasPrefix(m.String(), "Sequential()") {
		return // which look at nothing
	}
	err := torch.Try(func() { results(m, []*torch.Tensor{nil, nil}) })
	require.ErrorIs(t, err, torch.ErrNil)
	assert.ErrorContains(t, err, "in layer m")
	if len(m.ModuleBase().Children()) == 0 {
		assert.ErrorContains(t, err, m.ModuleBase().TypeName())
	}
	assert.Equal(t, live+int64(made), torch.LiveTensors(), "what fails leaves nothing")
}

// checkCopies compares a module with one that has loaded its state, and with its
// deep copy.
func checkCopies(t *testing.T, m nn.Module, member member) {
	other := new(holder)
	other.Init(other)
	defer other.Close()
	loaded := member.make(other)
	require.NoError(t, loaded.LoadStateDict(m.StateDict()))
	twin := nn.DeepCopy(m)
	defer twin.Close()
	assert.Equal(t, m.String(), twin.String())
	in := member.in()
	m.Eval()
	want := results(m, in)
	for name, c := range map[string]nn.Module{"loaded": loaded, "copy": twin} {
		c.Eval()
		for i, y := range results(c, in) {
			assert.Equal(t, want[i].Float64s(), y.Float64s(), name)
		}
		for i, p := range c.StateDict() {
			assert.NotSame(t, m.StateDict()[i].Tensor, p.Tensor)
		}
	}
	m.Train()
}

func checkConversion(t *testing.T, m nn.Module) {
	m.To(torch.Float64)
	for _, p := range m.Parameters() {
		assert.Equal(t, torch.Float64, p.DType())
	}
}

func TestMembersElsewhere(t *testing.T) {
	scoped(t, func() {
		for name, make := range onDevice {
			m := make(nn.Device(torch.Meta), nn.DType(torch.Float64))
			require.NotEmpty(t, m.Parameters(), name)
			for _, n := range m.StateDict() {
				assert.Equal(t, torch.Meta, n.Tensor.Device(), "%s %s", name, n.Name)
				if n.Tensor.IsFloatingPoint() {
					assert.Equal(t, torch.Float64, n.Tensor.DType(), "%s %s", name, n.Name)
				}
			}
			require.NoError(t, m.Close())
			// The zero values mean that nothing was said.
			m = make(nn.Device(torch.Device(0)), nn.DType(torch.DType(0)))
			assert.Equal(t, torch.Float32, m.Parameters()[0].DType(), name)
			assert.Equal(t, torch.CPU, m.Parameters()[0].Device(), name)
			require.NoError(t, m.Close())
		}
		for _, m := range members {
			p := new(holder)
			p.Init(p)
			if module := m.make(p); len(module.Parameters()) > 0 && module.ModuleBase().Children() == nil && !strings.HasPrefix(m.name, "ParameterList") {
				assert.Contains(t, onDevice, strings.Split(m.name, "/")[0])
			}
			require.NoError(t, p.Close())
		}
	})
}

// A nil part of a container is an error; nil options are for TestOptions.
func TestNilParts(t *testing.T) {
	scoped(t, func() {
		for name, fn := range map[string]func(){
			"Sequential": func() { nn.NewSequential(nil) }, "ModuleList": func() { nn.NewModuleList(nil) },
			"ParameterList": func() { nn.NewParameterList(nil) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
		}
	})
}

// An option that does not apply does not compile.
func TestOptionsThatDoNotApply(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/nn", "F github.com/gotorch/gotorch/nn/functional", "github.com/gotorch/gotorch/torch"},
		Decls:   "var b nn.Base",
	}
	require.NoError(t, scope.Compile(`nn.NewConv2d(1, 2, 3, nn.Stride(2), b.As("conv"))`))
	for _, s := range []string{
		"nn.NewLinear(3, 2, nn.Stride(2))", "nn.NewLinear(3, 2, false)", "nn.NewLinear(3, 2, torch.Float64)",
		"nn.NewConv2d(1, 2, 3, nn.Eps(1))", "nn.NewMaxPool2d(2, nn.PaddingSame)", "nn.NewAvgPool2d(2, nn.Dilation(2))",
		"nn.NewReLU(nn.Bias(false))", "nn.NewDropout(0.1)", "nn.NewLayerNorm(torch.Shape{3}, nn.Affine(false))",
		"nn.NewGroupNorm(1, 2, nn.Bias(false))", "nn.NewRMSNorm(torch.Shape{3}, nn.Bias(false))", "nn.NewMSELoss(nn.IgnoreIndex(1))",
		"nn.NewMSELoss(1)", "nn.NewBCELoss(nn.PosWeight(nil))", "nn.NewHuberLoss(nn.Beta(1))", "nn.NewSequential(nn.NewMSELoss())",
		"new(nn.MultiheadAttention).Forward(nil, nil, nil, nn.Bias(false))", "nn.NewMultiheadAttention(4, 2, nn.NeedWeights(false))",
	} {
		assert.Error(t, scope.Compile(s), s)
	}
}

// A constructor that is not in the table has none of the tests above.
func TestEveryConstructorIsTested(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	tested := map[string]bool{"NewParameter": true, "NewStateDict": true} // which make no module
	for _, m := range members {
		tested["New"+strings.Split(m.name, "/")[0]] = true
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "New") {
				assert.True(t, tested[fn.Name.Name], fn.Name.Name)
			}
		}
	}
}
