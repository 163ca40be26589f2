package attention

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// project returns queries, keys and values for all heads. Their shape is (N * heads, L, E
// / heads), or (N, heads, L, E / heads) for the kernel that returns no weights.
func (c *Call) project(query, key, value *torch.Tensor) (q, k, v *torch.Tensor) {
	self := query == key && key == value && c.In != nil
	if self && c.BiasK == nil && c.StaticK == nil && c.StaticV == nil {
		return c.projectSelf(query)
	}
	if self {
		parts := c.products(query, c.In, c.InBias, 3)
		q, k, v = parts[0], parts[1], parts[2]
	} else {
		q, k, v = c.projectEach(query, key, value)
	}
	if c.BiasK != nil {
		k, v = withBias(k, c.BiasK), withBias(v, c.BiasV)
	}
	q = c.split(q)
	if c.StaticK == nil {
		k = c.split(k)
	} else {
		k = own.Instead(k, c.static(c.StaticK))
	}
	if c.StaticV == nil {
		v = c.split(v)
	} else {
		v = own.Instead(v, c.static(c.StaticV))
	}
	return q, k, v
}

// projectSelf is like project, for self-attention, where all inputs are x. It computes
// one product and returns three views of it.
func (c *Call) projectSelf(x *torch.Tensor) (q, k, v *torch.Tensor) {
	l, n, d := x.Size(0), x.Size(1), c.Embed/c.Heads
	all := c.block(x, c.In, c.InBias, 3)
	if c.NeedWeights {
		all = own.Instead(all, all.View(3, l, n*c.Heads, d))
		all = own.Instead(all, all.Transpose(1, 2))
	} else {
		all = own.Instead(all, all.View(3, l, n, c.Heads, d))
		all = own.Instead(all, all.Permute(0, 2, 3, 1, 4))
	}
	parts := all.Unbind()
	own.ReleaseAll(all)
	return parts[0], parts[1], parts[2]
}

// products returns n products of x with parts of weight, each of shape (L, N, E). It
// computes them as one product.
func (c *Call) products(x, weight, bias *torch.Tensor, n int64) []*torch.Tensor {
	all := c.block(x, weight, bias, n)
	parts := all.Unbind()
	own.ReleaseAll(all)
	return parts
}

// block returns the same as products, as one tensor of shape (n, L, N, E).
func (c *Call) block(x, weight, bias *torch.Tensor, n int64) *torch.Tensor {
	all := linear(x, weight, bias)
	all = own.Instead(all, all.View(x.Size(0), x.Size(1), n, c.Embed))
	all = own.Instead(all, all.Permute(2, 0, 1, 3))
	return own.Instead(all, all.Contiguous())
}

// projectEach returns the queries, keys and values, of shape (L, N, E), from separate
// products.
func (c *Call) projectEach(query, key, value *torch.Tensor) (q, k, v *torch.Tensor) {
	w, b := []*torch.Tensor{c.Q, c.K, c.V}, make([]*torch.Tensor, 3)
	if c.In == nil {
		if c.InBias != nil {
			b = c.InBias.Chunk(3)
		}
		return linear(query, w[0], b[0]), linear(key, w[1], b[1]), linear(value, w[2], b[2])
	}
	if key == value { // Compute keys and values as one product.
		w = c.In.SplitSizes([]int64{c.Embed, 2 * c.Embed})
		if c.InBias != nil {
			b = c.InBias.SplitSizes([]int64{c.Embed, 2 * c.Embed})
		}
		q = linear(query, w[0], b[0])
		parts := c.products(key, w[1], b[1], 2)
		return q, parts[0], parts[1]
	}
	w = c.In.Chunk(3)
	if c.InBias != nil {
		b = c.InBias.Chunk(3)
	}
	return linear(query, w[0], b[0]), linear(key, w[1], b[1]), linear(value, w[2], b[2])
}

// split divides x of shape (L, N, E) among the heads. It takes ownership of x.
func (c *Call) split(x *torch.Tensor) *torch.Tensor {
	l, n, d := x.Size(0), x.Size(1), c.Embed/c.Heads
	x = own.Instead(x, x.View(l, n*c.Heads, d))
	x = own.Instead(x, x.Transpose(0, 1))
	// Reshape in two steps, as PyTorch does, because the layout of the gradient depends
	// on it.
	if !c.NeedWeights {
		x = own.Instead(x, x.View(n, c.Heads, l, d))
	}
	return x
}

func (c *Call) static(x *torch.Tensor) *torch.Tensor {
	if c.NeedWeights {
		return x.View(x.Shape()...)
	}
	return x.Reshape(-1, c.Heads, x.Size(1), x.Size(2))
}

// withBias appends bias to x as one more key or value, the same for all sequences. It
// takes ownership of x.
func withBias(x, bias *torch.Tensor) *torch.Tensor {
	rows := bias.Repeat(1, x.Size(1), 1)
	joined := torch.Cat([]*torch.Tensor{x, rows})
	own.ReleaseAll(x, rows)
	return joined
}

func linear(x, weight, bias *torch.Tensor) *torch.Tensor {
	const op = "Linear(input, weight, bias)"
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, x, weight, bias)
	return r.Tensor(aten.Linear(r.Ctx, h, w, b))
}

func dropout(x *torch.Tensor, p float64) *torch.Tensor {
	const op = "Dropout(input)"
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	return r.Tensor(aten.Dropout(r.Ctx, h, p, true))
}

func dotProduct(q, k, v, mask *torch.Tensor, p float64, causal bool) *torch.Tensor {
	const op = "ScaledDotProductAttention(query, key, value, attn_mask)"
	hq, hk, hv, m := q.HandleFor(op, 0), k.HandleFor(op, 1), v.HandleFor(op, 2), mask.OptionalHandleFor(op, 3)
	r := torch.BeginRaw(op, q, k, v, mask)
	return r.Tensor(aten.ScaledDotProductAttention(r.Ctx, hq, hk, hv, m, p, causal, nil, false))
}
