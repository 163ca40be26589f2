// Package attention implements multi-head attention for package nn and package
// functional. It performs the same operations as PyTorch's multi_head_attention_forward,
// in the same order.
package attention

import (
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// Call contains the arguments of one attention computation. The caller owns the tensors.
type Call struct {
	Op           string // name of the caller, for errors
	Embed, Heads int64

	In      *torch.Tensor // the weights of queries, keys and values, stacked; nil if Q, K and V are used
	Q, K, V *torch.Tensor // the weights of queries, keys and values, if In is nil
	InBias  *torch.Tensor // bias of the queries, keys and values, or nil
	BiasK   *torch.Tensor // key to append, or nil
	BiasV   *torch.Tensor // value to append, or nil
	StaticK *torch.Tensor // replaces the keys, of shape (N * heads, S, E / heads), or nil
	StaticV *torch.Tensor // replaces the values, or nil
	Zero    bool          // append a key and a value of zeros

	Mask    *torch.Tensor // (L, S) or (N * heads, L, S), or nil
	Padding *torch.Tensor // (N, S), or nil
	Causal  bool          // with Mask: Mask is causal; without Mask: create a causal mask
	Dropout float64       // 0 unless training

	NeedWeights, Average bool

	Out func(y *torch.Tensor) *torch.Tensor // the output projection, of shape (N * L, E)
}

// Run returns the attention of queries of shape (L, N, E) or (L, E) to keys and values of
// shape (S, N, E) or (S, E), and the weights if requested. It runs in a scope that frees
// its temporaries, and frees large ones as soon as they are not needed.
func (c *Call) Run(query, key, value *torch.Tensor) (out, weights *torch.Tensor) {
	batched := c.check(query, key, value)
	padding := c.Padding
	if !batched {
		// Unsqueeze each one, even if query, key and value are the same tensor. PyTorch
		// then has three different tensors and computes three products, which differ from
		// a single product in the last bits.
		query, key, value = query.Unsqueeze(1), key.Unsqueeze(1), value.Unsqueeze(1)
		if padding != nil {
			padding = padding.Unsqueeze(0)
		}
	}
	l, n := query.Size(0), query.Size(1)
	mask, causal := c.Mask, c.Causal
	if causal && padding == nil && !c.NeedWeights {
		mask = nil // The kernel applies a causal mask itself, which is faster.
	} else {
		mask = additive(mask, query.DType())
		causal = false // The mask is applied below, also a causal one.
	}
	if mask != nil && mask.Dim() == 2 {
		mask = own.Instead(mask, mask.Unsqueeze(0))
	}
	padding = additive(padding, query.DType())

	q, k, v := c.project(query, key, value)
	if c.Zero {
		k, v = withZero(k), withZero(v)
	}
	keys := key.Size(0)
	if c.StaticK != nil {
		keys = c.StaticK.Size(1)
	}
	for range k.Size(-2) - keys { // A causal mask does not hide the appended keys.
		mask, padding = wider(mask), wider(padding)
	}
	mask = c.merge(mask, padding, n, k.Size(-2))
	var y, w *torch.Tensor
	if c.NeedWeights {
		w = c.weigh(q, k, mask)
		y = w.Bmm(v)
		own.ReleaseAll(v)
		y = own.Instead(y, y.Transpose(0, 1))
	} else {
		if mask != nil && mask.Size(0) == 1 {
			mask = own.Instead(mask, mask.Unsqueeze(0))
		} else if mask != nil {
			mask = own.Instead(mask, mask.View(n, c.Heads, -1, k.Size(-2)))
		}
		y = dotProduct(q, k, v, mask, c.Dropout, causal)
		own.ReleaseAll(q, k, v, mask)
		y = own.Instead(y, y.Permute(2, 0, 1, 3))
	}
	y = own.Instead(y, y.Reshape(l*n, c.Embed))
	y = own.Instead(y, c.Out(y))
	y = own.Instead(y, y.View(l, n, y.Size(-1)))
	if w != nil {
		w = own.Instead(w, w.View(n, c.Heads, l, w.Size(-1)))
		if c.Average {
			w = own.Instead(w, w.Mean(torch.Dim(1)))
		}
	}
	if !batched {
		y = own.Instead(y, y.Squeeze(1))
		if w != nil {
			w = own.Instead(w, w.Squeeze(0))
		}
	}
	return y, w
}

// weigh returns the attention weights, of shape (N * heads, L, S). They are the largest
// tensors of the computation. Outside training and without a graph, at most two tensors
// of that size exist at a time. weigh takes ownership of its arguments.
func (c *Call) weigh(q, k, mask *torch.Tensor) *torch.Tensor {
	q = own.Instead(q, q.MulScalar(math.Sqrt(1/float64(c.Embed/c.Heads))))
	k = own.Instead(k, k.Transpose(-2, -1))
	var w *torch.Tensor
	if mask != nil {
		w = mask.Baddbmm(q, k)
	} else {
		w = q.Bmm(k)
	}
	own.ReleaseAll(q, k, mask)
	w = own.Instead(w, w.Softmax(-1))
	if c.Dropout > 0 {
		w = own.Instead(w, dropout(w, c.Dropout))
	}
	return w
}

// merge returns the mask that is added to the scores, or nil. Its shape is (N * heads, L,
// S), where the first size may be 1. merge takes ownership of the masks.
func (c *Call) merge(mask, padding *torch.Tensor, n, s int64) *torch.Tensor {
	if padding == nil {
		return mask
	}
	p := own.Instead(padding, padding.View(n, 1, 1, s))
	p = own.Instead(p, p.Expand(-1, c.Heads, -1, -1))
	p = own.Instead(p, p.Reshape(n*c.Heads, 1, s))
	if mask == nil {
		return p
	}
	sum := mask.Add(p)
	own.ReleaseAll(mask, p)
	return sum
}

// additive converts a bool mask, whose true elements are hidden, to a mask of 0 and -inf.
// It converts other masks to the dtype. The result is a new handle, or nil for nil.
func additive(t *torch.Tensor, dtype torch.DType) *torch.Tensor {
	switch {
	case t == nil:
		return nil
	case t.DType() != torch.Bool:
		return t.To(dtype)
	}
	return torch.ZerosLike(t, dtype).MaskedFill_(t, math.Inf(-1))
}

// wider appends a zero to the last dimension. It takes ownership of t.
func wider(t *torch.Tensor) *torch.Tensor {
	if t == nil {
		return nil
	}
	shape := t.Shape()
	shape[len(shape)-1] = 1
	zeros := t.NewZeros(shape)
	joined := torch.Cat([]*torch.Tensor{t, zeros}, -1)
	own.ReleaseAll(t, zeros)
	return joined
}

// withZero appends a key or value of zeros. It takes ownership of t.
func withZero(t *torch.Tensor) *torch.Tensor {
	shape := t.Shape()
	shape[len(shape)-2] = 1
	zeros := torch.Zeros(shape, t.DType(), t.Device())
	joined := torch.Cat([]*torch.Tensor{t, zeros}, -2)
	own.ReleaseAll(t, zeros)
	return joined
}

// Transposed exchanges the first two dimensions of three tensors, for [Call.Run]. If two
// of a, b and c are the same tensor, their results are the same tensor too.
func Transposed(a, b, c *torch.Tensor) (x, y, z *torch.Tensor) {
	x = a.Transpose(0, 1)
	if y = x; b != a {
		y = b.Transpose(0, 1)
	}
	switch c {
	case a:
		z = x
	case b:
		z = y
	default:
		z = c.Transpose(0, 1)
	}
	return x, y, z
}
