package nn_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// mixin is a struct to embed: the field Extra then belongs to the module that embeds
// it.
type mixin struct{ Extra *nn.Linear }

// goodNet is a module that leaves the registration to its fields.
type goodNet struct {
	nn.Base
	FC1       *nn.Linear
	LayerNorm nn.Layer
	scale     *torch.Tensor
	blocks    []*nn.Linear
	WQ        *torch.Tensor
	pair      [2]nn.Module
	other     *nn.Linear `torch:"head"`
	teacher   *nn.Linear `torch:"-"`
	Notes     []float64  // nothing to register
	mixin
}

func newGoodNet() *goodNet {
	return &goodNet{
		FC1:       nn.NewLinear(2, 2),
		LayerNorm: nn.NewLayerNorm([]int64{2}),
		scale:     nn.NewParameter(torch.Ones(torch.Shape{2})),
		blocks:    []*nn.Linear{nn.NewLinear(2, 2, nn.Bias(false)), nn.NewLinear(2, 2)},
		WQ:        nn.NewParameter(torch.Ones(torch.Shape{1})),
		pair:      [2]nn.Module{nn.NewReLU(), nn.NewLinear(1, 1)},
		other:     nn.NewLinear(1, 1),
		teacher:   nn.NewLinear(1, 1),
		mixin:     mixin{nn.NewLinear(1, 1)},
	}
}

// close closes the module, and the layer that is not part of it.
func (n *goodNet) close(t *testing.T) {
	require.NoError(t, n.Close())
	require.NoError(t, n.teacher.Close())
}

// goodNames are the parameter names of goodNet, as Python would give them. The module's
// own parameters are first.
var goodNames = []string{
	"scale", "wq",
	"fc1.weight", "fc1.bias", "layer_norm.weight", "layer_norm.bias",
	"blocks.0.weight", "blocks.1.weight", "blocks.1.bias", "pair.1.weight", "pair.1.bias",
	"head.weight", "head.bias", "extra.weight", "extra.bias",
}

func (n *goodNet) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for _, l := range n.blocks {
			x = l.Forward(x)
		}
		return n.FC1.Forward(x).Mul(n.scale)
	})
}

// Layers in fields are registered, whichever function lists the modules first, and whether the
// fields were set before Init or after.
func TestFieldsAreRegistered(t *testing.T) {
	uses := map[string]func(n *goodNet){
		"Parameters": func(n *goodNet) { n.Parameters() },
		"Forward":    func(n *goodNet) { n.Forward(torch.Ones(torch.Shape{1, 2})) },
		"Children":   func(n *goodNet) { assert.Len(t, n.Children(), 6) },
		"Get":        func(n *goodNet) { assert.Same(t, n.blocks[1], n.Get("blocks.1")) },
		"String":     func(n *goodNet) { assert.Contains(t, n.String(), "(layer_norm): LayerNorm") },
		"Eval":       func(n *goodNet) { n.Eval(); assert.False(t, n.blocks[1].Training()) },
		"Train":      func(n *goodNet) { n.other.Eval(); n.Train(); assert.True(t, n.other.Training()) },
		"Apply": func(n *goodNet) {
			count := 0
			nn.Apply(n, func(nn.Module) { count++ })
			assert.Equal(t, 11, count)
		},
		"ZeroGrad": func(n *goodNet) {
			n.FC1.Weight.Sum().Backward()
			n.ZeroGrad()
			assert.Nil(t, n.FC1.Weight.Grad())
		},
		"To":           func(n *goodNet) { n.To(torch.Float64); assert.Equal(t, torch.Float64, n.scale.DType()) },
		"NamedModules": func(n *goodNet) { assert.Len(t, nn.NamedModules(n), 11) },
		"Load":         func(n *goodNet) { n.LoadStateDict(n.StateDict()) },
		"Close": func(n *goodNet) {
			require.NoError(t, n.Close())
			assert.True(t, n.blocks[0].Weight.IsClosed())
		},
	}
	for use, fn := range uses {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprint(use, last), func(t *testing.T) {
				scoped(t, func() {
					n := new(goodNet)
					made := newGoodNet()
					if !last {
						n.Init(n)
					}
					n.FC1, n.LayerNorm, n.scale, n.blocks, n.WQ = made.FC1, made.LayerNorm, made.scale, made.blocks,
						made.WQ
					n.pair, n.other, n.teacher, n.mixin = made.pair, made.other, made.teacher, made.mixin
					if last {
						n.Init(n)
					}
					fn(n)
					assert.Equal(t, goodNames, n.StateDict().Names())
					n.close(t)
				})
			})
		}
	}
}

// Assigning to a field later replaces the old module.
func TestFieldsAreReplaced(t *testing.T) {
	scoped(t, func() {
		n := newGoodNet()
		n.Init(n)
		defer n.close(t)
		x := torch.Ones(torch.Shape{1, 2})
		n.Forward(x)

		old := n.FC1
		n.FC1 = nn.NewLinear(2, 2, nn.Bias(false))
		require.NoError(t, old.Close())
		n.Eval()
		assert.False(t, n.FC1.Training())
		n.Forward(x)
		assert.Same(t, n.FC1.Weight, n.GetParameter("fc1.weight"))

		require.NoError(t, n.scale.Close())
		n.scale = nn.NewParameter(torch.Zeros(torch.Shape{2}))
		assert.Same(t, n.scale, n.Parameters()[0])

		n.blocks = append(n.blocks, nn.NewLinear(2, 2))
		assert.Same(t, n.blocks[2].Weight, n.GetParameter("blocks.2.weight"))

		require.NoError(t, n.other.Close())
		n.other = nil
		assert.NotContains(t, n.StateDict().Names(), "head.weight")
		n.other = nn.NewLinear(1, 1)
		assert.Contains(t, n.StateDict().Names(), "head.weight")

		was := n.other
		n.Unregister("head")
		assert.Nil(t, n.other)
		assert.NotContains(t, n.StateDict().Names(), "head.weight")
		require.NoError(t, was.Close())
		require.NoError(t, n.scale.Close())
		n.Unregister("scale")
		assert.NotContains(t, n.StateDict().Names(), "scale")

		// A module registered by hand keeps its name.
		mine := nn.NewLinear(2, 2)
		kept := n.FC1
		defer func() { require.NoError(t, kept.Close()) }()
		n.Register("fc1", mine)
		n.FC1 = mine
		assert.Same(t, mine.Weight, n.GetParameter("fc1.weight"))
	})
}

// A module that was registered by hand, or is part of another field, is not registered again.
func TestFieldsOfWhatIsRegistered(t *testing.T) {
	scoped(t, func() {
		type net struct {
			nn.Base
			layers []nn.Layer
			seq    *nn.Sequential
			byHand *nn.Linear
			list   []*nn.Linear
			weight *torch.Tensor
		}
		n := new(net)
		n.Init(n)
		n.byHand = nn.NewLinear(1, 1, n.As("fc"))
		n.layers = []nn.Layer{nn.NewLinear(1, 1, nn.Bias(false)), nn.NewReLU()}
		n.seq = nn.NewSequential(n.layers...)
		n.list = []*nn.Linear{nn.NewLinear(1, 1, nn.Bias(false))}
		nn.NewModuleList(n.list[0]).In(n, "items")
		n.weight = n.RegisterParameter("gain", torch.Ones(torch.Shape{1}))
		assert.Equal(t, []string{"gain", "fc.weight", "fc.bias", "items.0.weight", "seq.0.weight"},
			n.StateDict().Names())
		require.NoError(t, n.Close())
	})
}

// If two fields hold the same module, the module has two names, as in Python.
func TestFieldsShareAModule(t *testing.T) {
	scoped(t, func() {
		type net struct {
			nn.Base
			embed, head *nn.Linear
			tied        *torch.Tensor
		}
		fc := nn.NewLinear(1, 1, nn.Bias(false))
		n := &net{embed: fc, head: fc, tied: fc.Weight}
		n.Init(n)
		assert.Equal(t, []string{"tied", "embed.weight", "head.weight"}, n.StateDict().Names())
		assert.Len(t, n.Parameters(), 1)
		require.NoError(t, n.Close())
	})
}

func TestFieldsOfADeepCopy(t *testing.T) {
	scoped(t, func() {
		n := newGoodNet()
		n.Init(n)
		twin := nn.DeepCopy(n).(*goodNet)
		assert.Equal(t, goodNames, twin.StateDict().Names())
		assert.NotSame(t, n.blocks[0], twin.blocks[0])
		assert.Same(t, twin.blocks[0].Weight, twin.GetParameter("blocks.0.weight"))
		require.NoError(t, twin.FC1.Close())
		twin.FC1 = nn.NewLinear(2, 2)
		assert.Same(t, twin.FC1.Weight, twin.GetParameter("fc1.weight"))
		assert.Same(t, n.FC1.Weight, n.GetParameter("fc1.weight"))
		require.NoError(t, twin.Close())
		n.close(t)
	})
}

// After a FunctionalCall with other tensors, the fields hold the module's own tensors
// again.
func TestFieldsInFunctionalCall(t *testing.T) {
	scoped(t, func() {
		n := newGoodNet()
		n.Init(n)
		scale := n.scale
		nn.FunctionalCall(n, nn.NewStateDict(map[string]*torch.Tensor{"scale": torch.Zeros(torch.Shape{2})}), func() {
			assert.Zero(t, n.Forward(torch.Ones(torch.Shape{1, 2})).Sum().Item())
			assert.NotSame(t, scale, n.Parameters()[0])
		})
		assert.Same(t, scale, n.scale)
		assert.Same(t, scale, n.Parameters()[0])
		n.close(t)
	})
}

func TestFieldsInSetSubmodule(t *testing.T) {
	scoped(t, func() {
		n := newGoodNet()
		n.Init(n)
		old := n.blocks[1]
		defer func() { require.NoError(t, old.Close()) }()
		m := nn.NewLinear(2, 2)
		n.SetSubmodule("blocks.1", m)
		assert.Same(t, m, n.blocks[1])
		assert.Same(t, m.Weight, n.GetParameter("blocks.1.weight"))
		n.close(t)
	})
}

// Many goroutines may use a module at the same time, even for its first call.
func TestFieldsFromManyGoroutines(t *testing.T) {
	scoped(t, func() {
		n := new(goodNet)
		n.Init(n)
		made := newGoodNet()
		n.FC1, n.scale, n.blocks = made.FC1, made.scale, made.blocks
		for _, m := range []nn.Module{
			made.LayerNorm, made.pair[1], made.other, made.teacher, made.Extra,
			nn.NewParameterList(made.WQ),
		} {
			defer m.Close()
		}
		x := torch.Ones(torch.Shape{1, 2})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				torch.Scope(func() {
					n.Forward(x)
					assert.Len(t, n.Parameters(), 6)
				})
			})
		}
		wg.Wait()
		require.NoError(t, n.Close())
	})
}

// child has a field that holds its parent, which must not become its child.
type child struct {
	nn.Base
	Parent *family
}

type family struct {
	nn.Base
	Child *child
}

func TestMistakesInFields(t *testing.T) {
	type twins struct {
		nn.Base
		FC1, Fc1 *nn.Linear
	}
	type plainNet struct {
		nn.Base
		other *nn.Linear `torch:"head.out"`
	}
	type useless struct {
		nn.Base
		size int `torch:"size"` //nolint:unused // the mistake
	}
	type taken struct {
		nn.Base
		fc *nn.Linear
	}
	scoped(t, func() {
		fc := nn.NewLinear(1, 1)
		defer fc.Close()
		other := nn.NewLinear(1, 1)
		defer other.Close()
		for want, fn := range map[string]func(){
			"argument n.other: has the tag `torch:\"head.out\"`, " +
				"but a name must not be empty or contain a dot": func() {
				n := &plainNet{other: fc}
				n.Init(n)
			},
			"argument n.Fc1: is registered as \"fc1\", and so is n.FC1": func() {
				n := &twins{FC1: fc}
				n.Init(n)
			},
			"argument n.size: has the tag `torch:\"size\"`, which has no effect: a int is neither": func() {
				n := new(useless)
				n.Init(n)
			},
			"child: argument n.Parent: module \"parent\" contains this module; a field with the tag " +
				"`torch:\"-\"` is left alone": func() {
				n := &family{Child: new(child)}
				n.Child.Init(n.Child)
				n.Child.Parent = n
				n.Init(n)
				n.Parameters()
			},
			`"fc" is the name of a parameter`: func() {
				n := new(taken)
				n.Init(n)
				n.RegisterParameter("fc", other.Weight)
				n.fc = fc
				n.Parameters()
			},
			"was never initialized": func() {
				n := &family{Child: new(child)}
				n.Init(n)
			},
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrValue, want)
			assert.ErrorContains(t, err, want)
		}
	})
}

// A parameter in a field follows the field: assigning nil removes the parameter, and a
// graph notices if a different tensor is assigned.
func TestParameterFields(t *testing.T) {
	scoped(t, func() {
		type net struct {
			nn.Base
			scale *torch.Tensor
		}
		n := &net{scale: nn.NewParameter(torch.Ones(torch.Shape{1}))}
		n.Init(n)
		forward := func() []*torch.Tensor {
			return []*torch.Tensor{n.CallN(nil, func([]*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{n.scale.MulScalar(2)}
			})[0]}
		}
		var g *torch.Graph
		torch.NoGrad(func() { g = torch.Capture(forward) })
		torch.NoGrad(func() { g.Replay() })
		require.NoError(t, n.scale.Close())
		n.scale = nn.NewParameter(torch.Full(torch.Shape{1}, 5, torch.Float32))
		assert.Same(t, n.scale, n.GetParameter("scale"))
		assert.ErrorContains(t, torch.Try(func() { torch.NoGrad(func() { g.Replay() }) }),
			"has a different scale than when the step was captured")
		require.NoError(t, g.Close())

		require.NoError(t, n.scale.Close())
		n.scale = nil
		assert.Empty(t, n.StateDict())
		n.ZeroGrad()
		n.scale = nn.NewParameter(torch.Ones(torch.Shape{1}))
		assert.Equal(t, []string{"scale"}, n.StateDict().Names())
		require.NoError(t, n.Close())
	})
}

// A slice's elements are registered by index. Its list can only be changed through the slice.
func TestSliceFields(t *testing.T) {
	scoped(t, func() {
		type net struct {
			nn.Base
			blocks []*nn.Linear
			last   *nn.Linear
		}
		linear := func() *nn.Linear { return nn.NewLinear(1, 1, nn.Bias(false)) }
		n := new(net)
		n.Init(n)
		n.blocks = []*nn.Linear{linear(), linear(), linear()}
		n.last = n.blocks[2]
		assert.Equal(t, []string{"blocks.0.weight", "blocks.1.weight", "blocks.2.weight", "last.weight"},
			n.StateDict().Names())
		n.Eval()
		require.NoError(t, n.blocks[1].Close())
		n.blocks[1] = nil
		assert.Equal(t, []string{"blocks.0.weight", "blocks.2.weight", "last.weight"}, n.StateDict().Names())
		list := n.Get("blocks").(*nn.ModuleList)
		assert.False(t, list.Training(), "as the list before")

		extra := linear()
		defer extra.Close()
		for what, fn := range map[string]func(){
			"Append":       func() { list.Append(extra) },
			"Insert":       func() { list.Insert(0, extra) },
			"new element":  func() { n.SetSubmodule("blocks.3", extra) },
			"another list": func() { n.SetSubmodule("blocks", nn.NewModuleList(extra)) },
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrValue, what)
			assert.ErrorContains(t, err, "this list comes from the field n.blocks: change the field instead", what)
		}
		old := n.blocks[0]
		n.SetSubmodule("blocks.0", extra)
		assert.Same(t, extra, n.blocks[0])
		assert.Same(t, extra.Weight, n.GetParameter("blocks.0.weight"))
		n.SetSubmodule("blocks.0", old)
		require.NoError(t, n.Close())
	})
}

// trunk is embedded by other modules, like a base class.
type trunk struct {
	nn.Base
	Norm *nn.Linear
}

// selfish embeds itself.
type selfish struct {
	*selfish //nolint:unused // it leads the search around
	Tail     *nn.Linear
}

func TestFieldsOfEmbeddedModules(t *testing.T) {
	scoped(t, func() {
		type net struct {
			trunk
			FC *nn.Linear
			*selfish
		}
		n := &net{trunk: trunk{Norm: nn.NewLinear(1, 1)}, FC: nn.NewLinear(1, 1)}
		n.Init(n)
		assert.Nil(t, n.selfish)
		assert.Equal(t, []string{"norm.weight", "norm.bias", "fc.weight", "fc.bias"}, n.StateDict().Names())
		require.NoError(t, n.Close())
	})
}

// Close frees all tensors, even if there are mistakes in other fields.
func TestCloseWithBadFields(t *testing.T) {
	scoped(t, func() {
		type net struct {
			nn.Base
			fc    *nn.Linear
			child *family
			scale *torch.Tensor
		}
		n := &net{fc: nn.NewLinear(1, 1), scale: nn.NewParameter(torch.Ones(torch.Shape{1}))}
		n.Init(n)
		n.child = new(family) // without Init
		require.NoError(t, n.Close())
		assert.True(t, n.fc.Weight.IsClosed())
		assert.True(t, n.scale.IsClosed())
	})
}
