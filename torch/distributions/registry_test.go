package distributions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// A maker creates the object of a golden case: a distribution, a transform or a constraint. Every
// constructor of the package has a maker, keyed by the Python name of the class.
type maker func(a *arguments) any

// makers are the makers of all constructors.
var makers = map[string]maker{}

// register adds makers: var _ = register(map[string]maker{...}).
func register(list map[string]maker) bool {
	for name, m := range list {
		makers[name] = m
	}
	return true
}

// arguments are the arguments of one call, keyed by their names in Python.
type arguments struct {
	t      *testing.T
	raw    map[string]json.RawMessage
	path   string
	leaves map[string]*torch.Tensor // tensors that require gradients, keyed by their path in the case
}

// has reports whether an argument was given.
func (a *arguments) has(name string) bool { _, ok := a.raw[name]; return ok }

// any returns an argument: a *torch.Tensor, an int64, a float64, a bool, an object created by a
// maker, or a []any of these.
func (a *arguments) any(name string) any {
	raw, ok := a.raw[name]
	require.True(a.t, ok, "argument %s was not given", name)
	return a.decode(raw, a.path+name)
}

// or is like any, but returns v if the argument is missing.
func (a *arguments) or(name string, v any) any {
	if !a.has(name) {
		return v
	}
	return a.any(name)
}

func (a *arguments) tensor(name string) *torch.Tensor { return a.any(name).(*torch.Tensor) }
func (a *arguments) int(name string) int64            { return a.any(name).(int64) }

func (a *arguments) decode(raw json.RawMessage, path string) any {
	switch raw[0] {
	case '[':
		var list []json.RawMessage
		require.NoError(a.t, json.Unmarshal(raw, &list))
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = a.decode(e, path+"["+string(rune('0'+i))+"]")
		}
		return out
	case '{':
		var made said
		require.NoError(a.t, json.Unmarshal(raw, &made))
		if made.Make != "" {
			return made.build(a.t, a.leaves, path+".")
		}
		var v torchtest.Value
		require.NoError(a.t, json.Unmarshal(raw, &v))
		x := tensor(a.t, v)
		if x.IsFloatingPoint() {
			a.leaves[path] = x.RequiresGrad_()
		}
		return x
	case 't', 'f':
		return raw[0] == 't'
	}
	if n := string(raw); strings.ContainsAny(n, ".e") {
		var f float64
		require.NoError(a.t, json.Unmarshal(raw, &f))
		return f
	}
	var i int64
	require.NoError(a.t, json.Unmarshal(raw, &i))
	return i
}

// said is a call that a golden file describes.
type said struct {
	Make string
	Args map[string]json.RawMessage
}

func (s said) build(t *testing.T, leaves map[string]*torch.Tensor, path string) any {
	m := makers[s.Make]
	require.NotNil(t, m, "no maker for %s", s.Make)
	return m(&arguments{t: t, raw: s.Args, path: path, leaves: leaves})
}

func tensor(t *testing.T, v torchtest.Value) *torch.Tensor {
	x, err := v.Tensor()
	require.NoError(t, err)
	return x
}

// probs returns the options for probabilities or log odds.
func (a *arguments) probs() []distributions.ProbsOption {
	if a.has("probs") {
		return []distributions.ProbsOption{distributions.Probs(a.any("probs"))}
	}
	return []distributions.ProbsOption{distributions.Logits(a.any("logits"))}
}

// Every constructor has a maker. Without one, golden cases could not use it.
func TestEveryConstructorIsInTheTable(t *testing.T) {
	for _, name := range optiontest.Constructors(t, ".") {
		assert.NotNil(t, makers[strings.TrimPrefix(name, "New")], "%s has no maker", name)
	}
}
