package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func names(list []nn.NamedTensor) []string { return nn.StateDict(list).Names() }

func TestLists(t *testing.T) {
	scoped(t, func() {
		shared := nn.NewLinear(2, 2)
		m := nn.NewModuleDict().Add("a", shared).Add("b", shared).Add("n", nn.NewBatchNorm1d(2))
		defer m.Close()
		assert.Equal(t, []string{"a.weight", "a.bias", "n.weight", "n.bias"}, names(m.NamedParameters()))
		assert.Equal(t, []string{"p.a.weight", "p.a.bias", "p.b.weight", "p.b.bias", "p.n.weight", "p.n.bias"},
			names(m.NamedParameters(nn.Prefix("p"), nn.RemoveDuplicate(false))))
		assert.Empty(t, m.NamedParameters(nn.Recurse(false)))
		assert.Len(t, m.Parameters(), 4)
		assert.Empty(t, m.Parameters(nn.Recurse(false)))
		assert.Equal(t, []string{"n.running_mean", "n.running_var", "n.num_batches_tracked"}, names(m.NamedBuffers()))
		assert.Len(t, m.Get("n").ModuleBase().Buffers(nn.Recurse(false)), 3)
		var paths []string
		for _, n := range nn.NamedModules(m, nn.RemoveDuplicate(false), nn.Prefix("x")) {
			paths = append(paths, n.Name)
		}
		assert.Equal(t, []string{"x", "x.a", "x.b", "x.n"}, paths)
	})
}

func TestPaths(t *testing.T) {
	scoped(t, func() {
		fc, norm := nn.NewLinear(2, 2), nn.NewBatchNorm1d(2)
		m := nn.NewSequential(fc, nn.NewSequential(norm))
		defer m.Close()
		assert.Same(t, fc.Weight, m.GetParameter("0.weight"))
		assert.Same(t, fc.Bias, fc.GetParameter("bias"))
		assert.Same(t, norm.RunningMean, m.GetBuffer("1.0.running_mean"))
		for _, path := range []string{"", "0", "2.weight", "0.w", "1.0.running_mean", "0.weight."} {
			assert.Nil(t, m.GetParameter(path), path)
		}
		assert.Nil(t, m.GetBuffer("0.weight"))

		act := nn.NewReLU()
		m.SetSubmodule("1.0", act, nn.Strict(true))
		defer norm.Close()
		assert.Same(t, act, m.Get("1.0"))
		m.SetSubmodule("1.more", nn.NewTanh())
		assert.NotNil(t, m.Get("1.more"))
		assert.ErrorIs(t, torch.Try(func() { m.SetSubmodule("1.other", act, nn.Strict(true)) }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { m.SetSubmodule("3.other", act) }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { m.SetSubmodule("", act) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { m.SetSubmodule("1", nil) }), torch.ErrNil)
	})
}

func TestConversions(t *testing.T) {
	scoped(t, func() {
		m := nn.NewBatchNorm1d(2)
		defer m.Close()
		m.Weight.SetGrad(torch.Ones(torch.Shape{2}))
		weight := m.Weight
		for _, c := range []struct {
			to   func()
			want torch.DType
		}{{m.Double, torch.Float64}, {m.Half, torch.Float16}, {m.BFloat16, torch.BFloat16}, {m.Float, torch.Float32}} {
			c.to()
			assert.Equal(t, c.want, m.Weight.DType())
			assert.Equal(t, c.want, m.Weight.Grad().DType())
			assert.Equal(t, c.want, m.RunningMean.DType())
			assert.Equal(t, torch.Int64, m.NumBatchesTracked.DType())
		}
		m.Type(torch.Float64)
		assert.Equal(t, torch.Float64, m.NumBatchesTracked.DType())
		assert.Same(t, weight, m.Weight)
		assert.ErrorIs(t, torch.Try(func() { m.Type(0) }), torch.ErrValue)
		assert.Error(t, torch.Try(func() { m.Type(torch.Int32) }))
		m.CPU()
		assert.Equal(t, torch.CPU, m.Weight.Device())
		m.SetTraining(false)
		assert.False(t, m.Training())
		m.SetTraining(true)
		assert.True(t, m.Training())
	})
}

// ToEmpty allocates the tensors of a module on the meta device. Fields of the program's own modules
// and shared parameters get the new tensors too.
func TestToEmpty(t *testing.T) {
	scoped(t, func() {
		p := new(keeper)
		p.Init(p)
		defer p.Close()
		p.kept = p.RegisterParameter("p", torch.Ones(torch.Shape{2}, torch.Meta))
		fc := nn.NewLinear(2, 3, nn.Device(torch.Meta), p.As("fc"))
		tied := nn.NewLinear(2, 3, nn.Device(torch.Meta), p.As("tied"))
		tied.Weight.Close()
		tied.Weight = fc.Weight
		fc.Bias.SetRequiresGrad(false)
		old := fc.Weight
		p.ToEmpty(torch.CPU)
		assert.True(t, old.IsClosed())
		assert.Same(t, fc.Weight, tied.Weight)
		assert.Same(t, p.kept, p.GetParameter("p"))
		assert.True(t, fc.Weight.RequiresGrad())
		assert.False(t, fc.Bias.RequiresGrad())
		for _, n := range p.NamedParameters() {
			assert.Equal(t, torch.CPU, n.Tensor.Device(), n.Name)
		}
		fc.ResetParameters()
		assert.Equal(t, torch.Shape{1, 3}, fc.Forward(torch.Ones(torch.Shape{1, 2})).Shape())
		weight := fc.Weight
		p.ToEmpty(torch.CPU)
		assert.Same(t, weight, fc.Weight)
		require.NoError(t, torch.Try(func() { p.ToEmpty(torch.Meta, nn.Recurse(false)) }))
		assert.Equal(t, torch.Meta, p.kept.Device())
		assert.Equal(t, torch.CPU, fc.Weight.Device())
	})
}
