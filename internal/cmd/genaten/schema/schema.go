// Package schema reads operator schemas. A schema is a one-line signature that libtorch
// has for every operator, such as
//
//	add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
package schema

import (
	"errors"
	"fmt"
	"strings"
)

// Func is one parsed schema.
type Func struct {
	Text     string // the line as read
	Root     string // "add"
	Overload string // "Tensor", empty for the default overload
	Args     []Arg
	Returns  []Return
}

// Name returns the operator with its overload, such as "add.Tensor".
func (f *Func) Name() string {
	if f.Overload == "" {
		return f.Root
	}
	return f.Root + "." + f.Overload
}

// Arg is one parameter.
type Arg struct {
	Name       string
	Type       Type
	Default    string // text of the default; strings keep their quotes
	HasDefault bool
	KwargOnly  bool
}

// Return is one result. Its Name is "" if the schema does not name it.
type Return struct {
	Name string
	Type Type
}

// Type is a base type with its suffixes, from left to right: "Tensor?[]" is a list of
// optional tensors, and "int[2]?" is an optional list.
type Type struct {
	Base     string // "Tensor", "SymInt", ...
	Alias    string // the text in parentheses: "a", "a!", "a -> *"
	ElemOpt  bool   // the elements of the list may be None
	List     bool
	Size     int  // the length of a fixed-size list, 0 for any length
	Optional bool // the whole value may be None
}

// Mutable reports whether the operator writes to the value.
func (t Type) Mutable() bool { return strings.Contains(t.Alias, "!") }

// String returns the type as a schema writes it, without the alias annotation.
func (t Type) String() string {
	s := t.Base
	if t.ElemOpt {
		s += "?"
	}
	if t.List && t.Size > 0 {
		s += fmt.Sprintf("[%d]", t.Size)
	} else if t.List {
		s += "[]"
	}
	if t.Optional {
		s += "?"
	}
	return s
}

var errSyntax = errors.New("malformed schema")

type parser struct {
	s string
	i int
}

// Parse reads one schema. It returns an error for text that is not a schema.
func Parse(text string) (*Func, error) {
	p := &parser{s: strings.TrimSpace(text)}
	f, err := p.fn()
	if err != nil {
		return nil, fmt.Errorf("%w at column %d of %q", err, p.i+1, text)
	}
	f.Text = p.s
	return f, nil
}

func (p *parser) fn() (*Func, error) {
	f := &Func{Root: p.ident()}
	if p.eat(".") {
		if f.Overload = p.ident(); f.Overload == "" {
			return nil, errSyntax
		}
	}
	if f.Root == "" || !p.eat("(") {
		return nil, errSyntax
	}
	kwarg := false
	for first := true; !p.eat(")"); first = false {
		if !first && !p.eat(",") {
			return nil, errSyntax
		}
		p.space()
		if p.eat("*") {
			kwarg = true
			continue
		}
		a, err := p.arg()
		if err != nil {
			return nil, err
		}
		a.KwargOnly = kwarg
		f.Args = append(f.Args, a)
	}
	p.space()
	if !p.eat("->") {
		return nil, errSyntax
	}
	p.space()
	if err := p.returns(f); err != nil {
		return nil, err
	}
	p.space()
	if p.i != len(p.s) {
		return nil, errSyntax
	}
	return f, nil
}

func (p *parser) returns(f *Func) error {
	if !p.eat("(") {
		r, err := p.ret()
		f.Returns = []Return{r}
		return err
	}
	for first := true; !p.eat(")"); first = false {
		if !first && !p.eat(",") {
			return errSyntax
		}
		p.space()
		r, err := p.ret()
		if err != nil {
			return err
		}
		f.Returns = append(f.Returns, r)
	}
	return nil
}

func (p *parser) ret() (Return, error) {
	t, err := p.typ()
	if err != nil {
		return Return{}, err
	}
	r := Return{Type: t}
	if p.eat(" ") {
		p.space()
		r.Name = p.ident()
	}
	return r, nil
}

func (p *parser) arg() (Arg, error) {
	t, err := p.typ()
	if err != nil {
		return Arg{}, err
	}
	p.space()
	a := Arg{Type: t, Name: p.ident()}
	if a.Name == "" {
		return Arg{}, errSyntax
	}
	if p.eat("=") {
		a.HasDefault = true
		if a.Default = p.value(); a.Default == "" {
			return Arg{}, errSyntax
		}
	}
	return a, nil
}

func (p *parser) typ() (Type, error) {
	t := Type{Base: p.ident()}
	if t.Base == "" {
		return t, errSyntax
	}
	if p.eat("(") {
		end := strings.IndexByte(p.s[p.i:], ')')
		if end < 0 {
			return t, errSyntax
		}
		t.Alias = p.s[p.i : p.i+end]
		p.i += end + 1
	}
	for {
		switch {
		case p.eat("?"):
			if t.Optional {
				return t, errSyntax
			}
			t.Optional = true
		case p.eat("["):
			if t.List {
				return t, errSyntax
			}
			n := 0
			for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' && n < 1000 {
				n = n*10 + int(p.s[p.i]-'0')
				p.i++
			}
			if !p.eat("]") {
				return t, errSyntax
			}
			t.List, t.Size = true, n
			t.ElemOpt, t.Optional = t.Optional, false
		default:
			return t, nil
		}
	}
}

// value reads a default value. It stops at the comma or parenthesis that follows.
func (p *parser) value() string {
	from, depth := p.i, 0
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '\'' || c == '"':
			for p.i++; p.i < len(p.s) && p.s[p.i] != c; p.i++ {
				if p.s[p.i] == '\\' {
					p.i++
				}
			}
			if p.i >= len(p.s) {
				p.i = len(p.s)
				return ""
			}
		case c == '[' || c == '(':
			depth++
		case depth == 0 && (c == ',' || c == ')'):
			return p.s[from:p.i]
		case c == ']' || c == ')':
			depth--
		}
	}
	return ""
}

func (p *parser) ident() string {
	from := p.i
	for p.i < len(p.s) && isIdent(p.s[p.i]) {
		p.i++
	}
	return p.s[from:p.i]
}

func isIdent(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *parser) eat(tok string) bool {
	if !strings.HasPrefix(p.s[p.i:], tok) {
		return false
	}
	p.i += len(tok)
	return true
}

func (p *parser) space() {
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
}
