package ops

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/torch"
)

// Kernels are the functions of an operator that is written in Go. Only Forward is necessary.
// They get the arguments in the order of the schema, with defaults filled in, and may run on
// any goroutine, several at the same time. Tensors that they make and do not return are freed
// when they return. A panic becomes the error of the operator.
type Kernels struct {
	// Forward computes the results, one for each that the schema names. It runs without
	// gradients. It must return new tensors, not its arguments or views of them.
	Forward func(args []any) []any

	// Meta returns results of the right shapes and dtypes for arguments on the meta device.
	// If it is nil, Forward gets them. Follows register_fake.
	Meta func(args []any) []any

	// Setup keeps what Backward needs in ctx, with Save or Value. It may be nil.
	// Follows setup_context of register_autograd.
	Setup func(ctx *torch.Context, args, results []any)

	// Backward returns the gradient of each tensor among the arguments, in order, or nil. It
	// gets the gradient of each result. If Backward is nil, a backward pass through the
	// operator panics with ErrAutograd. Follows register_autograd.
	Backward func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor

	// VMap computes the results for a batch, and returns the batch dimension of each, or -1.
	// If it is nil, the operator is called once per example. Follows register_vmap.
	VMap func(b Batch, args []any) (results []any, dims []int64)
}

// Batch describes the arguments of a VMap kernel.
type Batch struct {
	Size int64 // the number of examples
	Dims []any // for each argument its batch dimension, an int64; nil if it has none; for a list, a []any of these
}

// operator is an operator that is written in Go.
type operator struct {
	name string
	Kernels
}

// operators are the registered operators by their numbers. They are never removed.
var operators struct {
	mu  sync.RWMutex
	all []*operator
}

func init() { native.Operator = run }

func (o *operator) register() (id int64) {
	operators.mu.Lock()
	defer operators.mu.Unlock()
	operators.all = append(operators.all, o)
	return int64(len(operators.all)) - 1
}

func operatorOf(id int64) *operator {
	operators.mu.RLock()
	defer operators.mu.RUnlock()
	return operators.all[id]
}

// Register makes an operator that is written in Go. Go programs call it with [Call].
// TorchScript and exported programs of this process call it by its name, such as
// torch.ops.mine.scale. It stays registered until the process ends. The schema is as in
// PyTorch:
//
//	ops.Register("mine::scale(Tensor x, float by=2.0) -> Tensor", ops.Kernels{
//		Forward: func(args []any) []any {
//			return []any{args[0].(*torch.Tensor).MulScalar(args[1])}
//		},
//	})
//
// It panics with ErrNil without a Forward kernel, ErrValue for a name that is taken or has no
// namespace, and ErrRuntime for a schema that cannot be read. An operator that changes its
// arguments gives ErrNotImplemented, and so does one with gradients whose results are not all
// tensors. Follows torch.library.define, impl and register_autograd.
func Register(schema string, k Kernels) {
	const op = "ops.Register"
	switch {
	case k.Forward == nil:
		panic(torch.NilFunc(op, "Forward"))
	case k.Setup != nil && k.Backward == nil:
		panic(torch.NewError(op, torch.ErrValue, "Setup", "there is no Backward, so it would have no effect"))
	case strings.ContainsRune(schema, 0):
		panic(torch.NewError(op, torch.ErrValue, "schema", "it contains a zero byte"))
	}
	name, _, _ := strings.Cut(schema, "(")
	name = strings.TrimSpace(name)
	_, returns, _ := strings.Cut(schema, "->")
	if k.Backward != nil && slices.ContainsFunc(strings.Split(strings.Trim(returns, " ()"), ","), notTensor) {
		panic(torch.NewError(op, torch.ErrNotImplemented, "schema",
			"an operator with gradients, and results other than tensors"))
	}
	kernels := uint32(1) << native.Forward
	for kernel, on := range map[int]bool{
		native.Meta: k.Meta != nil, native.Autograd: k.Backward != nil, native.VMap: k.VMap != nil,
	} {
		if on {
			kernels |= 1 << kernel
		}
	}
	id := (&operator{name, k}).register()
	r := torch.BeginRaw(op)
	st := native.Register(schema, id, kernels)
	r.Status(st)
}

// notTensor reports whether a result in a schema is not a tensor.
func notTensor(result string) bool {
	kind, _, _ := strings.Cut(strings.TrimSpace(result), " ")
	return kind != "Tensor"
}

// run runs a kernel.
func run(id int64, kernel int, cx abi.Ctx, words []uint64, handles []abi.Tensor) (out []uint64, made []abi.Tensor,
	tag int64,
) {
	tag = callback.Run(cx, func() {
		o := operatorOf(id)
		r := torch.BeginRaw(o.name)
		r.Status(0)
		tensors := r.WrapAll(handles)
		e := encoder{op: o.name}
		o.run(kernel, native.Decode(words, tensors), &e)
		hs := torch.Handles(o.name+"(result)", e.tensors, false)
		r = torch.BeginRaw(o.name, e.tensors...)
		for _, h := range hs {
			made = append(made, cgotorch.Ref(h))
		}
		r.Status(0)
		out = e.words
	})
	return out, made, tag
}

// run calls a kernel and writes its results.
func (o *operator) run(kernel int, args []any, e *encoder) {
	var results []any
	var dims []int64
	switch kernel {
	case native.Meta:
		results = o.Meta(args)
	case native.Autograd:
		results = o.differentiable(args)
	case native.VMap:
		b := Batch{args[0].(int64), args[1].([]any)}
		results, dims = o.VMap(b, args[2:])
		if len(dims) != len(results) {
			panic(torch.NewError(o.name, torch.ErrValue, "VMap",
				fmt.Sprintf("it returned %d batch dimensions for %d results", len(dims), len(results))))
		}
	default:
		results = o.Forward(args)
		o.mustBeNew(args, results)
	}
	e.words.Add(uint64(len(results) + len(dims)))
	for i, v := range results {
		e.value(fmt.Sprintf("results[%d]", i), v, 0)
	}
	for _, d := range dims {
		if d < 0 {
			e.words.Tag(native.None, 0)
		} else {
			e.words.Int(d)
		}
	}
}

// mustBeNew panics if a result is an argument, or shares its memory.
func (o *operator) mustBeNew(args, results []any) {
	var in, out []*torch.Tensor
	collect(args, &in)
	collect(results, &out)
	for _, a := range in {
		for _, b := range out {
			if a == b || b != nil && a.SharesStorage(b) {
				panic(torch.NewError(o.name, torch.ErrValue, "Forward",
					"it returned an argument, or a view of one; return a Clone"))
			}
		}
	}
}

// differentiable calls the operator as a torch.Function.
func (o *operator) differentiable(args []any) []any {
	f := &torch.Function{
		Name: o.name,
		Forward: func(ctx *torch.Context, inputs ...*torch.Tensor) []*torch.Tensor {
			left := inputs
			again := replaced(args, &left)
			results := call(o.name, again, nil, true)
			if o.Setup != nil {
				o.Setup(ctx, again, results)
			}
			ts := make([]*torch.Tensor, len(results))
			for i, v := range results {
				ts[i], _ = v.(*torch.Tensor)
			}
			return ts
		},
		Backward: o.Backward,
	}
	var inputs []*torch.Tensor
	collect(args, &inputs)
	var results []any
	for _, t := range f.Apply(inputs...) {
		results = append(results, t)
	}
	return results
}

// collect appends the tensors among values to ts.
func collect(values []any, ts *[]*torch.Tensor) {
	for _, v := range values {
		switch v := v.(type) {
		case *torch.Tensor:
			*ts = append(*ts, v)
		case []any:
			collect(v, ts)
		}
	}
}

// replaced returns values with their tensors replaced by those in ts, which it takes from it.
func replaced(values []any, ts *[]*torch.Tensor) []any {
	out := slices.Clone(values)
	for i, v := range out {
		switch v := v.(type) {
		case *torch.Tensor:
			out[i] = (*ts)[0]
			*ts = (*ts)[1:]
		case []any:
			out[i] = replaced(v, ts)
		}
	}
	return out
}
