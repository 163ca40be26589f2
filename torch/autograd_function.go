package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/named"
)

// Function is an operator whose gradient is written in Go.
// Follows torch.autograd.Function.
//
// Forward computes without recording. Backward gets the gradient of each
// output: zeros if there is none, or nil with KeepNil. It returns the gradient
// of each input, or nil for an input without one. Forward and Backward each run
// in a scope of their own, and their results outlive that scope.
//
//	var Cube = torch.Function{
//		Name: "Cube",
//		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
//			ctx.Save(in[0])
//			return []*torch.Tensor{in[0].PowScalar(3)}
//		},
//		Backward: func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
//			x := ctx.Saved()[0]
//			return []*torch.Tensor{grad[0].Mul(x.Square().MulScalar(3))}
//		},
//	}
type Function struct {
	Name     string // names errors and, followed by "Backward", graph nodes; default "GoFunction"
	Forward  func(ctx *Context, inputs ...*Tensor) []*Tensor
	Backward func(ctx *Context, grads ...*Tensor) []*Tensor
	KeepNil  bool // Backward gets nil for absent gradients; set_materialize_grads(False) in Python
}

// Context carries data from Forward to Backward for one call of
// [Function.Apply].
type Context struct {
	// Value is for the function's own data: numbers, shapes, flags. Use Save
	// for tensors; it handles reference cycles and in-place changes.
	Value any

	fn                    *Function
	note                  any // package amp's data about the forward pass
	inputs                int
	saved, nondiff, dirty []*Tensor
	ended                 bool    // Forward has returned
	node                  uintptr // during Backward
	needs                 []bool
}

// Save keeps inputs or outputs for Backward. Call it in Forward, once. Like the methods that mark
// tensors, it panics with ErrAutograd after Forward, and with ErrValue if it is called again with
// tensors, which in Python would replace the first ones.
func (c *Context) Save(ts ...*Tensor) {
	c.mustBeMade("Save")
	c.mustBeInForward("Save", c.saved)
	c.saved = ts
}

// mustBeInForward panics outside of Forward, and if a method was already called with tensors, which
// another call would replace.
func (c *Context) mustBeInForward(method string, before []*Tensor) {
	switch op := "Context." + method + "()"; {
	case c.ended:
		panic(argError(op, ErrAutograd, "ctx", "call it in Forward"))
	case len(before) > 0:
		panic(argError(op, ErrValue, "ctx", "was called before: pass all tensors in one call"))
	}
}

// mustBeMade panics for a context that is nil or that Apply did not make.
func (c *Context) mustBeMade(method string) {
	if c == nil || c.fn == nil {
		panic(argError("Context."+method, ErrNil, "ctx", "expected a Context that Function.Apply made"))
	}
}

// MarkNonDifferentiable marks outputs that have no gradient.
func (c *Context) MarkNonDifferentiable(outputs ...*Tensor) {
	c.mustBeMade("MarkNonDifferentiable")
	c.mustBeInForward("MarkNonDifferentiable", c.nondiff)
	c.nondiff = outputs
}

// MarkDirty marks inputs that Forward modified in place. They must be among the
// outputs.
func (c *Context) MarkDirty(inputs ...*Tensor) {
	c.mustBeMade("MarkDirty")
	c.mustBeInForward("MarkDirty", c.dirty)
	c.dirty = inputs
}

// Saved returns, in Backward, the tensors that Forward saved. It panics with
// ErrAutograd if the graph was freed or a saved tensor was modified in place.
func (c *Context) Saved() []*Tensor {
	const op = "Context.Saved()"
	c.mustBeMade("Saved")
	if c.node == 0 {
		panic(argError(op, ErrAutograd, "ctx", "saved tensors are available only during Backward"))
	}
	ts := make([]*Tensor, len(c.saved))
	for i := range ts {
		r := BeginRaw(op)
		ts[i] = r.Tensor(cgotorch.FunctionSaved(r.Ctx, c.node, i))
	}
	return ts
}

// NeedsInputGrad reports whether input i requires a gradient. For an input that
// does not, Backward may return nil, and Forward need not save tensors that
// only its gradient needs. It panics with ErrIndex if there is no input i.
// Follows ctx.needs_input_grad.
func (c *Context) NeedsInputGrad(i int) bool {
	c.mustBeMade("NeedsInputGrad")
	if i < 0 || i >= len(c.needs) {
		panic(argError("Context.NeedsInputGrad()", ErrIndex, "i", fmt.Sprintf("%d not in [0, %d)", i, len(c.needs))))
	}
	return c.needs[i]
}

// Apply runs the function on inputs, records it and returns the results of
// Forward. If Forward returns an input, the result shares its memory. It panics
// with ErrAutograd if the tensors marked in the context do not match the inputs
// and outputs. A panic of Forward passes through.
// Follows torch.autograd.Function.apply.
func (f *Function) Apply(inputs ...*Tensor) []*Tensor {
	if f == nil {
		panic(argError("Function.Apply", ErrNil, "Function", "a nil function"))
	}
	op := f.name() + "(input)"
	ins := Handles(op, inputs, false)
	if f.Forward == nil || f.Backward == nil {
		panic(argError(op, ErrNil, "Function", "Forward and Backward must both be set"))
	}
	ctx := &Context{fn: f, inputs: len(inputs), needs: make([]bool, len(inputs))}
	for i, x := range inputs {
		ctx.needs[i] = x.RequiresGrad()
	}
	return TidyAll(func() []*Tensor {
		var outs []*Tensor
		var begun bool
		NoGrad(func() { outs = f.Forward(ctx, inputs...) })
		ctx.ended = true
		call := cgotorch.FunctionCall{
			Name:        f.name() + "Backward", // as Python names it
			Inputs:      ins,
			Outputs:     Handles(f.name()+"(output)", outs, false),
			Saved:       Handles(f.name()+"(saved)", ctx.saved, false),
			NonDiff:     Handles(f.name()+"(nondiff)", ctx.nondiff, false),
			Dirty:       Handles(f.name()+"(dirty)", ctx.dirty, false),
			Materialize: !f.KeepNil,
		}
		saved := len(ctx.saved)
		wrapped := make([]abi.Tensor, len(outs))
		call.ID = callback.RegisterAs(named.Functions, ctx)
		defer callback.DropUnless(&begun, call.ID)
		r := BeginRaw(op, inputs...)
		r.Use(outs...)
		r.Use(ctx.saved...)
		r.Use(ctx.nondiff...)
		r.Use(ctx.dirty...)
		begun = true
		st := cgotorch.FunctionApply(r.Ctx, call, wrapped)
		r.Status(st)
		// From here on the graph holds the saved tensors. The context needs only their
		// number.
		ctx.saved, ctx.nondiff, ctx.dirty = make([]*Tensor, saved), nil, nil
		return r.WrapAll(wrapped)
	})
}

func (f *Function) name() string {
	if f.Name != "" {
		return f.Name
	}
	return "GoFunction"
}

func runBackward(id int64, cx abi.Ctx, node uintptr, grads, outs []abi.Tensor, needs []bool) int64 {
	return inCallback(cx, func() {
		saved := callback.Of[*Context](id)
		// Backward gets a copy of the context, because two threads may run backward
		// over the same graph.
		ctx := &Context{
			Value: saved.Value, note: saved.note, fn: saved.fn, saved: saved.saved, node: node,
			ended: true, needs: append([]bool(nil), needs...),
		}
		defer func() { ctx.node = 0 }()
		raw := Raw{state: states.Get()}
		in := make([]*Tensor, len(grads))
		for i, g := range grads {
			if g != 0 {
				in[i] = raw.Wrap(cgotorch.Ref(g))
			}
		}
		res := ctx.fn.Backward(ctx, in...)
		if len(res) != saved.inputs {
			panic(argError(ctx.fn.name(), ErrValue, "Backward",
				fmt.Sprintf("returned %d gradients for %d inputs", len(res), saved.inputs)))
		}
		op := ctx.fn.name() + "(gradient)"
		hs := Handles(op, res, true)
		holdAll(op, res)
		defer releaseAll(res)
		for i, h := range hs {
			if h != 0 && i < len(outs) {
				outs[i] = cgotorch.Ref(h)
			}
		}
	})
}
