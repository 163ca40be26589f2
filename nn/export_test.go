package nn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
)

// notExported maps the layers that export.Func rejects to the reason.
var notExported = map[string]string{
	"BatchNorm2d/all":             "reads a number from a tensor", // without a momentum
	"Embedding/norm":              "changes a parameter of the module",
	"EmbeddingBag/all":            "changes a parameter of the module",
	"EmbeddingFromPretrained/all": "changes a parameter of the module",
	"CTCLoss":                     "reads the values of a tensor", // which are the lengths
	"GaussianNLLLoss":             "reads a number from a tensor",
	"AdaptiveLogSoftmaxWithLoss":  "whose size depends on values", // the targets of a cluster

	"AdaptiveLogSoftmaxWithLoss/bias": "whose size depends on values",
}

// Each layer becomes an exported program that gives the same results and gradients, here and
// in Python, or export.Func rejects it with a reason.
func TestExportLayers(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, m := range members {
		if m.in == nil {
			continue
		}
		path := filepath.Join(dir, strings.ReplaceAll(m.name, "/", "_"))
		t.Run(m.name, func(t *testing.T) {
			scoped(t, func() {
				if exportLayer(t, m, path) {
					paths = append(paths, path)
				}
			})
		})
	}
	python := pythontest.Interpreter(t, "torch")
	const script = `
import sys, torch
for path in sys.argv[1:]:
    m, d = torch.export.load(path + ".pt2").module(), torch.load(path + ".pt")
    torch.manual_seed(1)
    outs = m(*d["in"])
    outs = outs if isinstance(outs, tuple) else (outs,)
    params = dict(m.named_parameters())
    assert len(outs) == len(d["out"]), path
    for a, b in zip(outs, d["out"]):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True, msg=lambda s: path + s)
    loss = sum((o.abs() if o.is_complex() else o).sum() for o in outs if o.requires_grad)
    if d["trained"]:
        loss.backward()
    for name, g in d["grads"].items():
        got = params[name].grad
        if g is None:
            assert got is None or not got.any(), (path, name)
        else:
            torch.testing.assert_close(got, g, msg=lambda s: path + name + s)
`
	pythontest.Script(t, python, "", script, paths...)
}

// exportLayer exports a layer and trains the program beside it. It writes the program and
// its results, and reports whether the layer was exported.
func exportLayer(t *testing.T, m member, path string) bool {
	p := new(holder)
	p.Init(p)
	defer p.Close()
	layer, in := m.make(p), m.in()
	var e *export.Module
	err := torch.Try(func() {
		e = export.Func(layer, func(in []*torch.Tensor) []*torch.Tensor { return runModule(layer, in) }, in)
	})
	if reason, ok := notExported[m.name]; ok {
		require.ErrorContains(t, err, reason)
		return false
	}
	require.NoError(t, err)
	defer e.Close()
	require.NoError(t, e.Save(path+".pt2"))
	args := make([]any, len(in))
	for i, x := range in {
		args[i] = x
	}
	torch.ManualSeed(1)
	want := runModule(layer, in)
	b := layer.ModuleBase()
	trained := false
	learn := func(outs []*torch.Tensor) map[string]*torch.Tensor {
		b.ZeroGrad()
		var loss *torch.Tensor
		for _, o := range outs {
			if !o.RequiresGrad() {
				continue
			}
			if o.IsComplex() {
				o = o.Abs()
			}
			if s := o.Sum(); loss == nil {
				loss = s
			} else {
				loss = loss.Add(s)
			}
		}
		if loss != nil {
			// A few layers with sparse gradients cannot compute them, with a program or without.
			trained = torch.Try(func() { loss.Backward() }) == nil
		}
		grads := map[string]*torch.Tensor{}
		for _, n := range b.NamedParameters() {
			if g := n.Tensor.Grad(); g != nil {
				grads[n.Name] = g.Clone()
			}
		}
		return grads
	}
	grads := learn(want)
	torch.ManualSeed(1)
	var got []*torch.Tensor
	switch v := e.Run(args...).(type) {
	case export.Tuple:
		for _, o := range v {
			got = append(got, o.(*torch.Tensor))
		}
	case *torch.Tensor:
		got = []*torch.Tensor{v}
	}
	require.Len(t, got, len(want))
	for i := range got {
		assert.True(t, got[i].AllClose(want[i], torch.RTol(0), torch.ATol(0), torch.EqualNaN(true)), "result %d", i)
	}
	ours := learn(got)
	require.Len(t, ours, len(grads))
	dict := serialization.NewDict()
	for name, g := range grads {
		assert.True(t, g.AllClose(ours[name], torch.RTol(1e-6), torch.ATol(1e-6)), name)
		dict.Set(name, g)
	}
	inputs, outs := make(serialization.Tuple, len(in)), make(serialization.Tuple, len(want))
	for i, x := range in {
		inputs[i] = x.Detach()
	}
	for i, x := range want {
		outs[i] = x.Detach()
	}
	values := serialization.NewDict("in", inputs, "out", outs, "grads", dict, "trained", trained)
	require.NoError(t, serialization.Save(values, path+".pt"))
	return true
}
