package distributions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

func TestKLDivergence(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		P, Q   said
		Steps  int
		Answer *answer
	}
	torchtest.LoadGoldens(t, "testdata/kl.json").Decode("cases", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s-%s/%d", c.P.Make, c.Q.Make, i), func(t *testing.T) {
			torch.Scope(func() {
				leaves := map[string]*torch.Tensor{}
				p := c.P.build(t, leaves, "p.").(distributions.Distribution)
				q := c.Q.build(t, leaves, "q.").(distributions.Distribution)
				g := &goldenCase{Steps: c.Steps, Answers: map[string]*answer{"kl": c.Answer}}
				g.compare(t, "kl", leaves, func() *torch.Tensor { return distributions.KLDivergence(p, q) })
			})
		})
	}
}

func TestKLDivergenceErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		p, cauchy, closed := distributions.NewNormal(0.0, 1.0), distributions.NewCauchy(0.0, 1.0),
			distributions.NewNormal(0.0, 1.0)
		require.NoError(t, closed.Close())
		three, two := distributions.NewNormal(torch.Zeros(torch.Shape{3}), 1.0),
			distributions.NewNormal(torch.Zeros(torch.Shape{2}), 1.0)
		flat := distributions.NewMultivariateNormal(torch.Zeros(torch.Shape{2}),
			distributions.CovarianceMatrix(torch.Eye(2)))
		deep := distributions.NewMultivariateNormal(torch.Zeros(torch.Shape{3}),
			distributions.CovarianceMatrix(torch.Eye(3)))
		for _, c := range []struct {
			p, q distributions.Distribution
			mistake
		}{
			{nil, p, mistake{kind: torch.ErrNil, says: "argument p"}},
			{p, nil, mistake{kind: torch.ErrNil, says: "argument q"}},
			{(*distributions.Normal)(nil), p, mistake{kind: torch.ErrNil}},
			{p, &distributions.Normal{}, mistake{kind: torch.ErrNil, says: "not made by a constructor"}},
			{closed, p, mistake{kind: torch.ErrClosed, says: "argument p"}},
			{p, closed, mistake{kind: torch.ErrClosed, says: "argument q"}},
			{p, cauchy, mistake{kind: torch.ErrNotImplemented, says: "the divergence of a Cauchy from a Normal"}},
			{three, two, mistake{kind: torch.ErrShape}},
			{flat, deep, mistake{kind: torch.ErrShape, says: "argument q"}},
		} {
			c.call = func() { distributions.KLDivergence(c.p, c.q) }
			c.check(t, "distributions.KLDivergence")
		}
	})
}
