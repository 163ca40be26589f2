package nn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// Set replaces parameter i with p and returns p; a negative i counts from the end. It
// does not close the old parameter. It panics with ErrIndex if there is no such
// parameter, with ErrNil for a nil tensor, and otherwise as [NewParameter] does. Follows
// l[i] = p.
func (l *ParameterList) Set(i int, p *torch.Tensor) *torch.Tensor {
	const op = "ParameterList.Set"
	p.HandleFor(op+"(p)", 0)
	return l.RegisterParameter(strconv.Itoa(mustIndex(op, i, l.Len())), p)
}

// Extend appends parameters and returns l. It panics with ErrNil for a nil tensor,
// and otherwise as [NewParameter] does. Follows ParameterList.extend.
func (l *ParameterList) Extend(params ...*torch.Tensor) *ParameterList {
	mustBeMade("ParameterList.Extend", l)
	for i, p := range params {
		asParameter("ParameterList.Extend", fmt.Sprintf("params[%d]", i), p)
	}
	for _, p := range params {
		l.Append(p)
	}
	return l
}

// Slice returns a ParameterList of the parameters from i to j. Both lists share the
// parameters: close only one. Negative indices count from the end; indices out of
// range are clamped. Follows l[i:j].
func (l *ParameterList) Slice(i, j int) *ParameterList {
	mustBeMade("ParameterList.Slice", l)
	part := NewParameterList()
	i, j = clampBounds(i, j, l.Len())
	for ; i < j; i++ {
		part.Append(l.At(i))
	}
	return part
}

// Values returns the parameters in order. Follows `for p in l` in Python.
func (l *ParameterList) Values() []*torch.Tensor {
	mustBeMade("ParameterList.Values", l)
	l.watch(nil)
	return l.ownParameters()
}

// ownParameters returns the parameters of b itself.
func (b *Base) ownParameters() []*torch.Tensor {
	values := make([]*torch.Tensor, len(b.params))
	for i := range b.params {
		values[i] = *b.params[i].slot
	}
	return values
}

// ParameterDict holds parameters by name. Follows torch.nn.ParameterDict.
type ParameterDict struct{ Base }

// NewParameterDict makes an empty ParameterDict. Add puts parameters into it:
//
//	n.scales = nn.NewParameterDict().Add("left", left).Add("right", right).In(n, "scales")
//
// The parameters stay in the order of Add; Python sorts the names of a plain dict.
// Closing the dict closes the parameters. Follows torch.nn.ParameterDict.
func NewParameterDict() *ParameterDict {
	d := new(ParameterDict)
	d.startLayer(d)
	return d
}

// In registers d as a child of parent, under the given name, and returns d. It panics as
// [Base.Register] does.
func (d *ParameterDict) In(parent Module, name string) *ParameterDict {
	registerIn(parent, name, d)
	return d
}

// Add adds a parameter under a name, or replaces the parameter with that name without
// closing it, and returns d. It panics with ErrNil for a nil tensor, and otherwise as
// [Base.RegisterParameter] does. Follows d[name] = p.
func (d *ParameterDict) Add(name string, p *torch.Tensor) *ParameterDict {
	p.HandleFor("ParameterDict.Add(p)", 0)
	d.RegisterParameter(name, p)
	return d
}

// Len returns the number of parameters.
func (d *ParameterDict) Len() int {
	mustBeMade("ParameterDict.Len", d)
	d.watch(nil)
	return len(d.params)
}

// Has reports whether there is a parameter with that name. Follows `name in d` in Python.
func (d *ParameterDict) Has(name string) bool {
	mustBeMade("ParameterDict.Has", d)
	return d.param(name) != nil
}

// At returns the parameter with that name. It panics with ErrIndex if there is none;
// use GetParameter to get nil instead. Follows d[name].
func (d *ParameterDict) At(name string) *torch.Tensor {
	mustBeMade("ParameterDict.At", d)
	d.watch(nil)
	return *d.mustHaveEntry("ParameterDict.At", name).slot
}

func (d *ParameterDict) mustHaveEntry(op, name string) *entry {
	e := d.param(name)
	if e == nil {
		panic(torch.NewError(op, torch.ErrIndex, "name", fmt.Sprintf("no parameter %q", name)))
	}
	return e
}

// SetDefault returns the parameter with that name, or adds p under it if there is
// none. Follows ParameterDict.setdefault.
func (d *ParameterDict) SetDefault(name string, p *torch.Tensor) *torch.Tensor {
	mustBeMade("ParameterDict.SetDefault", d)
	if e := d.param(name); e != nil {
		return *e.slot
	}
	d.Add(name, p)
	return p
}

// Keys returns the names in the order of registration. Follows ParameterDict.keys.
// NamedParameters returns names and parameters, as ParameterDict.items does.
func (d *ParameterDict) Keys() []string {
	mustBeMade("ParameterDict.Keys", d)
	d.watch(nil)
	keys := make([]string, len(d.params))
	for i, e := range d.params {
		keys[i] = e.name
	}
	return keys
}

// Values returns the parameters in order. Follows ParameterDict.values.
func (d *ParameterDict) Values() []*torch.Tensor {
	mustBeMade("ParameterDict.Values", d)
	d.watch(nil)
	return d.ownParameters()
}

// Update adds the parameters of another ParameterDict, replacing those with the same
// names, and returns d. Both then hold the parameters. It panics with ErrNil for a
// nil ParameterDict. Follows ParameterDict.update.
func (d *ParameterDict) Update(other *ParameterDict) *ParameterDict {
	mustNotBeNil("ParameterDict.Update", "other", other)
	for _, e := range slices.Clone(other.params) {
		d.Add(e.name, *e.slot)
	}
	return d
}

// Copy returns a new ParameterDict that shares the parameters: close only one. Follows
// ParameterDict.copy.
func (d *ParameterDict) Copy() *ParameterDict {
	mustBeMade("ParameterDict.Copy", d)
	return NewParameterDict().Update(d)
}

// Pop removes the parameter with that name and returns it without closing it. It
// panics with ErrIndex if there is none. Follows ParameterDict.pop.
func (d *ParameterDict) Pop(name string) *torch.Tensor {
	mustBeMade("ParameterDict.Pop", d)
	p := *d.mustHaveEntry("ParameterDict.Pop", name).slot
	d.params, d.paramAt = slices.DeleteFunc(slices.Clone(d.params), func(e entry) bool { return e.name == name }), nil
	d.noteChange()
	return p
}

// Clear removes all parameters without closing them. Follows ParameterDict.clear.
func (d *ParameterDict) Clear() {
	mustBeMade("ParameterDict.Clear", d)
	d.params, d.paramAt = nil, nil
	d.noteChange()
}

// String shows types and sizes, as Python does.
func (d *ParameterDict) String() string {
	if d == nil {
		return "<nil>"
	}
	return printText(d)
}

func (d *ParameterDict) print(t *treeText, depth int) {
	lines := make([]string, len(d.params))
	for i, e := range d.params {
		text := "closed"
		if t := *e.slot; !t.IsClosed() {
			text = fmt.Sprintf("[%s of size %s%s]", typeString(t), sizeString(t.Shape()), gpuSuffix(t))
		}
		lines[i] = fmt.Sprintf("  (%s): Parameter containing: %s", plain.Text(e.name), text)
	}
	d.printAs(t, depth, strings.Join(lines, "\n"), false, nil)
}

func sizeString(s torch.Shape) string {
	sizes := make([]string, len(s))
	for i, n := range s {
		sizes[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(sizes, "x")
}

func gpuSuffix(t *torch.Tensor) string {
	if d := t.Device(); d.IsCUDA() {
		return fmt.Sprintf(" (GPU %d)", d.Index())
	}
	return ""
}

// typeString returns the same as PyTorch's Tensor.type().
func typeString(t *torch.Tensor) string {
	name := map[torch.DType]string{
		torch.Float16: "Half", torch.Float32: "Float", torch.Float64: "Double", torch.BFloat16: "BFloat16",
		torch.Complex64: "ComplexFloat", torch.Complex128: "ComplexDouble", torch.Int64: "Long", torch.Int32: "Int",
		torch.Int16: "Short", torch.Int8: "Char", torch.Uint8: "Byte", torch.Bool: "Bool",
	}[t.DType()]
	if name == "" {
		name = t.DType().String()
	}
	if t.Device().IsCUDA() {
		return "torch.cuda." + name + "Tensor"
	}
	return "torch." + name + "Tensor"
}
