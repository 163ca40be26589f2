package distributions_test

import (
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// goldenFiles are the golden files with cases of distributions.
var goldenFiles = []string{"testdata/distributions.json", "testdata/transformed.json"}

// eachDistribution runs a test for one distribution of each type: the first of that type in the
// golden files. make creates the distribution again, with its parameters in the enclosing scope.
func eachDistribution(t *testing.T, test func(t *testing.T, c *goldenCase, make func() distributions.Distribution)) {
	first := map[string]*goldenCase{}
	for _, path := range goldenFiles {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		var cases []goldenCase
		torchtest.LoadGoldens(t, path).Decode("cases", &cases)
		for _, c := range cases {
			if first[c.Said.Make] == nil {
				first[c.Said.Make] = &c
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				test(t, first[name], func() distributions.Distribution {
					return first[name].Said.build(t, map[string]*torch.Tensor{}, "").(distributions.Distribution)
				})
			})
		})
	}
}

// calls returns, as functions, the methods of a distribution that return tensors.
func calls(d distributions.Distribution, value, q *torch.Tensor) map[string]func() *torch.Tensor {
	return map[string]func() *torch.Tensor{
		"Mean": d.Mean, "Mode": d.Mode, "Variance": d.Variance, "StdDev": d.StdDev, "Entropy": d.Entropy,
		"Perplexity":       d.Perplexity,
		"Sample":           func() *torch.Tensor { return d.Sample() },
		"RSample":          func() *torch.Tensor { return d.RSample(distributions.SampleShape{2}) },
		"LogProb":          func() *torch.Tensor { return d.LogProb(value) },
		"CDF":              func() *torch.Tensor { return d.CDF(value) },
		"ICDF":             func() *torch.Tensor { return d.ICDF(q) },
		"EnumerateSupport": func() *torch.Tensor { return d.EnumerateSupport() },
	}
}

// A method leaves no tensor open except its result, which the caller may close.
func TestMethodsFreeTheirTemporaries(t *testing.T) {
	eachDistribution(t, func(t *testing.T, c *goldenCase, fresh func() distributions.Distribution) {
		before := torch.NumLiveTensors()
		d := fresh()
		value, q := tensor(t, c.Value), tensor(t, c.Q)
		torch.Scope(func() {
			for _, call := range calls(d, value, q) {
				_ = torch.Try(func() { call() }) // so that lazily computed tensors exist
			}
		})
		made := torch.NumLiveTensors() - 2 // without value and q
		again := func() {
			for name, call := range calls(d, value, q) {
				live := torch.NumLiveTensors()
				var got *torch.Tensor
				err := torch.Try(func() { got = call() })
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrNotImplemented, name)
					assert.Equal(t, live, torch.NumLiveTensors(), "%s left tensors open", name)
					continue
				}
				assert.Equal(t, live+1, torch.NumLiveTensors(), "%s left tensors open", name)
				require.NoError(t, got.Close())
				require.Equal(t, live, torch.NumLiveTensors(), "%s returned a tensor that had been there", name)
			}
		}
		again()
		again() // closing the results has not closed tensors of the distribution
		require.NoError(t, value.Close())
		require.NoError(t, q.Close())
		assert.Equal(t, made, torch.NumLiveTensors())
		wide := d.Expand(append(torch.Shape{2}, d.BatchShape()...))
		require.NoError(t, d.Close())
		require.NoError(t, d.Close(), "the second time")
		torch.Scope(func() { wide.Sample() }) // the memory of the parameters is still in use
		require.NoError(t, wide.Close())
		assert.Equal(t, before+c.given(t), torch.NumLiveTensors(),
			"Close frees what the constructor made and nothing else")
	})
}

// given returns the number of tensors among the arguments, including the tensors of distributions.
func (c *goldenCase) given(t *testing.T) int64 {
	n := -torch.NumLiveTensors()
	torch.Scope(func() {
		a := &arguments{t: t, raw: c.Said.Args, leaves: map[string]*torch.Tensor{}}
		for name := range c.Said.Args {
			if mixture, ok := a.any(name).(*distributions.Categorical); ok {
				mixture.Probs() // the constructor of a mixture computes both
				mixture.Logits()
			}
		}
		n += torch.NumLiveTensors()
	})
	return n
}

// Every method fails on a closed distribution, and on one that no constructor created. Close is
// allowed on both, and on nil.
func TestClosedAndUnmade(t *testing.T) {
	eachDistribution(t, func(t *testing.T, c *goldenCase, fresh func() distributions.Distribution) {
		value, q := tensor(t, c.Value), tensor(t, c.Q)
		d := fresh()
		require.NoError(t, d.Close())
		typ := reflect.TypeOf(d)
		unmade := reflect.New(typ.Elem()).Interface().(distributions.Distribution)
		for _, of := range []struct {
			d    distributions.Distribution
			kind error
		}{{d, torch.ErrClosed}, {unmade, torch.ErrNil}} {
			for name, call := range calls(of.d, value, q) {
				assert.ErrorIs(t, torch.Try(func() { call() }), of.kind, name)
			}
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				if m.Type.NumIn() != 1 || m.Name == "Close" || m.Name == "String" {
					continue
				}
				assert.ErrorIs(t, torch.Try(func() { m.Func.Call([]reflect.Value{reflect.ValueOf(of.d)}) }), of.kind,
					m.Name)
			}
			assert.ErrorIs(t, torch.Try(func() { of.d.Expand(torch.Shape{2}) }), of.kind)
			assert.NotEmpty(t, of.d.String())
			assert.NoError(t, of.d.Close())
		}
		nothing := reflect.Zero(typ).Interface().(distributions.Distribution)
		assert.NoError(t, nothing.Close(), "of nil")
		assert.ErrorIs(t, torch.Try(func() { nothing.Expand(nil) }), torch.ErrNil)
	})
}

// Every distribution rejects invalid arguments of the methods that all distributions have.
func TestWrongValues(t *testing.T) {
	closed := torch.Zeros(torch.Shape{})
	require.NoError(t, closed.Close())
	eachDistribution(t, func(t *testing.T, c *goldenCase, fresh func() distributions.Distribution) {
		d := fresh()
		live := torch.NumLiveTensors()
		refused := func(kind error, argument string, call func()) {
			t.Helper()
			err := torch.Try(call)
			assert.ErrorIs(t, err, kind)
			var e *torch.Error
			if assert.ErrorAs(t, err, &e) {
				assert.Contains(t, e.Op, "distributions."+c.Said.Make+".")
				assert.Contains(t, e.Error(), argument)
			}
			assert.Equal(t, live, torch.NumLiveTensors())
		}
		refused(torch.ErrNil, "value", func() { d.LogProb(nil) })
		refused(torch.ErrClosed, "value", func() { d.LogProb(closed) })
		if c.Answers["cdf"] != nil {
			refused(torch.ErrNil, "value", func() { d.CDF(nil) })
		}
		if c.Answers["icdf"] != nil {
			refused(torch.ErrClosed, "value", func() { d.ICDF(closed) })
		}
		refused(torch.ErrValue, "SampleShape", func() { d.Sample(distributions.SampleShape{-1}) })
		refused(torch.ErrShape, "batchShape", func() { d.Expand(append(torch.Shape{2, -1}, d.BatchShape()...)) })
		if c.Said.Make == "Independent" {
			return // its base distribution checks, and its errors name the base
		}
		value := tensor(t, c.Value)
		bad := torch.FullLike(value.Double(), math.NaN())
		live = torch.NumLiveTensors()
		refused(torch.ErrValue,
			"within the support ("+c.Facts.Support+") of the distribution "+c.Facts.Repr+
				", but found invalid values:\n", func() {
				d.LogProb(bad)
			})
	})
}
