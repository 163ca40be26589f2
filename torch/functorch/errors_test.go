package functorch_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/autograd"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// Each invalid call panics with an error that names the function and the argument.
func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, n := torch.Ones(torch.Shape{3, 2}), torch.Ones(torch.Shape{2}, torch.Int64)
		closed := torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		id := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x })
		sum := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sum() })
		nothing := functorch.Func(func(...*torch.Tensor) []*torch.Tensor { return nil })
		null := functorch.Of(func(*torch.Tensor) *torch.Tensor { return nil })
		dead := functorch.Of(func(*torch.Tensor) *torch.Tensor { return closed })
		both := functorch.Func(func(x ...*torch.Tensor) []*torch.Tensor { return list(x[0].Sum(), x[0]) })
		var none functorch.Func
		var noJVP *functorch.VJPFunc
		for _, c := range []struct {
			kind error
			says string
			fn   func()
		}{
			{torch.ErrNil, "functorch.Of: argument fn: a nil function", func() { functorch.Of(nil) }},
			{torch.ErrNil, "functorch.OfMany: argument fn: a nil function", func() { functorch.OfMany(nil) }},
			{torch.ErrNil, "functorch.Func.One: argument f: a nil function", func() { none.One(x) }},
			{torch.ErrValue, "functorch.Func.One: argument f: expected a function that returns one tensor, got 2 " +
				"tensors", func() { both.One(x) }},
			{torch.ErrValue, "functorch.Of: argument x: expected one tensor, got 2", func() { id(x, x) }},
			{torch.ErrNil, "functorch.Grad: argument fn: a nil function", func() { functorch.Grad(nil) }},
			{torch.ErrNil, "functorch.VJP: argument fn: a nil function", func() { functorch.VJP(nil, list(x)) }},
			{torch.ErrNil, "functorch.JVP: argument fn: a nil function", func() {
				functorch.JVP(nil, list(x), list(x))
			}},
			{torch.ErrNil, "functorch.Jacrev: argument fn: a nil function", func() { functorch.Jacrev(nil) }},
			{torch.ErrNil, "functorch.Jacfwd: argument fn: a nil function", func() { functorch.Jacfwd(nil) }},
			{torch.ErrNil, "functorch.Hessian: argument fn: a nil function", func() { functorch.Hessian(nil) }},
			{torch.ErrNil, "functorch.VMap: argument fn: a nil function", func() { functorch.VMap(nil) }},
			{torch.ErrValue, "functorch.Grad: argument x: expected at least one tensor", func() {
				functorch.Grad(sum)()
			}},
			{torch.ErrClosed, "functorch.Grad: ", func() { functorch.Grad(sum)(closed) }},
			{torch.ErrNil, "functorch.VMap: ", func() { functorch.VMap(id)(nil) }},
			{
				torch.ErrShape,
				"functorch.Grad: argument fn: expected a function that returns a scalar, got shape (3, 2)",
				func() {
					functorch.Grad(id)(x)
				},
			},
			{torch.ErrValue, "functorch.Grad: argument fn: the function returned 2 tensors; use HasAux(true)", func() {
				functorch.Grad(both)(x)
			}},
			{torch.ErrValue, "functorch.Grad: argument fn: the function returned no tensor", func() {
				functorch.Grad(nothing)(x)
			}},
			{torch.ErrNil, "functorch.Grad: ", func() { functorch.Grad(null)(x) }},
			{torch.ErrNil, "functorch.VMap: ", func() { functorch.VMap(null)(x) }},
			{torch.ErrClosed, "functorch.VMap: ", func() { functorch.VMap(dead)(x) }},
			{torch.ErrDType, "functorch.Grad: argument x: expected floating-point or complex numbers, " +
				"but element 0 has dtype int64, which has no gradients", func() {
				functorch.Grad(sum)(n)
			}},
			{torch.ErrIndex, "functorch.Grad: argument ArgNums: 1 is out of range for 1 arguments", func() {
				functorch.Grad(sum, functorch.ArgNum(1))(x)
			}},
			{torch.ErrValue, "functorch.Jacrev: argument ArgNums: -1 is listed twice", func() {
				functorch.Jacrev(sum, functorch.ArgNums{0, -1})(x)
			}},
			{torch.ErrValue, "functorch.Jacfwd: argument ArgNums: expected at least one", func() {
				functorch.Jacfwd(sum, functorch.ArgNums{})(x)
			}},
			{torch.ErrValue, "functorch.JVP: argument tangents: expected 1, one for each primal, got 0", func() {
				functorch.JVP(sum, list(x), nil)
			}},
			{torch.ErrShape, "functorch.JVP: argument tangents: expected shape (3, 2) for element 0, got (2,)", func() {
				functorch.JVP(sum, list(x), list(n))
			}},
			{
				torch.ErrDType, "functorch.JVP: argument tangents: expected dtype float32 for element 0, got float64",
				func() {
					functorch.JVP(sum, list(x), list(x.To(torch.Float64)))
				},
			},
			{torch.ErrAutograd, "functorch.JVP: argument fn: result 0 does not depend on the inputs", func() {
				functorch.JVP(functorch.Of(func(*torch.Tensor) *torch.Tensor { return n }), list(x), list(x),
					functorch.Strict(true))
			}},
			{
				torch.ErrValue, "functorch.VJPFunc.Apply: argument cotangents: expected 1, one for each result, got 0",
				func() {
					_, v := functorch.VJP(id, list(x))
					defer func() { _ = v.Close() }()
					v.Apply()
				},
			},
			{
				torch.ErrShape,
				"functorch.VJPFunc.Apply: argument cotangents: expected shape (3, 2) for element 0, got (2,)", func() {
					_, v := functorch.VJP(id, list(x))
					defer func() { _ = v.Close() }()
					v.Apply(n)
				},
			},
			{torch.ErrClosed, "functorch.VJPFunc.Apply: argument v: the VJPFunc is closed", func() {
				_, v := functorch.VJP(id, list(x))
				_, _ = v.Close(), v.Close()
				v.Apply(x)
			}},
			{torch.ErrNil, "functorch.VJPFunc.Apply: argument v: the VJPFunc was not made by functorch.VJP", func() {
				noJVP.Apply(x)
			}},
			{torch.ErrNil, "functorch.VJPFunc.Apply: argument v: the VJPFunc was not made by functorch.VJP", func() {
				new(functorch.VJPFunc).Apply(x)
			}},
			{
				torch.ErrValue, "functorch.VMap: argument Randomness: expected error, different or same, got \"any\"",
				func() {
					functorch.VMap(id, functorch.Randomness("any"))
				},
			},
			{torch.ErrValue, "functorch.VMap: argument ChunkSize: expected 0 or more examples, got -1", func() {
				functorch.VMap(id, functorch.ChunkSize(-1))
			}},
			{
				torch.ErrShape, "functorch.VMap: argument x: expected equal numbers of examples, got [3 2]",
				func() {
					functorch.VMap(sum)(x, n)
				},
			},
			{torch.ErrShape, "functorch.VMap: argument x: expected at least one example", func() {
				functorch.VMap(id)(torch.Ones(torch.Shape{0, 2}))
			}},
			{
				torch.ErrIndex,
				"functorch.VMap: argument InDims: 2 is out of range for argument 0, which has 2 dimensions", func() {
					functorch.VMap(id, functorch.InDim(2))(x)
				},
			},
			{
				torch.ErrIndex,
				"functorch.VMap: argument InDims: 0 is out of range for argument 0, which has 0 dimensions", func() {
					functorch.VMap(id)(x.Sum())
				},
			},
			{torch.ErrValue, "functorch.VMap: argument InDims: expected 1, one for each argument, got 2", func() {
				functorch.VMap(id, functorch.InDims{0, 0})(x)
			}},
			{torch.ErrValue, "functorch.VMap: argument InDims: expected at least one mapped argument", func() {
				functorch.VMap(id, functorch.InDims{functorch.NotMapped})(x)
			}},
			{torch.ErrValue, "functorch.VMap: argument OutDims: expected 1, one for each result, got 2", func() {
				functorch.VMap(id, functorch.OutDims{0, 0})(x)
			}},
			{torch.ErrIndex, "functorch.VMap: argument OutDims: 2 is out of range for result 0, which has 2 " +
				"dimensions with the examples", func() {
				functorch.VMap(id, functorch.OutDim(2))(x)
			}},
			{torch.ErrRuntime, "Item: vmap: It looks like you're calling .item()", func() {
				functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor { x.Sum().Item(); return x }))(x)
			}},
			{torch.ErrRuntime, "Float32s: Cannot access data pointer", func() {
				functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor { x.Float32s(); return x }))(x)
			}},
			{torch.ErrShape, "Add_: output with shape [2] doesn't match the broadcast shape [3, 2]", func() {
				all := torch.Zeros(torch.Shape{2})
				functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return all.Add_(x) }))(x)
			}},
			{
				torch.ErrShape, "Index: vmap: We do not support batching operators that can support dynamic shape",
				func() {
					functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
						return x.Index(x.Gt(x.Mean()))
					}))(x)
				},
			},
			{torch.ErrRuntime, "vmap: called random operation while in randomness error mode", func() {
				functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return torch.RandLike(x) }))(x)
			}},
			{torch.ErrAutograd, "functorch.Grad: a derivative needs automatic differentiation", func() {
				torch.InferenceMode(func() { functorch.Grad(sum)(x) })
			}},
			{torch.ErrNotImplemented, "a Function written in Go cannot run within a functional transform", func() {
				cube := torch.Function{
					Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
						return list(in[0].PowScalar(3))
					},
					Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return g },
				}
				functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return cube.Apply(x)[0].Sum() }))(x)
			}},
			{torch.ErrNotImplemented, "RequiresGrad_: a tensor of VMap cannot be made to require gradients", func() {
				functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
					return x.Detach().RequiresGrad_()
				}))(x)
			}},
			{
				torch.ErrNotImplemented,
				"autograd.JacobianN: argument fn: the function cannot run within a functional transform",
				func() {
					functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
						return autograd.JacobianN(sum, list(x))[0][0]
					}))(x)
				},
			},
			{
				torch.ErrNotImplemented, "Backward: a backward pass cannot run within a functional transform",
				func() {
					functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
						x.Sin().Sum().Backward()
						return x.Sum()
					}))(x)
				},
			},
			{
				torch.ErrNotImplemented, "RetainGrad: a gradient cannot be retained within a functional transform",
				func() {
					functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
						y := x.Sin()
						y.RetainGrad()
						return y.Sum()
					}))(x)
				},
			},
			{torch.ErrNil, "functorch.MakeFunctional: argument m: a nil module", func() {
				functorch.MakeFunctional(nil)
			}},
			{torch.ErrValue, "functorch.StackModuleState: argument modules: expected at least one", func() {
				functorch.StackModuleState()
			}},
			{torch.ErrValue, "functorch.StackModuleState: argument modules: bias requires gradients in only one of " +
				"element 0 and element 2", func() {
				models := []nn.Module{nn.NewLinear(1, 1), nn.NewLinear(1, 1), nn.NewLinear(1, 1)}
				models[2].(*nn.Linear).Bias.SetRequiresGrad(false)
				defer func() {
					for _, m := range models {
						m.Close()
					}
				}()
				functorch.StackModuleState(models...)
			}},
			{torch.ErrNil, "functorch.StackModuleState: argument modules: element 0 is nil", func() {
				functorch.StackModuleState(nil)
			}},
			{torch.ErrValue, "functorch.StackModuleState: argument modules: element 0 is a *nn.Tanh, but element 1 " +
				"is a *nn.ReLU", func() {
				functorch.StackModuleState(nn.NewTanh(), nn.NewReLU())
			}},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, c.says)
			assert.ErrorContains(t, err, c.says)
		}
		// No layer remains: transforms still work after a panic.
		assert.Equal(t, []float32{1, 1, 1, 1, 1, 1}, functorch.Grad(sum).One(x).Float32s())
		assert.InDelta(t, 6, x.Sum().Item(), 0)
	})
}

// A panic of the function passes through with the same value, and all layers are removed.
func TestPanics(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, stop := torch.Ones(torch.Shape{3}), errors.New("stop")
		bad := functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			x.Exp()
			panic(stop)
		})
		for _, run := range []func(){
			func() { functorch.VMap(bad)(x) },
			func() { functorch.VMap(functorch.Grad(bad))(x) },
			func() { functorch.Hessian(bad)(x) },
			func() { functorch.JVP(functorch.Grad(bad), list(x), list(x)) },
		} {
			assert.PanicsWithError(t, "stop", run)
			assert.Equal(t, []float32{1, 1, 1}, x.Float32s())
			assert.Equal(t, []float32{2, 2, 2}, x.Add(x).Float32s())
		}
	})
}
