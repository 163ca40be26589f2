package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A state dict is loaded completely or not at all.
func TestLoadStateDictIsAllOrNothing(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 2))
		defer m.Close()
		closed := torch.Ones(torch.Shape{2})
		closed.Close()
		for name, c := range map[string]struct {
			kind error
			last *torch.Tensor
		}{
			"meta":   {torch.ErrValue, torch.Zeros(torch.Shape{2}, torch.Meta)},
			"shape":  {torch.ErrShape, torch.Zeros(torch.Shape{3})},
			"closed": {torch.ErrClosed, closed},
			"nil":    {torch.ErrNil, nil},
		} {
			before := m.StateDict().String()
			sd := m.StateDict().Map()
			sd["0.weight"] = torch.Zeros(torch.Shape{2, 2})
			sd["1.bias"] = c.last
			err := m.LoadStateDict(nn.NewStateDict(sd))
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, "1.bias", name)
			assert.Equal(t, before, m.StateDict().String(), name)
		}
		assert.ErrorIs(t, torch.Try(func() { _ = m.LoadStateDict(nil, nil) }), torch.ErrNil)
		sd := m.StateDict()
		require.NoError(t, m.LoadStateDict(sd[1:], nn.Strict(true), nn.Strict(false)), "the last one counts")
		require.Error(t, m.LoadStateDict(sd[1:], nn.Strict(false), nn.Strict(true)))
		assert.NoError(t, m.Close())
		assert.ErrorIs(t,
			m.LoadStateDict(nn.StateDict{{Name: "0.weight", Tensor: torch.Zeros(torch.Shape{2, 2})}}, nn.Strict(false)),
			torch.ErrClosed)
	})
}

func TestStateDictPrintsAsPythons(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(1, 2)
		defer m.Close()
		torch.NoGrad(func() {
			m.Weight.Fill_(0.5)
			m.Bias.Zero_()
		})
		assert.Equal(t, "OrderedDict([('weight', tensor([[0.5000],\n        [0.5000]])), ('bias', tensor([0., 0.]))])",
			m.StateDict().String())
		assert.Equal(t, "OrderedDict()", nn.NewReLU().StateDict().String())
	})
}

func TestBuffersThatNoStateDictHolds(t *testing.T) {
	scoped(t, func() {
		m := new(holder)
		m.Init(m)
		defer m.Close()
		a := m.RegisterBuffer("a", torch.Ones(torch.Shape{1}))
		m.RegisterBuffer("b", torch.Ones(torch.Shape{1}), nn.Persistent(false))
		m.RegisterBuffer("c", torch.Ones(torch.Shape{1}), nn.Persistent(false), nn.Persistent(true))
		assert.Nil(t, m.RegisterBuffer("d", nil))
		assert.Equal(t, []string{"a", "c"}, m.StateDict().Names())
		assert.Len(t, m.Buffers(), 3)
		assert.Same(t, a, m.Buffers()[0])
		assert.ErrorIs(t, torch.Try(func() { m.RegisterBuffer("e", a, nil) }), torch.ErrNil)
	})
}

// Tensors that libtorch cannot write to are found before anything is written.
func TestLoadStateDictIntoWhatCannotBeWritten(t *testing.T) {
	scoped(t, func() {
		var made *torch.Tensor
		torch.InferenceMode(func() { made = torch.Keep(torch.Zeros(torch.Shape{3})) })
		for name, c := range map[string]struct {
			buffer *torch.Tensor
			says   string
		}{
			"expanded":  {torch.Zeros(torch.Shape{1}).Expand(3), "b of this module is an expanded tensor"},
			"inference": {made, "b of this module was made in inference mode"},
		} {
			m := new(holder)
			m.Init(m)
			w := m.RegisterParameter("w", torch.Zeros(torch.Shape{2}))
			m.RegisterBuffer("b", c.buffer)
			err := m.LoadStateDict(nn.NewStateDict(map[string]*torch.Tensor{
				"w": torch.Ones(torch.Shape{2}),
				"b": torch.Ones(torch.Shape{3}),
			}))
			if assert.ErrorIs(t, err, torch.ErrValue, name) {
				assert.ErrorContains(t, err, c.says)
			}
			assert.Equal(t, []float32{0, 0}, w.Float32s(), name)
			require.NoError(t, m.Close())
		}
	})
}

// The error names all problems, as in Python.
func TestLoadStateDictNamesAllProblems(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 2))
		defer m.Close()
		sd := nn.StateDict{
			{"z", torch.Ones(torch.Shape{1})},
			{"0.weight", torch.Ones(torch.Shape{3})},
			{"0.bias", torch.Ones(torch.Shape{4})},
			{"1.weight", torch.Ones(torch.Shape{2, 2}, torch.Meta)},
			{"a", torch.Ones(torch.Shape{1})},
		}
		err := m.LoadStateDict(sd)
		require.ErrorIs(t, err, torch.ErrValue)
		assert.EqualError(t, err, "torch: LoadStateDict: missing names: [1.bias]; unknown names: [z, a]; the tensor "+
			"for 1.weight is on the meta device and has no values; "+
			"sizes differ: 0.weight has shape (2, 2) in the module and (3,) in the state dict, 0.bias has shape (2,) "+
			"in the module and (4,) in the state dict")
		missing, unexpected := sd.Compare(m)
		assert.Equal(t, []string{"1.bias"}, missing)
		assert.Equal(t, []string{"z", "a"}, unexpected)
		missing, unexpected = m.StateDict().Compare(m)
		assert.Empty(t, missing)
		assert.Empty(t, unexpected)
		assert.ErrorIs(t, torch.Try(func() { sd.Compare(nil) }), torch.ErrNil)
	})
}

// A name that occurs twice is an error, even if a hook added it, because only one of
// the two tensors could be loaded.
func TestLoadStateDictOfANameTwice(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(1, 1, nn.Bias(false))
		defer m.Close()
		before := m.Weight.Item()
		one := nn.NamedTensor{Name: "weight", Tensor: torch.Ones(torch.Shape{1, 1})}
		two := nn.NamedTensor{Name: "weight", Tensor: torch.Zeros(torch.Shape{1, 1})}
		for _, strict := range []nn.Strict{true, false} {
			err := m.LoadStateDict(nn.StateDict{one, two}, strict)
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, `"weight" occurs twice`)
		}
		hook := m.RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, _ string) { *sd = append(*sd, two) })
		defer hook.Remove()
		assert.ErrorContains(t, m.LoadStateDict(nn.StateDict{one}), `"weight" occurs twice`)
		assert.Equal(t, before, m.Weight.Item())
	})
}

// A transposed view of the module's own memory is read before it is overwritten.
func TestLoadStateDictOfItsOwnMemory(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 2, nn.Bias(false))
		defer m.Close()
		require.NoError(t, m.LoadStateDict(nn.StateDict{{"weight", torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)}}))
		require.NoError(t, m.LoadStateDict(nn.StateDict{{"weight", m.Weight.Detach().T()}}))
		assert.Equal(t, []float32{1, 3, 2, 4}, m.Weight.Float32s())
		require.NoError(t, m.LoadStateDict(m.StateDict()))
		assert.Equal(t, []float32{1, 3, 2, 4}, m.Weight.Float32s())
	})
}

func TestCloneOfAStateDict(t *testing.T) {
	scoped(t, func() {
		m := newLM()
		defer m.Close()
		require.NoError(t, m.head.Weight.Close())
		m.head.Weight = m.tok.Weight
		var best nn.StateDict
		torch.Scope(func() { best = m.StateDict().Clone() })
		assert.Equal(t, m.StateDict().String(), best.String())
		assert.Same(t, best.Get("tok.weight"), best.Get("head.weight"))
		assert.False(t, best[0].Tensor.RequiresGrad())
		want := m.tok.Weight.Float32s()
		torch.NoGrad(func() { m.tok.Weight.Zero_() })
		assert.Equal(t, want, best[0].Tensor.Float32s())
		require.NoError(t, m.LoadStateDict(best))
		assert.Equal(t, want, m.tok.Weight.Float32s())
		require.NoError(t, best[0].Tensor.Close())
		assert.ErrorIs(t, torch.Try(func() { best.Clone() }), torch.ErrClosed)
		assert.Equal(t, nn.StateDict{{Name: "none"}}, nn.StateDict{{Name: "none"}}.Clone())
	})
}

func TestStateDict(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(1)
		a, b := layers["CNN"](), layers["CNN"]()
		defer a.Close()
		defer b.Close()
		x := torch.Randn(torch.Shape{2, 3, 6, 5})
		a.Eval()
		b.Eval()
		assert.NotEqual(t, a.Forward(x).Float32s(), b.Forward(x).Float32s())
		require.NoError(t, b.LoadStateDict(a.StateDict()))
		assert.Equal(t, a.Forward(x).Float32s(), b.Forward(x).Float32s())
		require.NoError(t, b.LoadStateDict(nn.NewStateDict(a.StateDict().Map())))

		sd := a.StateDict()
		err := b.LoadStateDict(sd[1:])
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "missing names: [0.weight]")
		require.NoError(t, b.LoadStateDict(sd[1:], nn.Strict(false)))

		extra := append(nn.StateDict{{Name: "9.weight", Tensor: x}}, sd...)
		assert.ErrorContains(t, b.LoadStateDict(extra), "unknown names: [9.weight]")

		wrong := sd.Map()
		wrong["0.weight"] = x
		err = b.LoadStateDict(nn.NewStateDict(wrong))
		require.ErrorIs(t, err, torch.ErrShape)
		assert.ErrorContains(t, err, "0.weight has shape (4, 3, 3, 3) in the module and (2, 3, 6, 5)")

		wrong["0.weight"] = nil
		require.ErrorIs(t, b.LoadStateDict(nn.NewStateDict(wrong)), torch.ErrNil)
	})
}
