package export

import (
	"fmt"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/torch"
)

// writer makes the program that torch.export would write, from calls of a function that
// were recorded at different sizes of the inputs.
type writer struct {
	*recorder
	args    []string // the names of the inputs
	dims    []inputDim
	points  *points
	calls   []*recorded // at the points
	g       graph
	names   []string          // of the values, by number
	used    map[string]int    // how often a name was wanted
	numbers map[string]string // the values that are numbers, by their form
}

// inputDim is a dimension of an input whose size is a symbol. There is one for each symbol.
type inputDim struct {
	input int
	dim   int64
}

// unlike is the error for calls that differ in more than sizes.
type unlike string

func (e unlike) Error() string { return string(e) }

func (w *writer) fail(format string, args ...any) { panic(unlike(fmt.Sprintf(format, args...))) }

// program returns the program. It returns a tuple unless there is exactly one result.
func (w *writer) program() (e *exportedProgram, err error) {
	defer func() {
		if v := recover(); v != nil {
			u, ok := v.(unlike)
			if !ok {
				panic(v)
			}
			err = u
		}
	}()
	first := w.calls[0]
	for _, c := range w.calls[1:] {
		if len(c.nodes) != len(first.nodes) || len(c.constants) != len(first.constants) {
			w.fail("the function calls other operators for inputs of other sizes")
		}
		for i, k := range first.constants {
			if !identical(k.tensor, c.constants[i].tensor) {
				w.fail("%s", w.about(k.number+1, fmt.Sprintf("a tensor %v that Go code made depends on the sizes of "+
					"the inputs: compute it with operators", k.tensor.Shape())))
			}
		}
		if !slices.Equal(c.results, first.results) {
			w.fail("the function returns other tensors for inputs of other sizes")
		}
	}
	w.used, w.numbers = map[string]int{}, map[string]string{}
	for _, word := range reserved {
		w.used[word] = 1
	}
	w.g = graph{
		Nodes: []node{}, Inputs: []union{}, Tensors: map[string]tensorMeta{}, Ints: map[string]union{},
		Bools: map[string]union{},
	}
	facts := w.facts()
	w.names = make([]string, len(facts))
	s := w.inputs()
	for i := range w.dims {
		w.size(i)
	}
	for i := range first.nodes {
		w.node(i)
	}
	for i, f := range facts {
		if w.names[i] != "" {
			w.g.Tensors[w.names[i]] = f
		}
	}
	outs := `{"type": null, "context": null, "children_spec": []}`
	leaves := slices.Repeat([]string{outs}, len(first.results))
	if len(leaves) != 1 {
		outs = `{"type": "builtins.tuple", "context": "null", "children_spec": [` + strings.Join(leaves, ", ") + `]}`
	}
	for _, r := range first.results {
		out := tensorUnion(w.names[r])
		w.g.Outputs = append(w.g.Outputs, out)
		s.Outputs = append(s.Outputs, member("user_output", map[string]any{"arg": out}))
	}
	ranges := map[string]limits{}
	for _, name := range w.points.names {
		ranges[name] = limits{}
	}
	return &exportedProgram{
		GraphModule:  graphModule{w.g, s, w.modulesOf(outs), map[string]string{}, map[string]namedTuple{}},
		OpsetVersion: map[string]int{"aten": 10}, RangeConstraints: ranges,
		SchemaVersion: schemaVersion{8, 17}, Verifiers: []string{"TRAINING"}, TorchVersion: torch.Version(),
	}, nil
}

// modulesOf returns the entry for the call of the program, and those for its modules.
func (w *writer) modulesOf(outs string) []moduleCall {
	const leaf = `{"type": null, "context": null, "children_spec": []}`
	leaves := strings.Join(slices.Repeat([]string{leaf}, len(w.args)), ", ")
	in := `[1, {"type": "builtins.tuple", "context": "null", "children_spec": [` +
		`{"type": "builtins.tuple", "context": "null", "children_spec": [` + leaves + `]}, ` +
		`{"type": "builtins.dict", "context": "[]", "children_spec": []}]}]`
	all := []moduleCall{{"", &callSignature{[]union{}, []union{}, in, "[1, " + outs + "]", w.args}}}
	for _, m := range w.paths {
		if m.path != "" {
			all = append(all, moduleCall{m.path, nil})
		}
	}
	return all
}

// inputs writes the inputs of the graph, and returns the signature without its outputs.
func (w *writer) inputs() signature {
	var s signature
	add := func(number int, name string, spec func(name string) union) {
		name = w.name(name)
		w.names[number] = name
		w.g.Inputs = append(w.g.Inputs, tensorUnion(name))
		s.Inputs = append(s.Inputs, spec(name))
	}
	type arg struct {
		Name string `json:"name"`
	}
	for i, t := range w.tensors {
		if i < w.params {
			add(i, "p_"+t.name, func(name string) union {
				return member("parameter", map[string]any{"arg": arg{name}, "parameter_name": t.name})
			})
			continue
		}
		add(i, "b_"+t.name, func(name string) union {
			return member("buffer", map[string]any{
				"arg": arg{name}, "buffer_name": t.name, "persistent": t.persistent,
			})
		})
	}
	for i, c := range w.calls[0].constants {
		add(c.number, constantName(i), func(name string) union {
			return member("tensor_constant", map[string]any{"arg": arg{name}, "tensor_constant_name": constantName(i)})
		})
	}
	for i, name := range w.args {
		add(len(w.tensors)+i, name, func(name string) union {
			return member("user_input", map[string]any{"arg": tensorUnion(name)})
		})
	}
	return s
}

func constantName(i int) string { return fmt.Sprintf("lifted_tensor_%d", i) }

// name returns a name for a value that is not used yet: a Python identifier.
func (w *writer) name(want string) string {
	want = strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, want)
	if want[0] >= '0' && want[0] <= '9' {
		want = "_" + want
	}
	name := want
	for {
		n := w.used[want]
		w.used[want]++
		if n > 0 {
			name = fmt.Sprintf("%s_%d", want, n)
		}
		if name == want || w.used[name] == 0 {
			break
		}
	}
	w.used[name] = max(w.used[name], 1)
	return name
}

func tensorUnion(name string) union { return member("as_tensor", map[string]string{"name": name}) }

// node adds node i of the recordings.
func (w *writer) node(i int) {
	c := &w.calls[0].nodes[i]
	for _, other := range w.calls[1:] {
		if o := &other.nodes[i]; o.name != c.name || o.overload != c.overload || len(o.args) != len(c.args) {
			w.fail("%s", c.at("the function calls another operator here for inputs of other sizes"))
		} else if fmt.Sprint(o.results) != fmt.Sprint(c.results) {
			w.fail("%s", c.at("the operator has another number of results for inputs of other sizes"))
		}
	}
	short := c.name[strings.LastIndex(c.name, "::")+2:]
	n := node{
		Target:   "torch.ops." + strings.Replace(c.name, "::", ".", 1) + "." + overloadName(c.overload),
		Metadata: w.metadata(c), Inputs: []namedArgument{}, Outputs: []union{},
	}
	for k, a := range c.args {
		all := make([]any, len(w.calls))
		for j, other := range w.calls {
			all[j] = other.nodes[i].args[k].value
		}
		kind := 1
		if a.keyword {
			kind = 2
		}
		n.Inputs = append(n.Inputs, namedArgument{a.name, w.argument(c, a.kind, all), kind})
	}
	for _, r := range c.results {
		n.Outputs = append(n.Outputs, w.result(short, r))
	}
	n.Name = w.nodeName(short, n.Outputs)
	w.g.Nodes = append(w.g.Nodes, n)
}

// nodeName returns the name of a node: that of its only result, or a new one.
func (w *writer) nodeName(short string, outs []union) string {
	if len(outs) == 1 && outs[0].kind == "as_tensor" {
		return outs[0].name()
	}
	return w.name(short)
}

func overloadName(overload string) string {
	if overload == "" {
		return "default"
	}
	return overload
}

// metadata returns where a node came from.
func (w *writer) metadata(c *call) map[string]string {
	m := map[string]string{}
	if line := c.line(); line != "" {
		m["stack_trace"] = line
	}
	var stack []string
	for at := c.module; at >= 0; at = w.paths[at].above {
		p := w.paths[at]
		key := "L__self__"
		if p.path != "" {
			key += strings.ReplaceAll(p.path, ".", "_")
		}
		stack = append(stack, key+","+p.path+","+identifierPath(p.class))
	}
	if len(stack) > 0 {
		slices.Reverse(stack)
		m["nn_module_stack"] = strings.Join(stack, ";")
	}
	return m
}

// identifierPath returns the name of a class without the characters that separate entries.
func identifierPath(class string) string {
	return strings.NewReplacer(",", "_", ";", "_").Replace(class)
}

// result returns where a result of a node goes, and names it.
func (w *writer) result(short string, r any) union {
	switch r := r.(type) {
	case native.SlotNumber:
		w.names[r] = w.name(short)
		return tensorUnion(w.names[r])
	case []any:
		all := make([]map[string]string, len(r))
		for i, v := range r {
			n, ok := v.(native.SlotNumber)
			if !ok {
				w.fail("%s returns a list with an element that is no tensor", short)
			}
			w.names[n] = w.name("getitem")
			all[i] = map[string]string{"name": w.names[n]}
		}
		return member("as_tensors", all)
	}
	return member("as_none", true)
}
