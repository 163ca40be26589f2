package jit

import (
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// source checks the source code in an archive.
func (a *archive) source() error {
	names := make([]string, 0, len(a.Entries))
	for name := range a.Entries {
		if strings.HasPrefix(name, "code/") && strings.HasSuffix(name, ".py") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	p := newProgram()
	for _, name := range names {
		text, err := a.Read(a.Entries[name])
		if err != nil {
			return err
		}
		p.enter(strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "code/"), ".py"), "/", "."))
		if line, why := nesting(string(text), p); why != "" {
			return a.Fail(a.Entries[name], torch.ErrFormat, "entry %.80q, line %d: %s", a.Entries[name].Name, line, why)
		}
	}
	if p.longest() > deepestProgram {
		return a.Fail(a.Entries[names[0]], torch.ErrFormat,
			"classes, methods and functions use one another more than %d levels deep", deepestProgram)
	}
	return nil
}

// deepestProgram is the longest allowed chain of classes, methods and functions in which
// each uses the next. While libtorch compiles one of them, it also compiles the ones that
// it uses.
const deepestProgram = 1500

// program records, for each class, method and function of an archive, which other ones it
// uses. Names are case-folded, like those of entries.
type program struct {
	file   string // the file being scanned
	class  string // the current class, "" outside of classes
	indent int    // the indentation of the current class
	thing  string // the current class, method or function, or ""
	things map[string]*thing
}

// thing is a class, a method or a function of the archive's source code.
type thing struct {
	class string          // the name of the class, if the thing is a method
	names map[string]bool // the names in its source; a name that begins with a dot follows a bracket
	cost  int             // the deepest nesting in its source, where operators count too
	// The search for the longest chain uses the remaining fields.
	number, low int // the two numbers of Tarjan's algorithm, which count from 1
	on          bool
	longest     int // 0 if not yet known
}

func newProgram() *program { return &program{things: map[string]*thing{}} }

func (p *program) enter(file string) { p.file, p.class, p.thing = file, "", "" }

// define records the beginning of a class or function. word is "class" or "def", and indent
// is the indentation of the line.
func (p *program) define(word, name string, indent int) {
	if p == nil {
		return
	}
	name = folded(name)
	whole := strings.TrimPrefix(p.file+"."+name, ".")
	class := ""
	switch {
	case word == "class":
		p.class, p.indent = whole, indent
	case p.class != "" && indent > p.indent:
		class, whole = p.class, p.class+"."+name
		p.things[class].names[whole] = true
	default:
		p.class = ""
	}
	p.thing = whole
	if p.things[whole] == nil {
		p.things[whole] = &thing{class: class, names: map[string]bool{}, cost: 1}
	}
}

// depth records that the current class or function has code at nesting depth n.
func (p *program) depth(n int) {
	if p != nil && p.thing != "" {
		t := p.things[p.thing]
		t.cost = max(t.cost, n)
	}
}

// name records the use of a name, including its dots.
func (p *program) name(name string) {
	if p != nil && p.thing != "" {
		p.things[p.thing].names[folded(name)] = true
	}
}

// longest returns the length of the longest chain of classes, methods and functions in
// which each uses the next. If it exceeds deepestProgram, longest returns some larger number.
// All members of a cycle count, because libtorch may begin with any of them.
func (p *program) longest() int {
	s := search{things: p.things, last: map[string][]string{}}
	all := make([]string, 0, len(p.things))
	for name, t := range p.things {
		all = append(all, name)
		if t.class == "" {
			last := name[strings.LastIndexByte(name, '.')+1:]
			s.last[last] = append(s.last[last], name)
		}
	}
	most := 0
	for _, name := range all {
		if s.things[name].number == 0 {
			s.visit(name, 1)
		}
		if s.beyond {
			return deepestProgram + 1
		}
		most = max(most, s.things[name].longest)
	}
	return most
}

// search finds cycles of classes, methods and functions with Tarjan's algorithm.
type search struct {
	things map[string]*thing
	// the full names of classes and functions; the key is the last part of the name
	last   map[string][]string
	count  int
	stack  []string
	beyond bool // whether a chain is too long, in which case the search stops
}

// visit follows the names that one class, method or function uses. depth is the length of
// the chain that leads to it.
func (s *search) visit(name string, depth int) {
	if depth > deepestProgram {
		s.beyond = true
	}
	if s.beyond {
		return
	}
	t := s.things[name]
	s.count++
	t.number, t.low, t.on = s.count, s.count, true
	at := len(s.stack)
	s.stack = append(s.stack, name)
	below := 0
	for ref := range t.names {
		s.each(t, ref, func(other string) {
			o := s.things[other]
			if o == nil || other == t.class {
				return
			}
			if o.number == 0 {
				s.visit(other, depth+1)
			}
			if o.on {
				t.low = min(t.low, o.low)
			} else {
				below = max(below, o.longest)
			}
		})
	}
	t.longest = below
	if t.low != t.number {
		return
	}
	circle := s.stack[at:]
	s.stack = s.stack[:at]
	cost := 0
	for _, other := range circle {
		below = max(below, s.things[other].longest)
		cost += s.things[other].cost
	}
	for _, other := range circle {
		o := s.things[other]
		o.on, o.longest = false, below+cost
	}
}

// each calls the function use for every class, method and function to which the name ref
// in the source of t may refer. These are ref itself; ref without its last part, which
// may name a method or an Enum value; and methods of t's class with the name of a later
// part of ref.
//
// A ref that begins with a dot follows a bracket. It may refer to a method of t's class
// by any of its parts, and to everything whose last part is one of its parts.
func (s *search) each(t *thing, ref string, use func(other string)) {
	name, bracket := strings.CutPrefix(ref, ".")
	use(name)
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		use(name[:i])
	}
	first := true
	for part := range strings.SplitSeq(name, ".") {
		if (bracket || !first) && t.class != "" {
			use(t.class + "." + part)
		}
		if bracket {
			for _, other := range s.last[part] {
				use(other)
			}
		}
		first = false
	}
}
