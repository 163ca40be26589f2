package export

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/export"
)

// block translates a node that runs graphs of its own: a higher-order operator of PyTorch.
func (c *compiler) block(n *node, name string, number int, s slots) error {
	var args, rest []union
	var graphs []*graph
	for i, in := range n.Inputs {
		switch {
		case in.Arg.kind == "as_graph":
			g, err := read[struct{ Graph graph }](in.Arg)
			if err != nil {
				return err
			}
			n.Inputs[i].Arg.raw = nil // frees memory
			graphs = append(graphs, &g.Graph)
		case len(graphs) == 0:
			args = append(args, in.Arg)
		default:
			rest = append(rest, in.Arg)
		}
	}
	kinds := map[string]struct{ kind, args, graphs int }{
		"cond":                       {native.Cond, 1, 2},
		"while_loop":                 {native.While, 0, 2},
		"wrap_with_set_grad_enabled": {native.Grad, 1, 1},
		"wrap_with_autocast":         {native.Autocast, 4, 1},
	}
	k, ok := kinds[name]
	switch {
	case !ok:
		return unsupported(fmt.Sprintf(
			"the control flow %.80q is not supported: use cond, while_loop, or a loop in Python", name))
	case len(args) != k.args || len(graphs) != k.graphs:
		return fmt.Errorf("%.80q with %d arguments and %d graphs, expected %d and %d", name, len(args), len(graphs),
			k.args, k.graphs)
	}
	c.words.Add(uint64(k.kind), uint64(number))
	if err := c.operands(k.kind, args, rest, s); err != nil {
		return err
	}
	c.words.Add(uint64(len(graphs)))
	for _, g := range graphs {
		names := make(inputs, len(g.Inputs))
		for i, u := range g.Inputs {
			names[i] = inputName(u)
		}
		if _, err := c.graph(g, names, g.Outputs); err != nil {
			return err
		}
	}
	return c.results(n.Outputs, s, true)
}

// operands writes the arguments of a block as one list: args, and then those of its graphs
// as one list, or as two for a loop.
func (c *compiler) operands(kind int, args, rest []union, s slots) error {
	if kind == native.While || kind == native.Cond {
		// the operands are lists already, and an empty list may be left out
		lists := map[int]int{native.While: 2, native.Cond: 1}[kind]
		c.words.Tag(native.List, len(args)+lists)
		for len(rest) < lists {
			rest = append(rest, union{kind: "as_ints", raw: []byte("[]")})
		}
		if len(rest) > lists {
			return fmt.Errorf("%d lists of operands", len(rest))
		}
		for _, u := range append(args, rest...) {
			if err := c.argument(u, s); err != nil {
				return err
			}
		}
		return nil
	}
	c.words.Tag(native.List, len(args)+1)
	for _, u := range args {
		if err := c.argument(u, s); err != nil {
			return err
		}
	}
	return c.list(rest, s)
}

// inputName returns the name of an input of a graph, or "" for a constant.
func inputName(u union) string {
	switch u.kind {
	case "as_tensor", "as_custom_obj":
		return u.name()
	case "as_sym_int", "as_sym_float", "as_sym_bool":
		inner, err := read[union](u)
		if err != nil || inner.kind != "as_name" {
			return ""
		}
		name, _ := read[string](inner)
		return name
	}
	return ""
}
