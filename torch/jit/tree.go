package jit

import (
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// branch describes one module of the tree. C++ code wrote the description.
type branch struct {
	children []child
	training uint64
	places   []uint64 // the indices of the module's tensors in the list of all tensors of the tree
	built    bool
	m        *Module
}

type child struct {
	name string
	at   int
}

// newModule makes the modules of a script's tree, and takes ownership of root. If it
// panics, it frees everything.
func newModule(op string, root native.Module) *Module {
	done := false
	handles := []native.Module{root}
	var made []*torch.Tensor
	defer func() {
		if !done {
			for _, t := range made {
				_ = t.Close()
			}
			freed{handles: handles}.free()
		}
	}()
	r := torch.BeginRaw(op)
	out, st := native.Tree(root)
	r.Status(st)
	made = r.WrapAll(out.Tensors)
	for _, t := range made {
		torch.Disown(t)
	}
	d := decoder{words: out.Words}
	var branches []*branch
	for most := 1; len(branches) < most; {
		b := readBranch(&d)
		branches = append(branches, b)
		handles = append(handles, b.m.h)
		for _, c := range b.children {
			most = max(most, c.at+1)
		}
	}
	s := &shared{exclusive: d.word() != 0}
	for _, b := range branches {
		b.build(s, made)
	}
	join(op, branches, 0, 0)
	s.own(handles)
	setModes(op, branches)
	s.made = true
	m := branches[0].m
	m.root = true
	done = true
	return m
}

// readBranch reads the description of one module.
func readBranch(d *decoder) *branch {
	m := &Module{h: native.Module(d.word())}
	m.class = original(d.text())
	b := &branch{m: m, training: d.word()}
	for range d.word() {
		b.children = append(b.children, child{d.text(), int(d.word())})
	}
	for range d.word() {
		m.names = append(m.names, d.text())
		m.slots = append(m.slots, int32(d.word()))
		m.params = append(m.params, d.word() != 0)
		b.places = append(b.places, d.word())
	}
	for range d.word() {
		m.others = append(m.others, d.text())
	}
	return b
}

// build registers the tensors of a module.
func (b *branch) build(s *shared, tensors []*torch.Tensor) {
	m := b.m
	m.shared, s.modules = s, append(s.modules, m)
	m.Init(m, nn.TypeName("RecursiveScriptModule"))
	m.SetExtraRepr("original_name=" + plain.Text(m.class))
	n := len(b.places)
	m.tensors, m.known, m.last = make([]*torch.Tensor, n), make([]*torch.Tensor, n), make([]abi.Tensor, n)
	for i, at := range b.places {
		m.register(i, tensors[at])
	}
	f, st := native.Find(m.h, "forward")
	if st != 0 {
		cgotorch.FreeStatus(st)
	}
	m.forward, m.call = f, m.runOne
}

// original returns the name of a class without its package and without the suffix that
// TorchScript adds to make it unique.
func original(name string) string {
	if at := strings.LastIndex(name, "."); at >= 0 {
		name = name[at+1:]
	}
	return name
}

// join registers the submodules of a module, recursively.
func join(op string, branches []*branch, i, depth int) {
	b := branches[i]
	if depth > deepest {
		panic(torch.NewError(op, torch.ErrValue, "module", "the modules are nested too deeply, or contain themselves"))
	}
	if b.built {
		return
	}
	b.built = true
	for _, c := range b.children {
		join(op, branches, c.at, depth+1)
		b.m.Register(c.name, branches[c.at].m)
	}
}

// setModes sets the modes of the nn modules to the modes in which they were saved. Modules
// without a saved mode are in evaluation mode. setModes begins with the parents, because
// setting a parent's mode also sets the modes of its submodules.
func setModes(op string, branches []*branch) {
	for _, b := range branches {
		if on := b.training == 1; b.m.Training() != on {
			b.m.SetTraining(on)
		}
	}
	for _, b := range branches {
		if b.training != 2 {
			r := torch.BeginRaw(op)
			st := native.Train(b.m.h, b.training == 1)
			r.Status(st)
		}
	}
}
