package parallel_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// frozenMLP returns an mlp whose first layer does not learn. Its values are random.
func frozenMLP() *nn.Sequential {
	model := mlp()
	for _, p := range model.Parameters()[:2] {
		p.SetRequiresGrad(false)
	}
	return model
}

// hasValuesOfRank0 returns an error unless each tensor has the values of the one on rank 0.
func hasValuesOfRank0(g *distributed.ProcessGroup, ts []nn.NamedTensor) error {
	for _, p := range ts {
		first := p.Tensor.Detach().Clone()
		if err := g.Broadcast(background, first, 0); err != nil {
			return err
		}
		if !first.Equal(p.Tensor) {
			return fmt.Errorf("%s differs from rank 0's", p.Name)
		}
	}
	return nil
}

// Wrapping copies the parameters that do not learn, like the others.
func TestFrozenParametersAreCopied(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
		model := frozenMLP()
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		if err := hasValuesOfRank0(g, model.NamedParameters()); err != nil {
			return err
		}
		net.Forward(torch.Full(torch.Shape{2, 4}, float64(g.Rank()))).Sum().Backward()
		if model.Parameters()[0].Grad() != nil {
			return errors.New("a frozen parameter has a gradient")
		}
		return nil
	})
}

// At the end of a Join all ranks have the frozen parameters of the rank that ended last.
func TestJoinCopiesFrozenParameters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := frozenMLP()
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		err = net.Join(background, func() error {
			for range 2 - g.Rank() { // rank 0 ends last
				net.Forward(torch.Ones(torch.Shape{2, 4})).Sum().Backward()
			}
			torch.NoGrad(func() { model.Parameters()[0].AddScalar_(int64(g.Rank())) })
			return nil
		})
		return errors.Join(err, hasValuesOfRank0(g, model.NamedParameters()))
	})
}

// Parameters that Ignore names, and all parameters with InitSync(false), keep their values.
func TestFrozenParametersThatAreNotCopied(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, opt := range []parallel.Option{parallel.Ignore{"0.weight"}, parallel.InitSync(false)} {
		ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
			model := frozenMLP()
			weight := model.Parameters()[0]
			before := weight.Clone()
			net, err := wrap(g, model, opt)
			if err != nil {
				return err
			}
			defer net.Close()
			if !weight.Equal(before) {
				return fmt.Errorf("%T: the weight changed", opt)
			}
			return nil
		})
	}
}

// A frozen parameter of another shape, or of a dtype that Gloo cannot send, is an error on all ranks.
func TestFrozenParametersThatDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		shape func(rank int) torch.Shape
		dtype torch.DType
		kind  error
		text  string
	}{
		"shape": {
			func(rank int) torch.Shape { return torch.Shape{2, int64(1 + rank)} }, torch.Float32,
			distributed.ErrMismatch, "(2, 1)",
		},
		"dtype": {func(int) torch.Shape { return torch.Shape{2} }, torch.Int16, torch.ErrDType, "extra"},
	} {
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			model := nn.NewLinear(4, 2)
			extra := nn.NewParameter(torch.Zeros(c.shape(g.Rank()), c.dtype), nn.RequiresGrad(false))
			model.RegisterParameter("extra", extra)
			net, err := wrap(g, model)
			if err == nil {
				return net.Close()
			}
			return err
		})
		for _, err := range errs {
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.text, name)
		}
	}
}
