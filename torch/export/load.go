package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Load] and [LoadFrom]: [ModelName].
//
//gotorch:options ModelName
type LoadOption interface{ loadOption() }

// ModelName is the name of the program, for a file that contains several. The default is
// the file's only program, or else "model", the name that torch.export.save uses.
type ModelName string

// Load reads a program written by torch.export.save. The module is in the mode in which it
// was exported. Its tensors are on the CPU and belong to no scope.
//
// The error is a [*torch.FileError]; see the package documentation. Invalid options panic
// with a *torch.Error. Follows torch.export.load, and module of ExportedProgram.
func Load(path string, opts ...LoadOption) (*Module, error) {
	const op = "export.Load"
	name := opt.Read(op, opts, ModelName(""))
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	return load(op, f, size, path, string(name))
}

// LoadFrom is like [Load] for the first size bytes of r. A nil r gives a *torch.Error of
// kind ErrNil.
func LoadFrom(r io.ReaderAt, size int64, opts ...LoadOption) (*Module, error) {
	const op = "export.LoadFrom"
	name := opt.Read(op, opts, ModelName(""))
	if r == nil {
		return nil, torch.NewError(op, torch.ErrNil, "r", "a nil reader")
	}
	return load(op, r, size, "", string(name))
}

func load(op string, r io.ReaderAt, size int64, path, name string) (*Module, error) {
	a, err := openArchive(r, size, path)
	if err != nil {
		return nil, err
	}
	model, err := a.choose(name)
	if err != nil {
		return nil, err
	}
	entry := a.program(model)
	text, err := a.bytes(entry)
	if err != nil {
		return nil, err
	}
	var e exportedProgram
	if err := a.decode(entry, text, &e); err != nil {
		return nil, err
	}
	if e.SchemaVersion.Major != 8 {
		return nil, a.Fail(a.Entries[entry], torch.ErrUnsupported, "a program in version %d of the format, written by "+
			"PyTorch %.20q; this package reads version 8", e.SchemaVersion.Major, e.TorchVersion)
	}
	p, err := e.compile(op)
	if err != nil {
		return nil, a.refuse(entry, err)
	}
	p.text = text
	if p.sample, err = a.sample(model); err != nil {
		p.free()
		return nil, err
	}
	w, err := a.weights(model)
	if err != nil {
		p.free()
		return nil, err
	}
	m, err := newModule(p, w)
	if err != nil {
		p.free()
		w.close()
		return nil, a.refuse(entry, err)
	}
	return m, nil
}

// refuse returns the error for a program that cannot be run.
func (a *archive) refuse(entry string, err error) error {
	kind := kindOf(err)
	var ne *nodeError
	if errors.As(err, &ne) {
		kind = ne.kind
	}
	return a.Fail(a.Entries[entry], kind, "%.1000s", err)
}

// program is a program that was built. It does not change, and all copies of a module use
// it.
type program struct {
	handle native.Program
	object named.Object

	args, kwargs, result *tree
	inputs               []input
	nodes                []node   // by number, for errors
	argNames             []string // of the positional arguments
	ranges               map[string]limits
	classes              map[string]string // the names of the classes of modules, by path
	modal                []modal           // the modules with operators that depend on the mode, by number
	training             bool              // whether it is in training mode although no operator depends on the mode
	text, sample         []byte            // the program and its example inputs as files have them, for Save
}

// input is one input of the graph.
type input struct {
	kind inputKind
	name string // of the tensor in the module, or of the argument
	want any    // the value of a constant argument

	is         string // the kind of an argument, such as "as_tensor" or "as_sym_int"
	dims       []dim  // the sizes of an argument that is a tensor, or the value of an integer
	persistent bool   // whether a buffer is part of the state dict
	meta       tensorMeta
}

type inputKind int8

const (
	argument inputKind = iota
	parameter
	buffer
	constantTensor
	constantArgument
	token
)

func (p *program) free() {
	native.Free(p.handle)
	p.object.Gone()
}

// compile builds the program.
func (e *exportedProgram) compile(op string) (*program, error) {
	g := &e.GraphModule
	p := &program{ranges: e.RangeConstraints, classes: map[string]string{}}
	if err := p.readCall(g); err != nil {
		return nil, err
	}
	names, err := p.readInputs(g)
	if err != nil {
		return nil, err
	}
	outputs, writes, err := readOutputs(g.Signature.Outputs)
	if err != nil {
		return nil, err
	}
	if len(outputs) != p.result.leaves {
		return nil, fmt.Errorf("%d outputs, but a result %.80s", len(outputs), p.result)
	}
	var c compiler
	s, err := c.graph(&g.Graph, names, outputs)
	if err != nil {
		return nil, err
	}
	if err := c.writes(writes, p.inputs, names, s); err != nil {
		return nil, err
	}
	p.nodes, p.modal = c.nodes, c.modal
	for i := range p.nodes {
		p.nodes[i].eachModule(func(path, class string) { p.classes[path] = class })
	}
	var handle native.Program
	number := int64(-1)
	if err := torch.Try(func() {
		r := torch.BeginRaw(op)
		var st abi.Status
		handle, number, st = native.Build(r.Ctx&^(abi.CtxInference|abi.CtxNoGrad), c.words)
		r.Status(st)
	}); err != nil {
		kind := torch.ErrFormat
		if errors.Is(err, torch.ErrUnsupported) || errors.Is(err, torch.ErrNotImplemented) {
			kind = torch.ErrUnsupported
		}
		if number >= 0 {
			return nil, &nodeError{&c.nodes[number], kind, err}
		}
		return nil, err
	}
	p.handle, p.object = handle, named.Made(named.Programs)
	return p, nil
}

// readCall reads how the program is called.
func (p *program) readCall(g *graphModule) error {
	for _, c := range g.ModuleCalls {
		if c.Name != "" || c.Signature == nil {
			continue
		}
		var err error
		if p.args, p.kwargs, err = callTree(c.Signature.In); err != nil {
			return err
		}
		if p.result, err = parseTree(c.Signature.Out); err != nil {
			return err
		}
		p.argNames = c.Signature.ArgNames
		return nil
	}
	return errors.New("it does not say how it is called")
}

// readInputs reads what the inputs of the graph are, and returns their names in the graph.
func (p *program) readInputs(g *graphModule) (inputs, error) {
	names := make(inputs, len(g.Signature.Inputs))
	leaves := 0
	for i, u := range g.Signature.Inputs {
		in, name, err := readInput(u, &g.Graph)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		in.meta = g.Graph.Tensors[name]
		if in.kind == argument || in.kind == constantArgument {
			leaves++
		}
		names[i] = name
		p.inputs = append(p.inputs, in)
	}
	if all := p.args.leaves + p.kwargs.leaves; leaves != all {
		return nil, fmt.Errorf("%d arguments, but a structure of %d", leaves, all)
	}
	return names, nil
}

// readInput reads what one input is. Its name in the graph is "" for a constant.
func readInput(u union, g *graph) (in input, name string, err error) {
	if u.kind == "user_input" {
		v, err := read[struct{ Arg union }](u)
		name = inputName(v.Arg)
		in = input{kind: argument, name: name, is: v.Arg.kind}
		switch {
		case err != nil:
		case in.is == "as_custom_obj":
			err = unsupported("an argument that is an object of a C++ class is not supported")
		case in.is == "as_tensor":
			in.dims = readDims(g.Tensors[name].Sizes)
		case in.is == "as_sym_int" && name != "":
			in.dims = readDims([]union{g.Ints[name]})
		case name == "":
			in.kind = constantArgument
			in.want, err = constant(v.Arg)
		}
		return in, name, err
	}
	v, err := read[struct {
		Arg        struct{ Name string }
		Parameter  string `json:"parameter_name"`
		Buffer     string `json:"buffer_name"`
		Constant   string `json:"tensor_constant_name"`
		Name       string
		Value      union
		Persistent bool
	}](u)
	if err != nil {
		return in, "", err
	}
	switch u.kind {
	case "parameter":
		return input{kind: parameter, name: v.Parameter}, v.Arg.Name, nil
	case "buffer":
		return input{kind: buffer, name: v.Buffer, persistent: v.Persistent}, v.Arg.Name, nil
	case "tensor_constant":
		return input{kind: constantTensor, name: v.Constant}, v.Arg.Name, nil
	case "token":
		return input{kind: token}, v.Arg.Name, nil
	case "constant_input":
		want, err := constant(v.Value)
		return input{kind: constantArgument, name: v.Name, want: want}, "", err
	}
	return in, "", unsupported(fmt.Sprintf("an input of the kind %.40q is not supported", u.kind))
}

// constant returns the value of a constant argument.
func constant(u union) (any, error) {
	switch u.kind {
	case "as_none":
		return nil, nil
	case "as_int":
		return read[int64](u)
	case "as_float":
		f, err := read[decimal](u)
		return float64(f), err
	case "as_bool":
		return read[bool](u)
	case "as_string":
		return read[string](u)
	}
	return nil, fmt.Errorf("a constant %.40q", u.kind)
}

// write is a value that a run copies into a tensor.
type write struct {
	from string // the name of the value
	kind inputKind
	to   string // the name of the tensor, or of an argument in the graph
}

// readOutputs returns what the program returns, and what it writes.
func readOutputs(all []union) (outputs []union, writes []write, err error) {
	for i, u := range all {
		if u.kind == "user_output" {
			v, err := read[struct{ Arg union }](u)
			if err != nil {
				return nil, nil, fmt.Errorf("output %d: %w", i, err)
			}
			outputs = append(outputs, v.Arg)
			continue
		}
		v, err := read[struct {
			Arg struct {
				Name string `json:"name"`
			}
			Buffer    string `json:"buffer_name"`
			Parameter string `json:"parameter_name"`
			Input     string `json:"user_input_name"`
		}](u)
		if err != nil {
			return nil, nil, fmt.Errorf("output %d: %w", i, err)
		}
		switch u.kind {
		case "loss_output":
			raw, err := json.Marshal(v.Arg)
			if err != nil {
				return nil, nil, fmt.Errorf("output %d: %w", i, err)
			}
			outputs = append(outputs, union{kind: "as_tensor", raw: raw})
		case "buffer_mutation":
			writes = append(writes, write{v.Arg.Name, buffer, v.Buffer})
		case "parameter_mutation":
			writes = append(writes, write{v.Arg.Name, parameter, v.Parameter})
		case "user_input_mutation":
			writes = append(writes, write{v.Arg.Name, argument, v.Input})
		case "token":
		default:
			return nil, nil, unsupported(fmt.Sprintf("an output of the kind %.40q is not supported", u.kind))
		}
	}
	return outputs, writes, nil
}

// writes adds to the program what it writes.
func (c *compiler) writes(all []write, in []input, names inputs, s slots) error {
	c.words.Add(uint64(len(all)))
	for _, w := range all {
		from, err := s.of(w.from)
		if err != nil {
			return err
		}
		to := slices.IndexFunc(in, func(i input) bool { return i.kind == w.kind && i.name == w.to })
		if to < 0 || names[to] == "" {
			return fmt.Errorf("it writes to %.80q, which it does not have", w.to)
		}
		at, err := s.of(names[to])
		if err != nil {
			return err
		}
		c.words.Add(uint64(from), uint64(at))
	}
	return nil
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
