package nn_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// counter has state that is neither a parameter nor a buffer.
type counter struct {
	nn.Base
	steps int64
}

func newCounter(opts ...nn.InitOption) *counter {
	c := new(counter)
	c.Init(c, opts...)
	return c
}

func (c *counter) GetExtraState() *torch.Tensor  { return torch.FromSlice([]int64{c.steps}) }
func (c *counter) SetExtraState(t *torch.Tensor) { c.steps = t.Int64s()[0] }

func TestExtraState(t *testing.T) {
	scoped(t, func() {
		p := new(holder)
		p.Init(p)
		defer p.Close()
		c := newCounter(p.As("c"))
		nn.NewLinear(1, 1, p.As("fc"))
		c.steps = 7
		sd := p.StateDict()
		assert.Equal(t, []string{"c._extra_state", "fc.weight", "fc.bias"}, sd.Names())
		c.steps = 0
		require.NoError(t, p.LoadStateDict(sd))
		assert.Equal(t, int64(7), c.steps)
		keys, err := nn.LoadStateDict(p, sd[1:], nn.Strict(false))
		require.NoError(t, err)
		assert.Equal(t, nn.IncompatibleKeys{MissingKeys: []string{"c._extra_state"}}, keys)
		assert.ErrorContains(t, p.LoadStateDict(sd[1:]), "missing names: [c._extra_state]")
		bad := sd.Clone()
		for _, n := range bad {
			n.Tensor.Close()
		}
		assert.ErrorIs(t, p.LoadStateDict(bad), torch.ErrClosed)
	})
}

// Names from files are escaped before they reach a terminal.
func TestNamesAreEscaped(t *testing.T) {
	scoped(t, func() {
		const name, escaped = "w\x1b[2J\u202e\n", `w\x1b[2J\u202e\n`
		m := nn.NewLinear(1, 1)
		defer m.Close()
		sd := nn.StateDict{{name, torch.Ones(torch.Shape{1})}}
		keys, err := nn.LoadStateDict(m, sd, nn.Strict(false))
		require.NoError(t, err)
		_, strict := nn.LoadStateDict(m, sd)
		require.ErrorIs(t, strict, torch.ErrValue)
		report := &nn.LoadReport{
			IncompatibleKeys: keys, Ignored: []string{name},
			Mismatched: []nn.Mismatch{{Name: name}},
		}
		for _, text := range []string{sd.String(), keys.String(), report.String(), strict.Error()} {
			assert.Contains(t, text, escaped)
			assert.NotContains(t, text, "\x1b")
			assert.NotContains(t, text, "\u202e")
		}
	})
}

func TestIncompatibleKeys(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 1)
		defer m.Close()
		sd := nn.StateDict{{"bias", torch.Ones(torch.Shape{1})}, {"w", torch.Ones(torch.Shape{1})}}
		keys, err := nn.LoadStateDict(m, sd, nn.Strict(false))
		require.NoError(t, err)
		assert.Equal(t, "_IncompatibleKeys(missing_keys=['weight'], unexpected_keys=['w'])", keys.String())
		assert.Equal(t, []float32{1}, m.Bias.Float32s())
		keys, err = nn.LoadStateDict(m, m.StateDict())
		require.NoError(t, err)
		assert.Equal(t, "<All keys matched successfully>", keys.String())
		keys, err = nn.LoadStateDict(m, sd)
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Equal(t, []string{"weight"}, keys.MissingKeys)
		assert.ErrorIs(t, torch.Try(func() { _, _ = nn.LoadStateDict(nil, sd) }), torch.ErrNil)
	})
}

// With Assign, the module uses the source's memory and dtype. This also gives tensors to
// modules on the meta device.
func TestAssign(t *testing.T) {
	scoped(t, func() {
		from := nn.NewLinear(2, 1, nn.DType(torch.Float64))
		defer from.Close()
		for _, dev := range []torch.Device{torch.CPU, torch.Meta} {
			m := nn.NewLinear(2, 1, nn.Device(dev))
			weight := m.Weight
			m.Bias.SetRequiresGrad(false)
			require.NoError(t, m.LoadStateDict(from.StateDict(), nn.Assign(true)))
			assert.Equal(t, dev == torch.CPU, weight == m.Weight)
			assert.Equal(t, dev == torch.Meta, weight.IsClosed())
			assert.True(t, m.Weight.SharesStorage(from.Weight))
			assert.Equal(t, torch.Float64, m.Weight.DType())
			assert.True(t, m.Weight.RequiresGrad())
			assert.True(t, m.Weight.IsLeaf())
			assert.False(t, m.Bias.RequiresGrad())
			m.Forward(torch.Ones(torch.Shape{1, 2}, torch.Float64)).Sum().Backward()
			assert.Nil(t, from.Weight.Grad())
			assert.NoError(t, m.Close())
			assert.False(t, from.Weight.IsClosed())
		}
		m := nn.NewLinear(2, 1)
		defer m.Close()
		for name, wrong := range map[string]*torch.Tensor{
			"has no gradients": torch.FromSlice([]int64{1, 2}, 1, 2), "sizes differ": torch.Ones(torch.Shape{2, 2}),
		} {
			before := m.StateDict().String()
			err := m.LoadStateDict(nn.StateDict{{"bias", from.Bias}, {"weight", wrong}}, nn.Assign(true))
			assert.ErrorContains(t, err, name)
			assert.Equal(t, before, m.StateDict().String())
		}
	})
}

func TestStateDictHooks(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(1, 1))
		defer m.Close()
		l := m.At(0).ModuleBase()
		var seen []string
		hooks := []*nn.Hook{
			l.RegisterStateDictPreHook(func(h nn.Module, prefix string) {
				assert.IsType(t, m.At(0), h)
				seen = append(seen, "pre "+prefix)
			}),
			l.RegisterStateDictPostHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
				for i, n := range *sd {
					(*sd)[i].Name = strings.Replace(n.Name, prefix, prefix+"old_", 1)
				}
			}),
			l.RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
				for i, n := range *sd {
					(*sd)[i].Name = strings.Replace(n.Name, prefix+"old_", prefix, 1)
				}
			}),
			m.RegisterLoadStateDictPostHook(func(_ nn.Module, keys *nn.IncompatibleKeys) {
				seen = append(seen, "loaded")
				keys.UnexpectedKeys = nil
			}),
		}
		sd := m.StateDict()
		assert.Equal(t, []string{"0.old_weight", "0.old_bias"}, sd.Names())
		require.NoError(t,
			m.LoadStateDict(append(sd, nn.NamedTensor{Name: "more", Tensor: torch.Ones(torch.Shape{1})})))
		assert.Equal(t, []string{"0.old_weight", "0.old_bias"}, sd.Names(), "the hook had a copy")
		assert.Equal(t, []string{"pre 0.", "loaded"}, seen)
		require.ErrorContains(t, m.LoadStateDict(sd[1:]), "missing names: [0.weight]")
		twin := nn.DeepCopy(m)
		defer twin.Close()
		assert.Equal(t, []string{"0.old_weight", "0.old_bias"}, twin.StateDict().Names())
		for _, h := range hooks {
			h.Remove()
			h.Remove()
		}
		assert.Equal(t, []string{"0.weight", "0.bias"}, m.StateDict().Names())
		assert.Error(t, m.LoadStateDict(sd))
		for _, fn := range []func(){
			func() { l.RegisterStateDictPreHook(nil) }, func() { l.RegisterStateDictPostHook(nil) },
			func() { l.RegisterLoadStateDictPreHook(nil) }, func() { l.RegisterLoadStateDictPostHook(nil) },
			func() { l.RegisterFullBackwardHook(nil) }, func() { l.RegisterFullBackwardPreHook(nil) },
			func() { nn.RegisterModuleForwardHook(nil) }, func() { nn.RegisterModuleForwardPreHook(nil) },
			func() { nn.RegisterModuleFullBackwardHook(nil) }, func() { nn.RegisterModuleFullBackwardPreHook(nil) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil)
		}
	})
}
