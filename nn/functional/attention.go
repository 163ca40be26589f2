package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// AttentionOptions are the rarer arguments of [ScaledDotProductAttention].
type AttentionOptions struct {
	Mask      *torch.Tensor // added to the scores, or bool: false hides; broadcast to (*, L, S)
	Dropout   float64       // of the weights; 0: none. It applies always: pass 0 outside training
	Causal    bool          // a query sees no later keys; excludes Mask
	Scale     *float64      // of the scores; nil: 1 / sqrt(E)
	EnableGQA bool          // fewer key and value heads than query heads
}

// ScaledDotProductAttention returns softmax(query @ key.T * scale + mask) @
// value for query of shape (N, *, L, E), key (N, *, S, E) and value (N, *, S,
// V), with the fastest kernel that libtorch has for them. Follows
// torch.nn.functional.scaled_dot_product_attention.
func ScaledDotProductAttention(query, key, value *torch.Tensor, opts ...AttentionOptions) *torch.Tensor {
	const op = "ScaledDotProductAttention(query, key, value, attn_mask)"
	o := option(op, opts)
	q, k, v, m := query.HandleFor(op, 0), key.HandleFor(op, 1), value.HandleFor(op, 2), o.Mask.OptionalHandleFor(op, 3)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.ScaledDotProductAttention(r.Ctx, q, k, v, m, o.Dropout, o.Causal, o.Scale, o.EnableGQA),
		query, key, value, o.Mask)
}
