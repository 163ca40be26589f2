package main

// fresh are common inference operators whose results never share memory with an argument.
// If gradients are off, a call may therefore bypass autograd (gt::BelowAutograd). Schemas
// are not reliable about shared memory: einsum's schema declares no alias, but einsum may
// return a view. So this list is based on the kernels. Operators that may return their
// argument, such as dropout, do not belong here.
var fresh = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"linear", "addmm", "mm", "bmm", "baddbmm", "mv", "dot", "matmul",
		"add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "add.Scalar", "sub.Scalar", "mul.Scalar", "div.Scalar",
		"pow.Tensor_Scalar", "pow.Tensor_Tensor", "maximum", "minimum", "where.self",
		"exp", "log", "sqrt", "rsqrt", "neg", "abs", "sin", "cos", "reciprocal",
		"relu", "gelu", "silu", "sigmoid", "tanh", "elu", "leaky_relu", "hardtanh", "softplus",
		"softmax.int", "log_softmax.int", "layer_norm", "scaled_dot_product_attention",
		"conv1d", "conv2d", "conv2d.padding", "conv3d", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d",
		"embedding", "index_select", "gather", "cat", "stack",
		"sum", "sum.dim_IntList", "mean", "mean.dim", "amax", "amin", "argmax", "argmin",
		"eq.Tensor", "ne.Tensor", "lt.Tensor", "le.Tensor", "gt.Tensor", "ge.Tensor",
		"eq.Scalar", "ne.Scalar", "lt.Scalar", "le.Scalar", "gt.Scalar", "ge.Scalar",
		"cross_entropy_loss", "nll_loss", "mse_loss",
	} {
		set[name] = true
	}
	return set
}()

// freshUnless are conditions in C++ under which calls of fresh operators still need
// autograd. If the weight requires gradients, a product of a transposed batch uses a
// different algorithm, with different rounding. linear tests this with a view of the
// weight, and only autograd passes requires_grad from a base to its view.
var freshUnless = map[string]string{
	"linear": "gt::as(input).dim() > 2 && gt::as(weight).requires_grad() && !gt::as(input).is_contiguous()",
}
