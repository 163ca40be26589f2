package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// StateSource holds named tensors that a module can load. It is a [StateDict], a
// Python dict (*serialization.Dict), or a file that is read one tensor at a time:
// *safetensors.File, *safetensors.Sharded, *serialization.StateDictFile or
// *numpy.NpzFile.
type StateSource interface {
	// Names returns the names of all tensors.
	Names() []string
	// Tensor returns a tensor. A newly made tensor belongs to the innermost scope,
	// which the loader ends once it has copied the values. An existing tensor still
	// belongs to the source.
	Tensor(name string) (*torch.Tensor, error)
}

// describedSource is a source that can report shapes and dtypes without reading values.
// Meta returns a tensor on the meta device. Each tensor of any other source is read
// twice.
type describedSource interface {
	Meta(name string) (*torch.Tensor, error)
}

// placedSource is a source with a path, which appears in error messages.
type placedSource interface{ Path() string }

func pathOf(src StateSource) string {
	if p, ok := src.(placedSource); ok {
		return p.Path()
	}
	return ""
}

// Tensor is Get, but returns an error of kind ErrValue for an unknown name. It makes
// StateDict a [StateSource].
func (sd StateDict) Tensor(name string) (*torch.Tensor, error) {
	for _, n := range sd {
		if n.Name == name {
			return n.Tensor, nil
		}
	}
	return nil, torch.NewError("nn.StateDict.Tensor", torch.ErrValue, "name", fmt.Sprintf("there is no %q", name))
}

// indexedState is a StateDict that finds tensors with a map, because a file may have many.
type indexedState struct {
	StateDict
	at map[string]*torch.Tensor
}

func newIndexedState(sd StateDict) indexedState {
	s := indexedState{sd, make(map[string]*torch.Tensor, len(sd))}
	for _, n := range sd {
		if _, again := s.at[n.Name]; !again {
			s.at[n.Name] = n.Tensor
		}
	}
	return s
}

// Tensor implements StateSource.
func (s indexedState) Tensor(name string) (*torch.Tensor, error) {
	if t, ok := s.at[name]; ok {
		return t, nil
	}
	return s.StateDict.Tensor(name)
}

// plannedTensor is one of the module's tensors. The source holds it, possibly under other
// names or in pieces.
type plannedTensor struct {
	plan          *loadPlan
	name          string
	from          []string // its names in the source; several names are joined along dim
	isJoined      bool
	dim           int64
	piece, pieces int64 // the index along dim and the number of pieces, 0 for the whole
	isScalar      bool  // the source's tensor has shape (1), the module's shape ()
}

// loadPlan lists the module's tensors to load and where they come from in the source,
// the names to ignore, and the problems found.
type loadPlan struct {
	op       string
	src      StateSource
	settings *loadSettings
	tensors  []*plannedTensor
	ignored  []string
	problems []string
	shapes   map[string]torch.Shape // shapes of the source's tensors
	casts    castCache
}

func newLoadPlan(op string, src StateSource, set *loadSettings) *loadPlan {
	p := &loadPlan{op: op, src: src, settings: set, shapes: map[string]torch.Shape{}}
	by, joins := map[string]*plannedTensor{}, map[string]*pendingJoin{}
	var order []*pendingJoin
	for _, name := range src.Names() {
		if matchAny(set.ignore, name) {
			p.ignored = append(p.ignored, name)
			continue
		}
		if j := p.planPart(name, joins); j != nil {
			if j.isNew {
				j.isNew = false
				order = append(order, j)
				p.tensors = append(p.tensors, j.plannedTensor)
			}
			continue
		}
		p.tensors = append(p.tensors, p.planName(name)...)
	}
	for _, j := range order {
		for i, from := range j.from {
			if from == "" {
				p.problems = append(p.problems, fmt.Sprintf("%s needs %s, which is missing in the source",
					plain.Short(j.name), j.patterns[i]))
			}
		}
	}
	for _, e := range p.tensors {
		if other := by[e.name]; other != nil {
			p.problems = append(p.problems, fmt.Sprintf("both %s and %s would be loaded as %s",
				plain.Short(other.from[0]), plain.Short(e.from[0]), plain.Short(e.name)))
		}
		by[e.name] = e
	}
	return p
}

// pendingJoin is a tensor whose parts are being collected.
type pendingJoin struct {
	*plannedTensor
	patterns []string // for each part, the pattern of its name
	isNew    bool
}

// planPart records a part of a joined tensor, or returns nil if name is not a part.
func (p *loadPlan) planPart(name string, joins map[string]*pendingJoin) *pendingJoin {
	for r, rule := range p.settings.concat {
		for i, from := range rule.from {
			stars, ok := from.match(name)
			if !ok {
				continue
			}
			to := rule.to.fill(stars)
			key := fmt.Sprint(r, " ", to)
			j := joins[key]
			if j == nil {
				j = &pendingJoin{isNew: true, plannedTensor: &plannedTensor{
					plan: p, name: to, isJoined: true, dim: rule.dim,
					from: make([]string, len(rule.from)),
				}}
				for _, f := range rule.from {
					j.patterns = append(j.patterns, f.text)
				}
				joins[key] = j
			}
			if j.from[i] != "" {
				p.problems = append(p.problems, fmt.Sprintf("%s and %s are the same part of %s",
					plain.Short(j.from[i]), plain.Short(name), plain.Short(to)))
			}
			j.from[i] = name
			return j
		}
	}
	return nil
}

// planName returns the module's tensors that are made from the source's tensor with
// that name. With [Split] there are several.
func (p *loadPlan) planName(name string) []*plannedTensor {
	for _, rule := range p.settings.split {
		stars, ok := rule.from.match(name)
		if !ok {
			continue
		}
		list := make([]*plannedTensor, len(rule.to))
		for i, to := range rule.to {
			list[i] = &plannedTensor{
				plan: p, name: to.fill(stars), from: []string{name}, dim: rule.dim, piece: int64(i),
				pieces: int64(len(rule.to)),
			}
		}
		return list
	}
	to := name
	for _, r := range p.settings.rename {
		if stars, ok := r.from.match(name); ok {
			to = r.to.fill(stars)
			break
		}
	}
	if p.settings.renameFunc != nil {
		to = p.settings.renameFunc(to)
	}
	if to == "" {
		p.ignored = append(p.ignored, name)
		return nil
	}
	return []*plannedTensor{{plan: p, name: to, from: []string{name}}}
}

// readPart reads a tensor of the source and converts it to the corresponding part of the
// module's tensor. The result belongs to the innermost scope or to the source.
func (e *plannedTensor) readPart(from string, read func(name string) (*torch.Tensor, error)) (*torch.Tensor, error) {
	t, err := read(from)
	if err != nil {
		return nil, err
	}
	p := e.plan
	if t == nil || t.IsClosed() {
		is, kind := explainUnusable(t)
		return nil, torch.NewError(p.op, kind, "src",
			fmt.Sprintf("the tensor for %s (%s in the source) is %s", plain.Short(e.name), plain.Short(from), is))
	}
	if want, ok := p.shapes[from]; ok && !want.Equal(t.Shape()) {
		return nil, torch.NewError(p.op, torch.ErrShape, "src",
			fmt.Sprintf("%s of the source has shape %v, but its description says %v", plain.Short(from), t.Shape(),
				want))
	}
	if matchAny(p.settings.transpose, from) {
		t = t.Transpose(-2, -1)
	}
	if e.pieces > 0 {
		size := t.Size(e.dim)
		if size%e.pieces != 0 {
			return nil, torch.NewError(p.op, torch.ErrShape, "Split",
				fmt.Sprintf("%s of shape %v cannot be cut along dimension %d into %d equal parts", plain.Short(from),
					t.Shape(), e.dim, e.pieces))
		}
		t = t.Narrow(e.dim, e.piece*(size/e.pieces), size/e.pieces)
	}
	if e.isScalar {
		t = t.Select(0, 0)
	}
	return p.convert(t), nil
}

// convert converts a tensor to the device and dtype that the options select.
func (p *loadPlan) convert(t *torch.Tensor) *torch.Tensor {
	if d := t.DType(); p.settings.dtype != 0 && (d.IsFloatingPoint() || d.IsComplex()) {
		if p.casts.refuses(p.settings.dtype, d) { // libtorch does not check this on the meta device
			panic(torch.NewError(p.op, torch.ErrDType, "DType",
				fmt.Sprintf("libtorch cannot convert %v to %v", d, p.settings.dtype)))
		}
		t = t.To(p.settings.dtype)
	}
	if p.settings.device != 0 && t.Device() != torch.Meta {
		t = t.To(p.settings.device)
	}
	return t
}

// assemble reads the source's tensors and joins, splits or transposes them into the
// module's tensor. The result may be a tensor of the source.
func (e *plannedTensor) assemble(read func(name string) (*torch.Tensor, error)) (*torch.Tensor, error) {
	parts := make([]*torch.Tensor, len(e.from))
	for i, from := range e.from {
		var err error
		if parts[i], err = e.readPart(from, read); err != nil {
			return nil, err
		}
	}
	switch t := parts[0]; {
	case e.isJoined:
		return torch.Cat(parts, torch.Dim(e.dim)), nil
	case e.pieces > 0 && t.Device() != torch.Meta:
		return t.Clone(), nil // a view would keep the other pieces alive
	case matchAny(e.plan.settings.transpose, e.from[0]):
		return t.Contiguous(), nil
	default:
		return t, nil
	}
}

// describeMeta returns the module's tensor on the meta device, in no scope.
func (e *plannedTensor) describeMeta() (out *torch.Tensor, err error) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			if out, err = e.assemble(e.plan.readMeta); err == nil {
				out = torch.Disown(out)
			}
		})
	})
	return out, err
}

// readMeta returns a tensor of the source on the meta device and records its shape.
func (p *loadPlan) readMeta(name string) (t *torch.Tensor, err error) {
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
