package export

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// recorder calls a function and records the operators that it calls.
type recorder struct {
	op       string
	m        nn.Module // may be nil
	fn       func(in []*torch.Tensor) []*torch.Tensor
	tensors  []given // the parameters of the module, then its buffers
	params   int     // how many of them are parameters
	modules  map[nn.Module]int
	paths    []module // of the modules, by number
	saved    []*torch.Tensor
	training bool // the mode of the module
	rng      *torch.Tensor
}

// given is a tensor of the module.
type given struct {
	name       string
	tensor     *torch.Tensor
	persistent bool
}

// module is a module within the one that is exported.
type module struct {
	path, class string
	above       int // the number of the module around it, or -1
}

// newRecorder inspects m, which may be nil. Close it.
func newRecorder(op string, m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor) *recorder {
	r := &recorder{op: op, m: m, fn: fn, modules: map[nn.Module]int{}}
	if m != nil {
		for _, p := range m.ModuleBase().NamedParameters(nn.RemoveDuplicate(false)) {
			r.tensors = append(r.tensors, given{p.Name, p.Tensor, true})
		}
		r.params = len(r.tensors)
		kept := m.ModuleBase().StateDict().Names()
		for _, b := range m.ModuleBase().NamedBuffers(nn.RemoveDuplicate(false)) {
			r.tensors = append(r.tensors, given{b.Name, b.Tensor, slices.Contains(kept, b.Name)})
		}
		r.number("", m, -1)
		r.training = m.ModuleBase().Training()
	}
	for _, b := range r.tensors[r.params:] {
		r.saved = append(r.saved, torch.Disown(b.tensor.Detach().Clone()))
	}
	r.rng = torch.Disown(torch.RNGState())
	return r
}

// number gives m and the modules in it numbers.
func (r *recorder) number(path string, m nn.Module, above int) {
	if _, twice := r.modules[m]; twice {
		return
	}
	at := len(r.paths)
	r.modules[m] = at
	r.paths = append(r.paths, module{path, m.ModuleBase().TypeName(), above})
	if path != "" {
		path += "."
	}
	for _, c := range m.ModuleBase().Children() {
		r.number(path+c.Name, c.Module, at)
	}
}

func (r *recorder) close() {
	r.restore()
	_ = r.rng.Close() // never fails
	for _, t := range r.saved {
		_ = t.Close() // never fails
	}
}

// restore undoes what a call has changed: the buffers and the generator.
func (r *recorder) restore() {
	torch.SetRNGState(r.rng)
	torch.NoGrad(func() {
		for i, t := range r.saved {
			b := r.tensors[r.params+i].tensor
			if !b.Equal(t) {
				_ = b.Copy_(t)
			}
		}
	})
}

// recorded is what one call of the function has computed.
type recorded struct {
	facts     []int64
	results   []int
	constants []constantValue
	nodes     []call
}

// constantValue is a tensor that the function has used, but that is not computed.
type constantValue struct {
	number int
	tensor *torch.Tensor
}

// call is a call of an operator.
type call struct {
	name, overload string
	stack          trace.ID
	module         int
	args           []operand
	results        []any // native.SlotNumber, a list of these, or nil
}

type operand struct {
	name, kind string
	keyword    bool
	value      any
}

// record calls the function with copies of the inputs. outs are its results.
func (r *recorder) record(inputs []*torch.Tensor) (rec *recorded, outs []*torch.Tensor) {
	r.restore()
	copies := make([]*torch.Tensor, len(inputs))
	for i, x := range inputs {
		copies[i] = x.Detach().Clone()
		copies[i].SetRequiresGrad(x.RequiresGrad())
	}
	ts := make([]*torch.Tensor, 0, len(r.tensors)+len(inputs))
	for _, g := range r.tensors {
		ts = append(ts, g.tensor)
	}
	ts = append(ts, copies...)
	restore := r.gradients()
	defer func() {
		if restore() && rec != nil {
			panic(torch.NewError(r.op, torch.ErrNotImplemented, "receiver", "the function computes gradients of "+
				"parameters with Backward, which a program cannot do: use torch.Grad"))
		}
	}()
	// libtorch records what the thread calls.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	trace.Start()
	defer trace.Stop()
	remove := r.watch()
	defer remove()
	var recording native.Recording
	func() {
		hs := torch.Handles(r.op+"()", ts, false)
		raw := torch.BeginRaw(r.op, ts...)
		var st abi.Status
		recording, st = native.RecordBegin(raw.Ctx, hs, r.params)
		raw.Status(st)
	}()
	ended := false
	defer func() {
		if !ended {
			native.RecordAbort(recording)
		}
	}()
	outs = r.fn(slices.Clone(copies))
	r.mustBeUnreplaced()
	if len(outs) == 0 {
		panic(torch.NewError(r.op, torch.ErrValue, "fn", "it returned no tensors"))
	}
	hs := torch.Handles(r.op+"(result)", outs, false)
	raw := torch.BeginRaw(r.op, outs...)
	ended = true
	words, constants, st := native.RecordEnd(raw.Ctx, recording, hs)
	raw.Status(st)
	return decode(native.Decode(words, raw.WrapAll(constants))), outs
}

// mustBeUnreplaced panics if the module has other tensors than before.
func (r *recorder) mustBeUnreplaced() {
	if r.m == nil {
		return
	}
	b := r.m.ModuleBase()
	all := slices.Concat(b.NamedParameters(nn.RemoveDuplicate(false)), b.NamedBuffers(nn.RemoveDuplicate(false)))
	same := func(g given, t nn.NamedTensor) bool { return g.tensor == t.Tensor }
	if !slices.EqualFunc(r.tensors, all, same) {
		panic(torch.NewError(r.op, torch.ErrNotImplemented, "receiver", "the function replaces a parameter or a "+
			"buffer of the module, which a program cannot do: change the buffer in place"))
	}
}

// gradients returns a function that gives the parameters the gradients that they have now, and
// reports whether they had others.
func (r *recorder) gradients() (restore func() (changed bool)) {
	before := make([]*torch.Tensor, r.params)
	for i := range before {
		before[i] = r.tensors[i].tensor.Grad()
	}
	return func() (changed bool) {
		for i, g := range before {
			p := r.tensors[i].tensor
			now := p.Grad()
			if now == nil && g == nil || now != nil && g != nil && now.SharesStorage(g) {
				continue
			}
			changed = true
			p.SetGrad(g)
		}
		return changed
	}
}

// watch notes which module of the tree runs on this goroutine, until remove is called.
func (r *recorder) watch() (remove func()) {
	me := goroutine.ID()
	var running []int
	enter := func(m nn.Module, on bool) {
		at, ok := r.modules[m]
		if !ok || goroutine.ID() != me {
			return
		}
		if on {
			running = append(running, at)
		} else if n := len(running); n > 0 {
			running = running[:n-1]
		}
		at = -1
		if n := len(running); n > 0 {
			at = running[n-1]
		}
		native.RecordModule(at)
	}
	pre := nn.RegisterModuleForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
		enter(m, true)
		return nil
	})
	post := nn.RegisterModuleForwardHook(func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
		enter(m, false)
		return nil
	}, nn.AlwaysCall(true))
	return func() {
		pre.Remove()
		post.Remove()
	}
}

// decode reads the words of a recording; see export.h.
func decode(all []any) *recorded {
	rec := &recorded{}
	for _, v := range all[0].([]any) {
		rec.facts = append(rec.facts, v.(int64))
	}
	for _, v := range all[1].([]any) {
		rec.results = append(rec.results, int(v.(int64)))
	}
	for c := range slices.Chunk(all[2].([]any), 2) {
		rec.constants = append(rec.constants, constantValue{int(c[0].(int64)), c[1].(*torch.Tensor)})
	}
	for _, v := range all[3].([]any) {
		n := v.([]any)
		c := call{
			name: n[0].(string), overload: n[1].(string), stack: trace.ID(n[2].(int64)), module: int(n[3].(int64)),
			results: n[5].([]any),
		}
		for _, v := range n[4].([]any) {
			a := v.([]any)
			c.args = append(c.args, operand{a[0].(string), a[1].(string), a[2].(bool), a[3]})
		}
		rec.nodes = append(rec.nodes, c)
	}
	return rec
}

// line returns the Go call that a node came from, in the form of Python's stack traces.
func (c *call) line() string {
	if c.stack == 0 {
		return ""
	}
	f, ok := trace.Site(trace.Frames(c.stack))
	if !ok {
		return ""
	}
	return fmt.Sprintf("File %q, line %d, in %s", f.File, f.Line, f.Function)
}

// at adds to an error which call it is about.
func (c *call) at(text string) string {
	name := c.name
	if c.overload != "" {
		name += "." + c.overload
	}
	if line := c.line(); line != "" {
		return fmt.Sprintf("%s: %s (%s)", name, text, line)
	}
	return name + ": " + text
}
