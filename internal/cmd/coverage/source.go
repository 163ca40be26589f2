package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A library contains the declarations of the Go packages. They are found by place and by
// key, which is the same for a Go name and its Python name.
type library struct {
	names map[string]map[string]string // Go names by the label of their place and by key
	// other functions that follow a name, by place and name; see form
	forms map[string][]string
	all   map[string]bool   // every name, as the page writes it
	ops   map[string]string // functions of torch/aten by the names of their operators
}

// A place is a Go package or, if recv is set, the methods of one type in that package.
type place struct{ dir, recv, label string }

// places are all places in which names of PyTorch are looked up. Some modules of PyTorch
// have no place.
var places = []place{
	{"torch", "", "torch."},
	{"torch", "Tensor", "x."},
	{"torch/linalg", "", "linalg."},
	{"torch/fft", "", "fft."},
	{"torch/special", "", "special."},
	{"torch/sparse", "", "sparse."},
	{"torch/nested", "", "nested."},
	{"torch/cuda", "", "cuda."},
	{"torch/cuda", "Stream", "stream."},
	{"torch/amp", "", "amp."},
	{"torch/functorch", "", "functorch."},
	{"torch/autograd", "", "autograd."},
	{"torch/recompute", "", "recompute."},
	{"torch/distributions", "", "distributions."},
	{"torch/distributions", "Distribution", "d."},
	{"torch/distributions", "Transform", "t."},
	{"torch/distributions/constraints", "", "constraints."},
	{"torch/distributions/constraints", "Constraint", "c."},
	{"torch/distributed", "", "distributed."},
	{"torch/distributed", "ProcessGroup", "g."},
	{"torch/distributed", "Store", "store."},
	{"torch/distributed", "Work", "work."},
	{"torch/data", "", "data."},
	{"torch/data/transforms", "", "transforms."},
	{"torch/data/transforms/imageops", "", "imageops."},
	{"torch/profiler", "", "profiler."},
	{"torch/serialization", "", "serialization."},
	{"torch/dlpack", "", "dlpack."},
	{"torch/export", "", "export."},
	{"torch/export", "Module", "program."},
	{"torch/profiler", "Profile", "p."},
	{"torch/tensorboard", "SummaryWriter", "w."},
	{"memory", "", "memory."},
	{"nn", "", "nn."},
	{"nn/parallel", "", "parallel."},
	{"nn", "Base", "m."},
	{"nn/functional", "", "F."},
	{"nn/nninit", "", "nninit."},
	{"nn/nnutil", "", "nnutil."},
	{"nn/rnn", "", "rnn."},
	{"nn/prune", "", "prune."},
	{"nn/parametrize", "", "parametrize."},
	{"nn/parametrizations", "", "parametrizations."},
	{"optim", "", "optim."},
	{"optim", "Base", "opt."},
	{"optim/schedule", "", "schedule."},
	{"optim/swa", "", "swa."},
	{"torchtest", "", "torchtest."},
	{"vision/models", "", "models."},
	{"vision/models/detection", "", "detection."},
	{"vision/models/segmentation", "", "segmentation."},
	{"vision/ops", "", "ops."},
	{"vision/transforms", "", "tv."},
}

// key returns a form that is the same for a Go name and its Python name: only letters, in
// lower case, and the underscore at the end of in-place functions.
func key(name string) string {
	k := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if strings.HasSuffix(name, "_") {
		k += "_"
	}
	return k
}

// read reads the library from root, the directory of its module.
func read(root string) (*library, error) {
	l := &library{
		names: map[string]map[string]string{}, forms: map[string][]string{}, all: map[string]bool{},
		ops: map[string]string{},
	}
	option := map[string]bool{}
	for _, p := range places {
		if _, ok := l.names[p.label]; !ok {
			l.names[p.label] = map[string]string{}
		}
		err := files(filepath.Join(root, p.dir), parser.ParseComments, func(f *ast.File) {
			for _, d := range f.Decls {
				l.form(p, d)
				for _, name := range declared(d, p.recv) {
					l.add(p.label, name)
				}
				for _, name := range words(d) {
					if p.recv == "" {
						option[p.label+name] = true
					}
				}
			}
			if strings.HasPrefix(p.dir, "vision/models") {
				l.files(p, f)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, names := range l.names {
		maps.DeleteFunc(names, func(_, name string) bool { return option[name] })
	}
	err := files(filepath.Join(root, "torch/aten"), parser.ParseComments, func(f *ast.File) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			if m := operator.FindStringSubmatch(fn.Doc.Text()); m != nil {
				if old, ok := l.ops[m[1]]; !ok || len(fn.Name.Name) < len(old) {
					l.ops[m[1]] = fn.Name.Name
				}
			}
		}
	})
	return l, err
}

// operator matches the operator's signature in the comment of a generated function.
var operator = regexp.MustCompile(`(?m)^\t(\w+)(?:\.\w+)?\(`)

func (l *library) add(label, name string) {
	l.all[label+name] = true
	k := key(name)
	// If a type and its constructor have the same key, record the constructor.
	if old, ok := l.names[label][k]; !ok || strings.HasPrefix(name, "New") || len(name) < len(old) {
		l.names[label][k] = label + name
	}
	if made, ok := strings.CutPrefix(name, "New"); ok && made != "" {
		l.names[label][key(made)] = label + name
	}
}

// files records the parameter files of package models by their names in Python. Python's
// ResNet18_Weights is GetWeight("ResNet18_Weights.IMAGENET1K_V1") in Go.
func (l *library) files(p place, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if m := weights.FindStringSubmatch(s.Value); m != nil {
				l.names[p.label][key(m[1])] = p.label + "GetWeight"
				l.forms[p.label+m[1]] = []string{p.label + "GetModelWeights"}
			}
		}
		return true
	})
}

// weights matches the name of a parameter file, and its class in Python.
var weights = regexp.MustCompile(`^"(\w+_Weights)\.\w+"$`)

// form records a function such as NormalTensor, whose comment says which PyTorch function
// it follows. A Python function with several overloads has several names in Go.
func (l *library) form(p place, d ast.Decl) {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || !fn.Name.IsExported() || receiver(fn) != p.recv {
		return
	}
	m := follows.FindStringSubmatch(fn.Doc.Text())
	if m == nil {
		return
	}
	if k := p.label + m[1]; key(m[1]) != key(fn.Name.Name) {
		l.forms[k] = append(l.forms[k], p.label+fn.Name.Name)
	}
}

// follows matches PyTorch's name in a comment, without its module.
var follows = regexp.MustCompile(`Follows\s+(?:\w+\.)+(\w+)`)

// words returns the names of options and variables in a declaration. They are not names
// of PyTorch: torch.Gradient(t), an option of Backward, is not torch.gradient, torch.All
// in x[:] is not torch.all, and torch.Adjoint is not torch.adjoint.
func words(d ast.Decl) []string {
	var names []string
	if fn, ok := d.(*ast.FuncDecl); ok {
		if fn.Recv == nil && returnsOption(fn) {
			names = append(names, fn.Name.Name)
		}
		return names
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if _, basic := s.Type.(*ast.Ident); basic && !s.Assign.IsValid() {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				if g.Tok == token.VAR {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// returnsOption reports whether fn returns an option that it creates from its argument.
func returnsOption(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
		return false
	}
	id, ok := fn.Type.Results.List[0].Type.(*ast.Ident)
	return ok && strings.HasSuffix(id.Name, "Option")
}

// declared returns the exported names that d declares. If recv is set, these are the
// methods of that type.
func declared(d ast.Decl, recv string) []string {
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if receiver(d) == recv {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if recv == "" {
					add(s.Name)
				} else if i, ok := s.Type.(*ast.InterfaceType); ok && s.Name.Name == recv {
					for _, m := range i.Methods.List {
						for _, id := range m.Names {
							add(id)
						}
					}
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if recv == "" {
						add(id)
					}
				}
			}
		}
	}
	return names
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}

// files calls fn with each Go file of the package in dir, except its tests. It does
// nothing if the directory does not exist.
func files(dir string, mode parser.Mode, fn func(*ast.File)) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isSource(e) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil,
				mode|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			fn(f)
		}
	}
	return nil
}

func isSource(e fs.DirEntry) bool {
	return !e.IsDir() && strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go")
}
