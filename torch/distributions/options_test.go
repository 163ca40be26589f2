package distributions_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// optionRows are the rows of constructors that have more options than ValidateArgs. The
// map invalid has the other constructors.
var optionRows = map[string]optiontest.Row{
	"NewContinuousBernoulli": optiontest.For(func(opts ...distributions.ContinuousBernoulliOption) optiontest.Outcome {
		return outcome(func() distributions.Distribution {
			if !hasParam(opts) {
				opts = append(opts, distributions.Probs(badUnlessLims(opts)))
			}
			return distributions.NewContinuousBernoulli(opts...)
		})
	}, append(paramPairs(false), optiontest.Values(distributions.Lims(0.25, 0.75), distributions.Lims(0, 0)))...),
}

// invalid are functions that call a constructor with invalid parameters.
var invalid = map[string]func(opts ...distributions.Option) distributions.Distribution{
	"NewNormal": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewNormal(0, -1, o...)
	},
	"NewLaplace": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewLaplace(0, -1, o...)
	},
	"NewCauchy": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewCauchy(0, -1, o...)
	},
	"NewUniform": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewUniform(0, -1, o...)
	},
	"NewGamma": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewGamma(1, -1, o...)
	},
	"NewBeta": func(o ...distributions.Option) distributions.Distribution { return distributions.NewBeta(1, -1, o...) },
	"NewStudentT": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewStudentT(-1, 0, 1, o...)
	},
	"NewChi2": func(o ...distributions.Option) distributions.Distribution { return distributions.NewChi2(-1, o...) },
	"NewPoisson": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewPoisson(-1, o...)
	},
	"NewExponential": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewExponential(-1, o...)
	},
	"NewFisherSnedecor": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewFisherSnedecor(1, -1, o...)
	},
	"NewDirichlet": func(o ...distributions.Option) distributions.Distribution {
		return distributions.NewDirichlet(torch.Full(torch.Shape{2}, -1), o...)
	},
}

// registerOptions adds rows for constructors with more options than ValidateArgs, and
// functions that call a constructor with invalid parameters.
func registerOptions(rows map[string]optiontest.Row,
	bad map[string]func(opts ...distributions.Option) distributions.Distribution,
) bool {
	maps.Copy(optionRows, rows)
	maps.Copy(invalid, bad)
	return true
}

// outcome calls a constructor. It reports whether the constructor rejected its
// parameters, or describes the new distribution.
func outcome(fresh func() distributions.Distribution) (o optiontest.Outcome) {
	torch.Scope(func() {
		var d distributions.Distribution
		if err := torch.Try(func() { d = fresh() }); err != nil {
			if !strings.Contains(err.Error(), "constraint") {
				panic(err)
			}
			o = optiontest.Outcome{"made": "refused"}
			return
		}
		o = optiontest.Outcome{"made": "made"}
		switch m := d.(type) {
		case *distributions.MultivariateNormal:
			o["made"] += m.ScaleTril().String()
		case *distributions.Wishart:
			o["made"] += m.ScaleTril().String()
		}
		if p, ok := d.(interface{ Probs() *torch.Tensor }); ok {
			o["made"] += p.Probs().String()
			if c, ok := d.(*distributions.ContinuousBernoulli); ok {
				o["made"] += c.Mean().String()
			}
		}
	})
	return o
}

func hasParam[O any](opts []O) bool {
	for _, o := range opts {
		if _, ok := any(o).(distributions.ParamOption); ok {
			return true
		}
	}
	return false
}

// badUnlessLims returns an invalid probability. If opts has Lims, it returns a valid one
// for which Lims changes the result.
func badUnlessLims(opts []distributions.ContinuousBernoulliOption) float64 {
	for _, o := range opts {
		if _, ok := o.(distributions.LimsOption); ok {
			return 0.3
		}
	}
	return 2
}

// paramPairs returns pairs of values for the options of distributions with probabilities.
func paramPairs(categories bool) []optiontest.Pair {
	param := func(v float32, of func(any) distributions.ParamOption) any {
		if categories {
			return func() any { return of(torch.FromSlice([]float32{v, 1})) }
		}
		return of(v)
	}
	return []optiontest.Pair{
		optiontest.Values(distributions.ValidateArgs(false), distributions.ValidateArgs(true)),
		optiontest.Values(param(0.25, distributions.Probs), param(0.5, distributions.Probs)),
		optiontest.Values(param(0, distributions.Logits), param(1, distributions.Logits)),
	}
}

// Each option is tried alone, twice, and followed by a nil option.
func TestOptions(t *testing.T) {
	source := optiontest.Read(t, ".")
	rows := maps.Clone(optionRows)
	for name, fresh := range invalid {
		rows[name] = optiontest.For(func(opts ...distributions.Option) optiontest.Outcome {
			return outcome(func() distributions.Distribution { return fresh(opts...) })
		}, optiontest.Values(distributions.ValidateArgs(false), distributions.ValidateArgs(true)))
	}
	for name, fresh := range ofProbs {
		if name == "ContinuousBernoulli" {
			continue
		}
		rows["New"+name] = optiontest.For(func(opts ...distributions.ProbsOption) optiontest.Outcome {
			return outcome(func() distributions.Distribution {
				if hasParam(opts) {
					return fresh(opts...)
				}
				return fresh(append(opts, distributions.Probs(torch.FromSlice([]float32{2, -1})))...)
			})
		}, paramPairs(overCategories(name))...)
	}
	eachDistribution(t, func(t *testing.T, c *goldenCase, fresh func() distributions.Distribution) {
		batch := append(torch.Shape{2}, c.Facts.Batch...)
		shapeOf := func(of func(d distributions.Distribution) *torch.Tensor) (o optiontest.Outcome) {
			torch.Scope(func() { o = optiontest.Outcome{"shape": of(fresh().Expand(batch)).Shape().String()} })
			return o
		}
		sampled := optiontest.Values(distributions.SampleShape{3}, distributions.SampleShape{})
		table := map[string]optiontest.Row{
			"Sample": optiontest.For(func(opts ...distributions.SampleOption) optiontest.Outcome {
				return shapeOf(func(d distributions.Distribution) *torch.Tensor { return d.Sample(opts...) })
			}, sampled),
			"RSample": optiontest.For(func(opts ...distributions.SampleOption) optiontest.Outcome {
				return shapeOf(func(d distributions.Distribution) *torch.Tensor { return d.RSample(opts...) })
			}, sampled),
			"EnumerateSupport": optiontest.For(func(opts ...distributions.EnumerateOption) optiontest.Outcome {
				return shapeOf(func(d distributions.Distribution) *torch.Tensor { return d.EnumerateSupport(opts...) })
			}, optiontest.Values(distributions.Expand(false), distributions.Expand(true))),
		}
		for method, row := range table {
			if _, has := source.Functions[c.Said.Make+"."+method]; has {
				rows[c.Said.Make+"."+method] = row
			}
		}
	})
	source.Run(t, rows)
}

// The default of ValidateArgs is a setting of the process.
func TestSetDefaultValidateArgs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	assert.True(t, distributions.SetDefaultValidateArgs(false), "checks are on at first")
	defer distributions.SetDefaultValidateArgs(true)
	d := distributions.NewNormal(0, -1)
	require.NoError(t, d.Close())
	assert.ErrorIs(t, torch.Try(func() { distributions.NewNormal(0, -1, distributions.ValidateArgs(true)) }),
		torch.ErrValue)
	assert.False(t, distributions.SetDefaultValidateArgs(true))
	assert.ErrorIs(t, torch.Try(func() { distributions.NewNormal(0, -1) }), torch.ErrValue)
}

// An option of a different family does not compile.
func TestForeignOptions(t *testing.T) {
	scope := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/torch/distributions"}}
	assert.NoError(t, scope.Compile("distributions.NewNormal(0, 1, "+
		"distributions.ValidateArgs(true)).Sample(distributions.SampleShape{2})"))
	for _, code := range []string{
		"distributions.NewNormal(0, 1, distributions.Probs(1))",
		"distributions.NewBernoulli(distributions.Lims(0, 1))",
		"distributions.NewBernoulli(distributions.Expand(true))",
		"distributions.NewNormal(0, 1).Sample(distributions.Expand(true))",
		"distributions.NewBernoulli().EnumerateSupport(distributions.SampleShape{2})",
	} {
		assert.Error(t, scope.Compile(code), code)
	}
}
