package nn_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// member is a constructor with some of its options. The function make registers the
// module with p under the name "m". The function in returns arguments for Forward; it is
// nil for a module without Forward.
type member struct {
	name   string // the constructor without New, perhaps with "/" and a variant
	python string // the Python expression that makes the module
	make   func(p *holder) nn.Module
	in     func() []*torch.Tensor
}

// addLayer adds a layer that has its own test file to the tables: its option row, its
// members and, if it has parameters, the function that makes it on a different device.
// The other layers are in the tables of their family, in members_*_test.go and
// options_rows_*_test.go.
func addLayer(options func(p *holder) optiontest.Row, elsewhere elsewhereFunc, rows ...member) bool {
	name := rows[0].name
	addedRows["New"+name] = options
	if elsewhere != nil {
		onDevice[name] = elsewhere
	}
	members = append(members, rows...)
	return true
}

var addedRows = map[string]func(p *holder) optiontest.Row{}

func inputOf(shape ...int64) func() []*torch.Tensor {
	return func() []*torch.Tensor { return []*torch.Tensor{torch.Rand(torch.Shape(shape))} }
}

// pair returns an input and a target with the same shape.
func pair() []*torch.Tensor {
	x := torch.Rand(torch.Shape{4, 3})
	return []*torch.Tensor{x, torch.Rand(torch.Shape{4, 3})}
}

func classes() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{4, 3}), torch.FromSlice([]int64{0, 1, 2, 1})}
}

func words() []*torch.Tensor { return []*torch.Tensor{torch.FromSlice([]int64{0, 4, 1}, 3)} }

var (
	row   = inputOf(4, 3)
	image = inputOf(1, 2, 6, 6)
)

// members holds all constructors of the package, by family.
// TestEveryConstructorIsTested finds missing constructors.
var members = slices.Concat(
	linearMembers, shapeMembers, windowMembers, poolMembers, visionMembers, activationMembers, dropoutMembers,
	normMembers, sequenceMembers, tableMembers, recurrentMembers, transformerMembers, lossMembers, criterionMembers,
	containerMembers,
)

// elsewhereFunc makes the module of a member with the given device and dtype.
type elsewhereFunc = func(nn.Device, nn.DType) nn.Module

// onDevice holds an elsewhereFunc for each layer with parameters.
var onDevice = joinMaps(linearElsewhere, activationElsewhere, tableElsewhere, windowElsewhere, poolElsewhere,
	normElsewhere, sequenceElsewhere, recurrentElsewhere, transformerElsewhere, criterionElsewhere)

func joinMaps[V any](families ...map[string]V) map[string]V {
	all := map[string]V{}
	for _, f := range families {
		maps.Copy(all, f)
	}
	return all
}

// pythonAnswer is what Python reports about the module of a member.
type pythonAnswer struct {
	Text       string
	State      map[string]torch.Shape
	Attributes map[string]any
	Peaks      *[2]int64
}

// unlikePython holds the members whose fields differ in type from Python's attributes.
// They have their own tests.
var unlikePython = slices.Concat(windowMembers, poolMembers, visionMembers, sequenceMembers, recurrentMembers,
	transformerMembers, containerMembers)

// goldens returns each member's description in Python, by name.
func goldens(t *testing.T) map[string]pythonAnswer {
	t.Helper()
	rows := map[string]any{}
	torch.Scope(func() {
		for _, m := range members {
			require.NotContains(t, rows, m.name)
			unlike := slices.ContainsFunc(unlikePython, func(a member) bool { return a.name == m.name })
			rows[m.name] = struct {
				Python     string `json:"python"`
				In         []any  `json:"in"`
				Attributes bool   `json:"attributes"`
			}{m.python, describeInputs(m.in), !unlike}
		}
	})
	return pythontest.Goldens[pythonAnswer](t, "testdata/members.json", rows, "testdata/make_members.py",
		os.Getenv("GOTORCH_COUNTING"))
}

// describeInputs returns the shapes and dtypes of the inputs and, for integers, the
// elements.
func describeInputs(in func() []*torch.Tensor) []any {
	if in == nil {
		return nil
	}
	all := []any{}
	for _, x := range in() {
		if x == nil {
			all = append(all, nil)
			continue
		}
		about := []any{x.Shape(), x.DType().String()}
		if !x.IsFloatingPoint() {
			about = append(about, x.Flatten().Float64s())
		}
		all = append(all, about)
	}
	return all
}

func TestMembers(t *testing.T) {
	goldens := goldens(t)
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

// checkForward checks that hooks run, that no temporaries remain, and that errors name
// the layer.
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
	runModule(m, in)
	assert.Equal(t, []string{"before", "after"}, seen, "hooks")
	pre.Remove()
	post.Remove()
	live := torch.NumLiveTensors()
	made := 0
	for _, y := range runModule(m, in) {
		if !slices.Contains(in, y) {
			made++
		}
	}
	assert.Equal(t, live+int64(made), torch.NumLiveTensors(), "temporaries left open")
	assert.Len(t, seen, 2, "hooks that are removed")

	if _, ok := m.(*nn.Identity); ok || strings.HasPrefix(m.String(), "Sequential()") {
		return // these modules accept any input, so there is no error to check
	}
	err := torch.Try(func() { runModule(m, []*torch.Tensor{nil, nil}) })
	require.ErrorIs(t, err, torch.ErrNil)
	assert.ErrorContains(t, err, "in layer m")
	if len(m.ModuleBase().Children()) == 0 {
		assert.ErrorContains(t, err, m.ModuleBase().TypeName())
	}
	assert.Equal(t, live+int64(made), torch.NumLiveTensors(), "what fails leaves nothing")
}

// checkCopies compares a module with a module that loaded its state, and with its deep
// copy.
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
	want := runModule(m, copies(in))
	for name, c := range map[string]nn.Module{"loaded": loaded, "copy": twin} {
		c.Eval()
		for i, y := range runModule(c, copies(in)) {
			assert.Equal(t, want[i].Float64s(), y.Float64s(), name)
		}
		for i, p := range c.StateDict() {
			assert.NotSame(t, m.StateDict()[i].Tensor, p.Tensor)
		}
	}
	m.Train()
}

// copies returns copies of the tensors, to pass to modules that may modify their
// inputs.
func copies(in []*torch.Tensor) []*torch.Tensor {
	out := make([]*torch.Tensor, len(in))
	for i, x := range in {
		out[i] = x.Clone()
	}
	return out
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
			// The zero values stand for the defaults.
			m = make(nn.Device(torch.Device(0)), nn.DType(torch.DType(0)))
			assert.Equal(t, torch.Float32, m.Parameters()[0].DType(), name)
			assert.Equal(t, torch.CPU, m.Parameters()[0].Device(), name)
			require.NoError(t, m.Close())
		}
		for _, m := range members {
			p := new(holder)
			p.Init(p)
			if module := m.make(p); len(module.Parameters()) > 0 && module.ModuleBase().Children() == nil &&
				!strings.HasPrefix(m.name, "Parameter") && !strings.Contains(m.name, "FromPretrained") {
				assert.Contains(t, onDevice, strings.Split(m.name, "/")[0])
			}
			require.NoError(t, p.Close())
		}
	})
}

// A nil part of a container is an error. TestOptions checks nil options.
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

// Passing an option that belongs to another constructor does not compile.
func TestOptionsThatDoNotApply(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/nn", "F github.com/gotorch/gotorch/nn/functional",
			"github.com/gotorch/gotorch/torch",
		},
		Decls: "var b nn.Base",
	}
	require.NoError(t, scope.Compile(`nn.NewConv2d(1, 2, 3, nn.Stride(2), b.As("conv"))`))
	for _, s := range []string{
		"nn.NewLinear(3, 2, nn.Stride(2))", "nn.NewLinear(3, 2, false)", "nn.NewLinear(3, 2, torch.Float64)",
		"nn.NewConv2d(1, 2, 3, nn.Eps(1))", "nn.NewMaxPool2d(2, nn.PaddingSame)", "nn.NewAvgPool2d(2, nn.Dilation(2))",
		"nn.NewReLU(nn.Bias(false))", "nn.NewDropout(nn.P(0.1), nn.P(0.1))",
		"nn.NewLayerNorm(torch.Shape{3}, nn.Affine(false))",
		"nn.NewGroupNorm(1, 2, nn.Bias(false))", "nn.NewRMSNorm(torch.Shape{3}, nn.Bias(false))",
		"nn.NewMSELoss(nn.IgnoreIndex(1))",
		"nn.NewMSELoss(1)", "nn.NewBCELoss(nn.PosWeight(nil))", "nn.NewHuberLoss(nn.Beta(1))",
		"nn.NewSequential(nn.NewMSELoss())",
		"new(nn.MultiheadAttention).Forward(nil, nil, nil, nn.Bias(false))",
		"nn.NewMultiheadAttention(4, 2, nn.NeedWeights(false))",
	} {
		assert.Error(t, scope.Compile(s), s)
	}
}

// Every constructor has a member: the tests above cover only members.
func TestEveryConstructorIsTested(t *testing.T) {
	tested := map[string]bool{"NewParameter": true, "NewStateDict": true} // these make no module
	for _, m := range members {
		tested["New"+strings.Split(m.name, "/")[0]] = true
	}
	found := optiontest.Constructors(t, ".")
	for _, name := range found {
		assert.True(t, tested[name], name)
	}
	assert.Len(t, tested, len(found), "a member without a constructor")
	assert.GreaterOrEqual(t, len(found), 146)
}
