package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A StateSource has tensors by name that a module can load: a [StateDict], a dict of Python's
// (*serialization.Dict), or a file of
// tensors, of which one tensor at a time is read. *safetensors.File, *safetensors.Sharded,
// *serialization.StateDictFile and *numpy.NpzFile are some.
type StateSource interface {
	// Names returns the names of all tensors.
	Names() []string
	// Tensor returns a tensor. One that it makes belongs to the innermost scope, which the
	// loader ends as soon as the values are copied; one that is there already stays the
	// source's.
	Tensor(name string) (*torch.Tensor, error)
}

// A source that can tell shapes and dtypes without reading any values is asked for them
// first; of others each tensor is read twice. Meta returns a tensor on the meta device.
type describedSource interface {
	Meta(name string) (*torch.Tensor, error)
}

// A source that has a Path is named by it in errors.
type placedSource interface{ Path() string }

func pathOf(src StateSource) string {
	if p, ok := src.(placedSource); ok {
		return p.Path()
	}
	return ""
}

// Tensor is Get that returns an error of kind ErrValue for a name that is not there: a
// StateDict is a [StateSource].
func (sd StateDict) Tensor(name string) (*torch.Tensor, error) {
	for _, n := range sd {
		if n.Name == name {
			return n.Tensor, nil
		}
	}
	return nil, torch.NewError("nn.StateDict.Tensor", torch.ErrValue, "name", fmt.Sprintf("there is no %q", name))
}

// planned is a tensor of the module that a source has, in other names or pieces perhaps.
type planned struct {
	plan          *loadPlan
	name          string
	from          []string // more than one if they are joined along dim
	joined        bool
	dim           int64
	piece, pieces int64 // which part along dim, of how many; pieces is 0 for the whole
	scalar        bool  // it is one element, of shape (1), and the module's has shape ()
}

// loadPlan is what becomes of the tensors of a source.
type loadPlan struct {
	op       string
	src      StateSource
	set      *loadSettings
	list     []*planned
	ignored  []string
	problems []string
	shapes   map[string]torch.Shape // of the source's tensors, as the source told them
	casts    casts
}

func newLoadPlan(op string, src StateSource, set *loadSettings) *loadPlan {
	p := &loadPlan{op: op, src: src, set: set, shapes: map[string]torch.Shape{}}
	by, joins := map[string]*planned{}, map[string]*joining{}
	var order []*joining
	for _, name := range src.Names() {
		if matchAny(set.ignore, name) {
			p.ignored = append(p.ignored, name)
			continue
		}
		if j := p.join(name, joins); j != nil {
			if j.first {
				j.first = false
				order = append(order, j)
				p.list = append(p.list, j.planned)
			}
			continue
		}
		p.list = append(p.list, p.plain(name)...)
	}
	for _, j := range order {
		for i, from := range j.from {
			if from == "" {
				p.problems = append(p.problems, fmt.Sprintf("%s needs %s, which is not there", j.name, j.want[i]))
			}
		}
	}
	for _, e := range p.list {
		if other := by[e.name]; other != nil {
			p.problems = append(p.problems, fmt.Sprintf("%s and %s are both %s", other.from[0], e.from[0], e.name))
		}
		by[e.name] = e
	}
	return p
}

// joining is a tensor that is being collected.
type joining struct {
	*planned
	want  []string // patterns of the parts
	first bool
}

// join notes a part of a tensor that is to be joined; nil for a name that is none.
func (p *loadPlan) join(name string, joins map[string]*joining) *joining {
	for r, rule := range p.set.concat {
		for i, from := range rule.from {
			stars, ok := from.match(name)
			if !ok {
				continue
			}
			to := rule.to.fill(stars)
			key := fmt.Sprint(r, " ", to)
			j := joins[key]
			if j == nil {
				j = &joining{first: true, planned: &planned{plan: p, name: to, joined: true, dim: rule.dim, from: make([]string, len(rule.from))}}
				for _, f := range rule.from {
					j.want = append(j.want, f.text)
				}
				joins[key] = j
			}
			if j.from[i] != "" {
				p.problems = append(p.problems, fmt.Sprintf("%s and %s are the same part of %s", j.from[i], name, to))
			}
			j.from[i] = name
			return j
		}
	}
	return nil
}

// plain are the module's tensors that come of one name.
func (p *loadPlan) plain(name string) []*planned {
	for _, rule := range p.set.split {
		stars, ok := rule.from.match(name)
		if !ok {
			continue
		}
		list := make([]*planned, len(rule.to))
		for i, to := range rule.to {
			list[i] = &planned{plan: p, name: to.fill(stars), from: []string{name}, dim: rule.dim, piece: int64(i), pieces: int64(len(rule.to))}
		}
		return list
	}
	to := name
	for _, r := range p.set.rename {
		if stars, ok := r.from.match(name); ok {
			to = r.to.fill(stars)
			break
		}
	}
	if p.set.renameFunc != nil {
		to = p.set.renameFunc(to)
	}
	if to == "" {
		p.ignored = append(p.ignored, name)
		return nil
	}
	return []*planned{{plan: p, name: to, from: []string{name}}}
}

// get reads a tensor of the source and makes of it what its part of the module's is. The
// result is the innermost scope's or the source's.
func (e *planned) get(from string, read func(name string) (*torch.Tensor, error)) (*torch.Tensor, error) {
	t, err := read(from)
	if err != nil {
		return nil, err
	}
	p := e.plan
	if t == nil || t.IsClosed() {
		is, kind := unusable(t)
		return nil, torch.NewError(p.op, kind, "src", fmt.Sprintf("the tensor for %s, %s of the source, is %s", e.name, from, is))
	}
	if want, ok := p.shapes[from]; ok && !want.Equal(t.Shape()) {
		return nil, torch.NewError(p.op, torch.ErrShape, "src", fmt.Sprintf("%s of the source is %v and was said to be %v", from, t.Shape(), want))
	}
	if matchAny(p.set.transpose, from) {
		t = t.Transpose(-2, -1)
	}
	if e.pieces > 0 {
		size := t.Size(e.dim)
		if size%e.pieces != 0 {
			return nil, torch.NewError(p.op, torch.ErrShape, "Split", fmt.Sprintf("%s of shape %v cannot be cut along dimension %d into %d", from, t.Shape(), e.dim, e.pieces))
		}
		t = t.Narrow(e.dim, e.piece*(size/e.pieces), size/e.pieces)
	}
	if e.scalar {
		t = t.Select(0, 0)
	}
	return p.convert(t), nil
}

// convert moves a tensor to where the options say.
func (p *loadPlan) convert(t *torch.Tensor) *torch.Tensor {
	if d := t.DType(); p.set.dtype != 0 && (d.IsFloatingPoint() || d.IsComplex()) {
		if p.casts.refused(p.set.dtype, d) { // on the meta device libtorch does not look
			panic(torch.NewError(p.op, torch.ErrDType, "DType", fmt.Sprintf("libtorch does not convert %v to %v", d, p.set.dtype)))
		}
		t = t.To(p.set.dtype)
	}
	if p.set.device != 0 && t.Device() != torch.Meta {
		t = t.To(p.set.device)
	}
	return t
}

// whole is the module's tensor with memory of its own, unless the source's has it: what
// Assign takes.
func (e *planned) whole(read func(name string) (*torch.Tensor, error)) (*torch.Tensor, error) {
	parts := make([]*torch.Tensor, len(e.from))
	for i, from := range e.from {
		var err error
		if parts[i], err = e.get(from, read); err != nil {
			return nil, err
		}
	}
	switch t := parts[0]; {
	case e.joined:
		return torch.Cat(parts, torch.Dim(e.dim)), nil
	case e.pieces > 0 && t.Device() != torch.Meta:
		return t.Clone(), nil // or it would keep the other pieces
	case matchAny(e.plan.set.transpose, e.from[0]):
		return t.Contiguous(), nil
	default:
		return t, nil
	}
}

// describe returns the module's tensor on the meta device, in no scope.
func (e *planned) describe() (out *torch.Tensor, err error) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			if out, err = e.whole(e.plan.meta); err == nil {
				out = torch.Disown(out)
			}
		})
	})
	return out, err
}

// meta returns a tensor of the source on the meta device, and notes its shape.
func (p *loadPlan) meta(name string) (t *torch.Tensor, err error) {
	if d, ok := p.src.(describedSource); ok {
		t, err = d.Meta(name)
	} else if t, err = p.src.Tensor(name); err == nil && t != nil && !t.IsClosed() {
		t = t.Detach().To(torch.Meta)
	}
	if err == nil && t != nil && !t.IsClosed() {
		p.shapes[name] = t.Shape()
	}
	return t, err
}
