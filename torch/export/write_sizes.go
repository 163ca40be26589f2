package export

import (
	"cmp"
	"fmt"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/export"
)

// size adds the node that reads the size that symbol i stands for.
func (w *writer) size(i int) {
	d := w.dims[i]
	f := &form{terms: []term{{1, []int{i}}}, divisor: 1, hint: w.points.at[0][i]}
	w.number(f, "sym_size_int", "torch.ops.aten.sym_size.int",
		namedArgument{"self", tensorUnion(w.names[len(w.tensors)+d.input]), 1},
		namedArgument{"dim", member("as_int", d.dim), 1})
}

// number adds a node that computes a number, and returns its name.
func (w *writer) number(f *form, name, target string, args ...namedArgument) string {
	name = w.name(name)
	w.g.Nodes = append(w.g.Nodes, node{
		Target: target, Inputs: args, Name: name, Metadata: map[string]string{},
		Outputs: []union{member("as_sym_int", member("as_name", name))},
	})
	w.g.Ints[name] = f.symbolic(w.points.names)
	w.numbers[f.text(w.points.names)] = name
	return name
}

// computed returns the name of the value of a form, and adds nodes that compute it.
func (w *writer) computed(f *form) string {
	if name, ok := w.numbers[f.text(w.points.names)]; ok {
		return name
	}
	sym := func(name string) union { return member("as_sym_int", member("as_name", name)) }
	binary := func(f *form, name string, a, b union) string {
		return w.number(f, name, "_operator."+name, namedArgument{"a", a, 1}, namedArgument{"b", b, 1})
	}
	part := func(divisor int64, terms ...term) *form {
		p := &form{terms: terms, divisor: divisor}
		p.hint = p.value(w.points.at[0])
		return p
	}
	switch last := len(f.terms) - 1; {
	case f.divisor != 1:
		return binary(f, "floordiv", sym(w.computed(part(1, f.terms...))), member("as_int", f.divisor))
	case last > 0 && len(f.terms[last].symbols) == 0:
		return binary(f, "add", sym(w.computed(part(1, f.terms[:last]...))), member("as_int", f.terms[last].factor))
	case last > 0:
		return binary(f, "add", sym(w.computed(part(1, f.terms[:last]...))), sym(w.computed(part(1, f.terms[last]))))
	}
	t := f.terms[0]
	if t.factor != 1 {
		return binary(f, "mul", sym(w.computed(part(1, term{1, t.symbols}))), member("as_int", t.factor))
	}
	return binary(f, "mul", sym(w.computed(part(1, term{1, t.symbols[:1]}))),
		sym(w.computed(part(1, term{1, t.symbols[1:]}))))
}

// facts returns the descriptions of all values.
func (w *writer) facts() []tensorMeta {
	var all []tensorMeta
	number := 0
	at := make([]int, len(w.calls)) // the position in the facts of each call
	next := func() []int64 {
		ns := make([]int64, len(w.calls))
		for i, c := range w.calls {
			if at[i] >= len(c.facts) {
				w.fail("%s", w.about(number, "the function computes other values for inputs of other sizes"))
			}
			ns[i] = c.facts[at[i]]
			at[i]++
		}
		return ns
	}
	same := func(what string) int64 {
		ns := next()
		if slices.ContainsFunc(ns, func(n int64) bool { return n != ns[0] }) {
			w.fail("%s", w.about(number, "the result has another "+what+" for inputs of other sizes"))
		}
		return ns[0]
	}
	columns := func(n int64) [][]int64 {
		all := make([][]int64, n)
		for i := range all {
			all[i] = next()
		}
		return all
	}
	for at[0] < len(w.calls[0].facts) {
		number = len(all)
		m := tensorMeta{
			Sizes: []union{}, DType: numberOf(dtypes, int8(same("dtype"))), Device: device{Type: "cpu"}, Layout: 7,
		}
		m.RequiresGrad = same("requires_grad") != 0
		dims := same("number of dimensions")
		sizes, strides := columns(dims), columns(dims)
		for _, ns := range sizes {
			m.Sizes = append(m.Sizes, w.meta(number, ns))
		}
		m.Strides = w.strides(number, sizes, strides)
		m.Offset = w.meta(number, next())
		all = append(all, m)
	}
	return all
}

// strides returns the strides of a value. A stride that has no form itself may be the product
// of a size and a smaller stride.
func (w *writer) strides(number int, sizes, strides [][]int64) []union {
	us := make([]union, len(strides))
	texts := make([]string, len(strides))
	order := make([]int, len(strides))
	for d := range order {
		order[d] = len(order) - 1 - d
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strides[a][0], strides[b][0]) })
	for i, d := range order {
		product := func(j int) bool {
			for k, n := range strides[d] {
				if n != strides[j][k]*sizes[j][k] {
					return false
				}
			}
			return true
		}
		f := w.points.fit(strides[d])
		at := -1
		if f == nil {
			at = slices.IndexFunc(order[:i], product)
		}
		if at < 0 {
			us[d] = w.meta(number, strides[d])
			texts[d] = f.text(w.points.names)
			continue
		}
		j := order[at]
		texts[d] = several("Mul", []string{w.points.fit(sizes[j]).text(w.points.names), texts[j]})
		us[d] = expressed(texts[d], strides[d][0])
	}
	return us
}

// about adds to an error which call computes a value, or uses one from outside first.
func (w *writer) about(number int, text string) string {
	for i := range w.calls[0].nodes {
		c := &w.calls[0].nodes[i]
		if contains(c.results, number) {
			return c.at(text)
		}
	}
	for i := range w.calls[0].nodes {
		c := &w.calls[0].nodes[i]
		if slices.ContainsFunc(c.args, func(a operand) bool { return contains([]any{a.value}, number) }) {
			return c.at(text)
		}
	}
	return text
}

// contains reports whether a value is in a list, or in a list in it.
func contains(list []any, number int) bool {
	return slices.ContainsFunc(list, func(v any) bool {
		inner, ok := v.([]any)
		return v != nil && !ok && v == native.SlotNumber(number) || ok && contains(inner, number)
	})
}

// meta returns a number in the description of a value.
func (w *writer) meta(number int, ns []int64) union {
	f := w.points.fit(ns)
	switch {
	case f == nil:
		w.fail("%s", w.about(number, "a size of the result depends on the sizes of the inputs in a way that cannot be "+
			"expressed"))
	case f.fixed():
		return member("as_int", f.hint)
	}
	return f.symbolic(w.points.names)
}

// symbolic returns a form as a union of an expression and its value for the example.
func (f *form) symbolic(names []string) union {
	return expressed(f.text(names), f.hint)
}

// expressed returns an expression with its value for the example.
func expressed(text string, hint int64) union {
	return member("as_expr", map[string]any{"expr_str": text, "hint": member("as_int", hint)})
}

// numberOf returns the number that torch.export gives to one of libtorch's.
func numberOf(all map[int]int8, code int8) int {
	for n, c := range all {
		if c == code {
			return n
		}
	}
	panic(unlike(fmt.Sprintf("a value of the kind %d, which programs do not have", code)))
}
