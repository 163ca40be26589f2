package conformance_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A builder creates a module from the arguments of Python's constructor.
type builder func(a *args) nn.Module

// A forward calls a module with the arguments of Python's call. It returns the tensors of
// the result in Python's order, with nil for None.
type forward func(m nn.Module, a *args) []*torch.Tensor

var (
	builders = map[string]builder{}
	calls    = map[string]forward{}
)

func modules(more map[string]builder) bool  { return merge(builders, more) }
func forwards(more map[string]forward) bool { return merge(calls, more) }

func merge[V any](all, more map[string]V) bool {
	for n, v := range more {
		if _, ok := all[n]; ok {
			panic("conformance: two entries for " + n)
		}
		all[n] = v
	}
	return true
}

// builderOf returns the builder for a module's name, or nil if there is none.
func builderOf(name string) builder {
	if b := builders[name]; b != nil {
		return b
	}
	return derived(name)
}

func build(name string, a *args) nn.Module {
	m := builderOf(name)(a)
	if left := a.unread(); len(left) > 0 {
		panic(fmt.Sprintf("conformance: the builder of %s reads no %v", name, left))
	}
	return m
}

// A named is the name of a tensor and its index in the file. A nil index means None.
type named struct {
	name   string
	tensor *int
}

func (n *named) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&n.name, &n.tensor}) }

// moduleCase is a sample with Python's results, written by record/modules.py. The
// integers are indices of tensors in the file.
type moduleCase struct {
	Desc          string
	DType         string
	Train         bool
	Seed          uint64
	Args, Forward map[string]any
	Order         []string // the names of the arguments of forward, in order
	Init          []named  // the initial state dict, in float32
	Text          string
	Out           []*int
	Upstream      []int  // the gradients to start the backward pass with, one for each result that requires gradients
	InGrads       []*int `json:"in_grads"`
	Grads, After  []named
	NoGrad        *[]*int `json:"no_grad"`
}

func TestModules(t *testing.T) {
	eachMember(t, "modules", func(name string) string {
		if builderOf(name) == nil {
			return "no builder"
		}
		return ""
	}, func(name string, f *file, raw json.RawMessage, d *differences) {
		var c moduleCase
		if err := decode(raw, &c); err != nil {
			panic(err)
		}
		d.name = fmt.Sprintf("%s %s train=%v", c.Desc, c.DType, c.Train)
		d.runModule(name, f, &c)
	})
}

func (d *differences) runModule(name string, f *file, c *moduleCase) {
	a := newArgs(f, c.Args)
	torch.ManualSeed(c.Seed)
	m := build(name, a)
	defer m.Close()
	d.sameState(f, "initial", c.Init, m.StateDict())
	if err := m.LoadStateDict(stateOf(f, c.Init)); err != nil {
		d.add("loading the initial state: %v", err)
		return
	}
	m.To(dtypes[c.DType])
	m.Train()
	if !c.Train {
		m.Eval()
	}
	if m.String() != c.Text && wholes(m.String()) != wholes(c.Text) {
		d.add("printed %q, Python %q", m.String(), c.Text)
	}

	in := &args{f, c.Forward, map[string]bool{}, &objects{
		byID:   map[string]*torch.Tensor{},
		memory: map[string]*torch.Tensor{},
	}}
	for _, n := range c.Order { // create the tensors in Python's order, so that in.wanting has this order
		in.touch(in.values[n])
	}
	torch.ManualSeed(c.Seed + 1)
	out := call(name, m, in, c.Order)
	d.same(f, "result", c.Out, out, strides)

	var roots []*torch.Tensor
	for _, y := range out {
		if y != nil && y.RequiresGrad() {
			roots = append(roots, y)
		}
	}
	if len(roots) != len(c.Upstream) {
		d.add("%d results require a gradient, in Python %d", len(roots), len(c.Upstream))
		return
	}
	var grads torch.GradTensors
	for _, g := range c.Upstream {
		grads = append(grads, f.tensor(g))
	}
	torch.Backward(roots, grads)
	var got []*torch.Tensor
	for _, x := range in.wanting {
		got = append(got, x.Grad())
	}
	d.same(f, "gradient of input", c.InGrads, got, 0)
	params := nn.StateDict{}
	for _, p := range m.NamedParameters() {
		params = append(params, nn.NamedTensor{Name: p.Name, Tensor: p.Tensor.Grad()})
	}
	d.sameState(f, "gradient", c.Grads, params)
	d.sameState(f, "state after", c.After, m.StateDict())
	if c.NoGrad != nil {
		torch.ManualSeed(c.Seed + 1)
		torch.NoGrad(func() { out = call(name, m, in, c.Order) })
		d.same(f, "result without gradients", *c.NoGrad, out, strides)
	}
}

// wholes replaces 2.0 with 2. Where Python has an int and prints 2, the option in Go is a
// float and prints 2.0.
func wholes(text string) string { return wholeNumber.ReplaceAllString(text, "$1") }

var wholeNumber = regexp.MustCompile(`(\d)\.0\b`)

// touch creates all tensors in v.
func (a *args) touch(v any) {
	if m, ok := v.(map[string]any); ok && m["packed"] != nil {
		v = m["packed"]
	}
	a.value(v)
}

func stateOf(f *file, want []named) nn.StateDict {
	sd := nn.StateDict{}
	for _, w := range want {
		sd = append(sd, nn.NamedTensor{Name: w.name, Tensor: f.tensor(*w.tensor)})
	}
	return sd
}

var tensorType = reflect.TypeFor[*torch.Tensor]()

// call calls Forward of a module: through its entry in calls or, if it has none, with the
// arguments in order.
func call(name string, m nn.Module, a *args, order []string) []*torch.Tensor {
	if fn := calls[name]; fn != nil {
		out := fn(m, a)
		if left := a.unread(); len(left) > 0 {
			panic(fmt.Sprintf("conformance: the forward of %s reads no %v", name, left))
		}
		return out
	}
	fn := reflect.ValueOf(m).MethodByName("Forward")
	ft := fn.Type()
	n := ft.NumIn()
	if ft.IsVariadic() {
		n--
	}
	if n < len(order) {
		panic(fmt.Sprintf("conformance: Forward of %s takes %d arguments, Python's was given %v: it needs an entry "+
			"in forwards", name, n, order))
	}
	in := make([]reflect.Value, n)
	for i := range in {
		in[i] = reflect.Zero(ft.In(i))
		if i >= len(order) || a.Any(order[i]) == nil {
			continue
		}
		v := reflect.ValueOf(a.Any(order[i]))
		if !v.Type().AssignableTo(ft.In(i)) {
			panic(fmt.Sprintf("conformance: Forward of %s takes a %v, Python's %s is a %v: it needs an entry in "+
				"forwards", name, ft.In(i), order[i], v.Type()))
		}
		in[i] = v
	}
	var out []*torch.Tensor
	for _, r := range fn.Call(in) {
		if !r.Type().AssignableTo(tensorType) {
			panic(fmt.Sprintf("conformance: Forward of %s returns a %v: it needs an entry in forwards", name, r.Type()))
		}
		out = append(out, r.Interface().(*torch.Tensor))
	}
	return slices.Clip(out)
}
