package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// An Option is an option of [Export] and [Func]: [DynamicShapes], [ArgNames] or [Check].
//
//gotorch:options DynamicShapes ArgNames Check
type Option interface{ option() }

// DynamicShapes says which sizes of the inputs may differ from call to call: for each input
// the dimensions, each with a [Dim]. Missing entries stay as they are in the example.
type DynamicShapes []map[int64]Dim

// Dim is a size that may differ from call to call. Dimensions with the same name have the
// same size. Max is 0 if there is no limit. Follows torch.export.Dim.
type Dim struct {
	Name     string
	Min, Max int64
}

// ArgNames are the names of the inputs. Errors use them, and Python's ONNX exporter. The
// default is "x", or "x_0", "x_1" and so on for several.
type ArgNames []string

// Check says whether the layer is called with other values, and with sizes that are far from
// those of the example, to check that the program computes the same. The default is true.
type Check bool

// settings are the values of the options.
type settings struct {
	args    []string
	check   bool
	symbols []symbol
}

// symbol is a size that may differ, and the dimensions that have it.
type symbol struct {
	Dim
	at []inputDim
}

func readSettings(op string, inputs []*torch.Tensor, opts []Option) *settings {
	s := &settings{check: true}
	var shapes DynamicShapes
	for _, o := range opts {
		switch o := o.(type) {
		case DynamicShapes:
			shapes = o
		case ArgNames:
			s.args = slices.Clone(o)
		case Check:
			s.check = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if s.args == nil {
		for i := range inputs {
			s.args = append(s.args, fmt.Sprintf("x_%d", i))
		}
		if len(inputs) == 1 {
			s.args[0] = "x"
		}
	}
	if len(s.args) != len(inputs) {
		panic(torch.NewError(op, torch.ErrValue, "ArgNames",
			fmt.Sprintf("%d names for %d inputs", len(s.args), len(inputs))))
	}
	for i, name := range s.args {
		if !identifier(name) || slices.Index(s.args, name) < i {
			panic(torch.NewError(op, torch.ErrValue, "ArgNames",
				fmt.Sprintf("%.80q is no identifier of Python, a reserved word, or occurs twice", name)))
		}
	}
	s.read(op, inputs, shapes)
	return s
}

// reserved are words that cannot be names in Python code of a program: Python's keywords, and
// what that code uses itself.
var reserved = strings.Fields("False None True and as assert async await break class continue def del elif else " +
	"except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield " +
	"self torch device inf nan NoneType fx_pytree pytree")

// identifier reports whether a name can be that of an argument in Python.
func identifier(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(reserved, name)
}

// read reads which sizes may differ.
func (s *settings) read(op string, inputs []*torch.Tensor, shapes DynamicShapes) {
	bad := func(format string, args ...any) {
		panic(torch.NewError(op, torch.ErrValue, "DynamicShapes", fmt.Sprintf(format, args...)))
	}
	if len(shapes) > len(inputs) {
		bad("%d entries for %d inputs", len(shapes), len(inputs))
	}
	for i, dims := range shapes {
		for d := range inputs[i].Dim() {
			dim, ok := dims[d]
			if !ok {
				continue
			}
			size := inputs[i].Size(d)
			if size < 2 || size < dim.Min || dim.Max != 0 && size > dim.Max {
				bad("dimension %d of input %d has size %d in the example, expected at least 2 and within the "+
					"limits of %+v", d, i, size, dim)
			}
			k := slices.IndexFunc(s.symbols, func(y symbol) bool { return y.Name == dim.Name })
			switch {
			case k < 0 || dim.Name == "":
				s.symbols = append(s.symbols, symbol{dim, nil})
				k = len(s.symbols) - 1
			case s.symbols[k].Dim != dim:
				bad("two dimensions %.80q with different limits", dim.Name)
			case s.symbols[k].size(inputs) != size:
				bad("dimension %d of input %d has size %d, but another dimension %.80q has size %d", d, i, size,
					dim.Name, s.symbols[k].size(inputs))
			}
			s.symbols[k].at = append(s.symbols[k].at, inputDim{i, d})
		}
		for d := range dims {
			if d < 0 || d >= inputs[i].Dim() {
				bad("input %d has no dimension %d; it has %d", i, d, inputs[i].Dim())
			}
		}
	}
}

// size returns the size in the example.
func (y *symbol) size(inputs []*torch.Tensor) int64 { return inputs[y.at[0].input].Size(y.at[0].dim) }
