package conformance_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An optimizerBuilder creates an optimizer from the arguments of Python's constructor.
type optimizerBuilder func(a *args, ps []*torch.Tensor) optim.Optimizer

// A closureStep runs one step of an optimizer whose Step takes a closure. It returns the
// loss.
type closureStep func(o optim.Optimizer, loss func() *torch.Tensor) *torch.Tensor

var (
	optimizerBuilders = map[string]optimizerBuilder{}
	closureSteps      = map[string]closureStep{}
)

func optimizers(more map[string]optimizerBuilder) bool { return merge(optimizerBuilders, more) }

// steppers registers the optimizers whose Step takes a closure.
func steppers(more map[string]closureStep) bool { return merge(closureSteps, more) }

// optimizerCase is a sample with Python's results, written by record/optimizers.py.
type optimizerCase struct {
	Desc, DType, How string
	Args             map[string]any
	Text             string
	Start, End       []int
	Gradients        [][]int // of each step
	Target           []int   // the parameters with the smallest loss, only for optimizers with a closure
	Losses           []int
	State            []map[string]any // of each parameter
	Groups           []map[string]any
}

// optimizerBuilderOf returns the builder for an optimizer's name, or nil if there is
// none.
func optimizerBuilderOf(name string) optimizerBuilder {
	if b := optimizerBuilders[name]; b != nil {
		return b
	}
	return derivedOptimizer(name)
}

func TestOptimizers(t *testing.T) {
	eachMember(t, "optimizers", func(name string) string {
		if optimizerBuilderOf(name) == nil {
			return "no builder"
		}
		return ""
	}, func(name string, f *file, raw json.RawMessage, d *differences) {
		var c optimizerCase
		if err := decode(raw, &c); err != nil {
			panic(err)
		}
		d.name = fmt.Sprintf("%s %s %s", c.Desc, c.DType, c.How)
		d.runOptimizer(name, f, &c)
	})
}

func (d *differences) runOptimizer(name string, f *file, c *optimizerCase) {
	var ps []*torch.Tensor
	for _, p := range c.Start {
		ps = append(ps, f.tensor(p).RequiresGrad_())
	}
	a := newArgs(f, c.Args)
	o := optimizerBuilderOf(name)(a, ps)
	defer o.Close()
	if left := a.unread(); len(left) > 0 {
		panic(fmt.Sprintf("conformance: the builder of %s reads no %v", name, left))
	}
	if o.String() != c.Text {
		d.add("printed %q, Python %q", o.String(), c.Text)
	}
	for _, row := range c.Gradients {
		torch.Scope(func() {
			for i, g := range row {
				ps[i].SetGrad(f.tensor(g))
			}
			o.Step()
		})
	}
	if c.Target != nil {
		d.closures(name, f, c, o, ps)
	}
	sd := o.StateDict()
	for i, p := range ps {
		d.equal(fmt.Sprintf("parameter %d", i), f.tensor(c.End[i]), p.Detach(), 0)
		d.optimizerState(f, i, c.State[i], sd.State[i])
	}
	d.settings(f, c.Groups, sd)
}

// closures runs the steps of an optimizer that takes a closure. The closure computes the
// same loss as in record/optimizers.py.
func (d *differences) closures(name string, f *file, c *optimizerCase, o optim.Optimizer, ps []*torch.Tensor) {
	var target []*torch.Tensor
	for _, t := range c.Target {
		target = append(target, f.tensor(t))
	}
	for i, want := range c.Losses {
		loss := closureSteps[name](o, func() *torch.Tensor {
			o.ZeroGrad()
			sum := torch.Zeros(torch.Shape{}, torch.Int64)
			for i, p := range ps {
				x := p.Sub(target[i])
				sum = sum.Add(x.PowScalar(4).Sum().Add(x.PowScalar(2).Sum()))
			}
			sum.Backward()
			return sum
		})
		d.equal(fmt.Sprintf("loss %d", i), f.tensor(want), loss.Detach(), 0)
	}
}

// optimizerState compares the tensors in the state of parameter i. Numbers and lists in
// the state are settings in Go; the method settings compares them.
func (d *differences) optimizerState(f *file, i int, want map[string]any, got map[string]*torch.Tensor) {
	a := newArgs(f, want)
	for n := range want {
		w, ok := a.Any(n).(*torch.Tensor)
		switch g := got[n]; {
		case !ok:
		case g == nil:
			d.add("state %d: no %s", i, n)
		default:
			d.equal(fmt.Sprintf("state %d %s", i, n), w, g.Detach(), 0)
		}
	}
	for n := range got {
		if _, ok := want[n]; !ok {
			d.add("state %d: Python has no %s", i, n)
		}
	}
}

// settings compares, by name, the settings of each parameter group in the state dicts.
func (d *differences) settings(f *file, want []map[string]any, got *optim.StateDict) {
	defer got.Close()
	if len(want) != len(got.ParamGroups) {
		d.add("%d groups, in Python %d", len(got.ParamGroups), len(want))
		return
	}
	for i, w := range want {
		a := newArgs(f, w)
		g := got.ParamGroups[i].Settings
		for n := range w {
			x, ok := g[n]
			switch {
			case n == "params":
			case !ok:
				d.add("setting %s is not there", n)
			case !sameSetting(a.Any(n), x):
				d.add("setting %s is %v, in Python %v", n, x, a.Any(n))
			}
		}
		for n := range g {
			if _, ok := w[n]; !ok {
				d.add("setting %s: Python has none", n)
			}
		}
	}
}

// sameSetting reports whether two settings are equal. It compares numbers by value, so
// that 1 equals 1.0. A tensor in Python is compared by the number that it contains.
func sameSetting(want, got any) bool {
	if t, ok := want.(*torch.Tensor); ok {
		want = t.Item()
	}
	return slices.Equal(numbers(want), numbers(got)) && (numbers(want) != nil || fmt.Sprint(want) == fmt.Sprint(got))
}

func numbers(v any) []float64 {
	switch v := v.(type) {
	case int64, float64:
		return []float64{number(v)}
	case int:
		return []float64{float64(v)}
	case []float64:
		return v
	case [2]float64:
		return v[:]
	case [3]float64:
		return v[:]
	case [2]any:
		return numbers(v[:])
	case []any:
		var all []float64
		for _, e := range v {
			all = append(all, numbers(e)...)
		}
		return all
	}
	return nil
}
