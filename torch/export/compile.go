package export

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// compiler translates the graphs of a program to words.
type compiler struct {
	words   native.Words
	nodes   []node         // by number, without their inputs
	modal   []modal        // the modules with operators that depend on the mode, by number
	modalAt map[string]int // their numbers, by path
	depth   int            // of nested graphs
}

// deepestGraph is the limit on how deeply graphs are nested. Decoding a graph takes time for
// all graphs within it.
const deepestGraph = 20

// modal is a module with operators that depend on the mode.
type modal struct {
	path  string
	train bool // whether it was exported in training mode
}

// slots numbers the values of one graph.
type slots map[string]int

// of returns the slot of a value that was computed before.
func (s slots) of(name string) (int, error) {
	if at, ok := s[name]; ok {
		return at, nil
	}
	return 0, fmt.Errorf("a value %.80q that is not computed before", name)
}

// new returns the slot for a value that is computed now.
func (s slots) new(name string) int {
	if _, ok := s[name]; !ok {
		s[name] = len(s)
	}
	return s[name]
}

// nodeError is an error about one node of a program.
type nodeError struct {
	node *node
	kind error // of the error for the file
	err  error
}

func (e *nodeError) Error() string { return e.err.Error() + " (" + e.node.String() + ")" }

func (e *nodeError) Unwrap() error { return e.err }

// String describes the node for errors, such as `node "mm", torch.ops.aten.mm.default, from
// model.py line 7 in forward: y = x @ w`.
func (n *node) String() string {
	s := fmt.Sprintf("node %.80q, %.80s", cmp.Or(n.Name, n.result()), plain.Text(n.Target))
	if where := n.line(); where != "" {
		s += ", from " + where
	}
	return s
}

// result returns the name of the first result.
func (n *node) result() string {
	for _, o := range n.Outputs {
		if name := o.name(); name != "" {
			return name
		}
	}
	return ""
}

// line returns the line of Python code that the node came from, or "".
func (n *node) line() string {
	// Each call has a line `File "model.py", line 7, in forward` and then the code. The
	// innermost one comes last. Calls within PyTorch say less than the one before them.
	var found string
	for call := range strings.SplitSeq(n.Metadata["stack_trace"], `File "`) {
		head, code, _ := strings.Cut(call, "\n")
		file, rest, ok := strings.Cut(head, `", `)
		if !ok || found != "" && (strings.HasPrefix(file, "torch/") || strings.Contains(file, "site-packages/torch/")) {
			continue
		}
		code, _, _ = strings.Cut(strings.TrimSpace(code), "\n")
		found = fmt.Sprintf("%.200s %.80s: %.120s", plain.Text(file), plain.Text(strings.ReplaceAll(rest, ",", "")),
			plain.Text(code))
	}
	return found
}

// unsupported is an error about a feature that this package does not have.
type unsupported string

func (e unsupported) Error() string { return string(e) }

// kindOf returns the kind of the error for the file.
func kindOf(err error) error {
	var u unsupported
	if errors.As(err, &u) {
		return torch.ErrUnsupported
	}
	return torch.ErrFormat
}

// inputs are the names of the inputs of a graph, "" for a constant.
type inputs []string

// graph translates one graph. outputs are the values that it returns. An input without a
// name is a constant that the graph does not use.
func (c *compiler) graph(g *graph, in inputs, outputs []union) (slots, error) {
	if c.depth == deepestGraph {
		return nil, errors.New("graphs that are nested too deeply")
	}
	c.depth++
	defer func() { c.depth-- }()
	s := slots{}
	for i, name := range in {
		if name == "" {
			name = fmt.Sprintf("\x00%d", i) // no value has this name
		}
		if _, twice := s[name]; twice {
			return nil, fmt.Errorf("two inputs %.80q", name)
		}
		s.new(name)
	}
	size := len(c.words)
	c.words.Add(0, uint64(len(in))) // the number of slots is known at the end
	for i := range in {
		c.words.Add(uint64(i))
	}
	c.words.Add(uint64(len(g.Nodes)))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		number := len(c.nodes)
		c.nodes = append(c.nodes, node{Target: n.Target, Outputs: n.Outputs, Metadata: n.Metadata, Name: n.Name})
		if err := c.node(n, number, s); err != nil {
			var inner *nodeError
			if !errors.As(err, &inner) {
				err = &nodeError{node: n, kind: kindOf(err), err: err}
			}
			return nil, err
		}
		n.Inputs = nil // frees memory
	}
	if err := c.list(outputs, s); err != nil {
		return nil, err
	}
	c.words[size] = uint64(len(s))
	return s, nil
}

func (c *compiler) node(n *node, number int, s slots) error {
	namespace, name, overload, isOp := operator(n.Target)
	switch {
	case isOp && namespace == "higher_order":
		return c.block(n, name, number, s)
	case isOp:
		c.words.Add(native.CallNode, uint64(number))
		c.words.Text(namespace + "::" + name)
		c.words.Text(overload)
		c.words.Add(uint64(len(n.Inputs)))
		for _, in := range n.Inputs {
			c.words.Text(in.Name)
			if err := c.operand(n, name, in, s); err != nil {
				return fmt.Errorf("argument %.80q: %w", in.Name, err)
			}
		}
	case strings.HasPrefix(n.Target, "_operator."), strings.HasPrefix(n.Target, "math."),
		strings.HasPrefix(n.Target, "torch."):
		c.words.Add(native.Symbol, uint64(number))
		c.words.Text(n.Target)
		c.words.Tag(native.List, len(n.Inputs))
		for _, in := range n.Inputs {
			if err := c.argument(in.Arg, s); err != nil {
				return err
			}
		}
	default:
		return unsupported("an operator of a kind that is not supported")
	}
	return c.results(n.Outputs, s, false)
}

// operator splits a target such as torch.ops.aten.add.Tensor.
func operator(target string) (namespace, name, overload string, ok bool) {
	rest, ok := strings.CutPrefix(target, "torch.ops.")
	if !ok {
		return "", "", "", false
	}
	parts := strings.Split(rest, ".")
	switch {
	case len(parts) == 2:
		return parts[0], parts[1], "", true
	case len(parts) == 3 && parts[2] == "default":
		return parts[0], parts[1], "", true
	case len(parts) == 3:
		return parts[0], parts[1], parts[2], true
	}
	return "", "", "", false
}

// results writes where the results of a node go. If flat is true, the node returns the
// elements of a list one by one.
func (c *compiler) results(outputs []union, s slots, flat bool) error {
	var w native.Words
	n := 0
	for _, u := range outputs {
		switch u.kind {
		case "as_tensors":
			l, err := read[[]struct{ Name string }](u)
			if err != nil {
				return err
			}
			if !flat {
				w.Tag(native.List, len(l))
				n++
			}
			for _, item := range l {
				w.Tag(native.Slot, s.new(item.Name))
				if flat {
					n++
				}
			}
			continue
		case "as_tensor":
			w.Tag(native.Slot, s.new(u.name()))
		case "as_sym_int", "as_sym_float", "as_sym_bool":
			inner, err := read[union](u)
			if err != nil {
				return err
			}
			if name, err := read[string](inner); err == nil && inner.kind == "as_name" {
				w.Tag(native.Slot, s.new(name))
			} else {
				w.Tag(native.None, 0)
			}
		default:
			w.Tag(native.None, 0)
		}
		n++
	}
	c.words.Add(uint64(n))
	c.words.Add(w...)
	return nil
}
