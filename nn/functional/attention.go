package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An AttentionOption is an option of [ScaledDotProductAttention]: [AttnMask],
// [DropoutP], [IsCausal], [Scale] or [EnableGQA].
type AttentionOption interface{ opt.AttentionFunc }

// ScaledDotProductAttention returns softmax(query @ key.T * Scale + mask) @ value as a
// tensor of shape (N, *, L, V). query has shape (N, *, L, E), key (N, *, S, E) and value
// (N, *, S, V). libtorch chooses the fastest kernel for these tensors.
//
// It panics with ErrShape, ErrDType or ErrDevice for tensors that do not match, and with
// ErrShape if there are no heads. It panics with ErrValue for a mask together with
// IsCausal(true) and for a dropout probability outside [0, 1]. Follows
// torch.nn.functional.scaled_dot_product_attention.
func ScaledDotProductAttention(query, key, value *torch.Tensor, opts ...AttentionOption) *torch.Tensor {
	const op = "ScaledDotProductAttention(query, key, value, attn_mask)"
	var mask *torch.Tensor
	var p, scale float64
	var causal, scaled, gqa bool
	for _, o := range opts {
		switch o := o.(type) {
		case AttnMaskOption:
			mask = o.Tensor()
		case DropoutP:
			p = float64(o)
		case IsCausal:
			causal = bool(o)
		case Scale:
			scaled, scale = true, float64(o)
		case EnableGQA:
			gqa = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	mustBeProbability(op, "DropoutP", p)
	if causal && mask != nil {
		panic(torch.NewError(op, torch.ErrValue, "AttnMask", "cannot be combined with IsCausal(true)"))
	}
	q, k, v, m := query.HandleFor(op, 0), key.HandleFor(op, 1), value.HandleFor(op, 2), mask.OptionalHandleFor(op, 3)
	mustHaveHeads(op, query, key, value, gqa)
	// Without keys, the causal mask hides nothing, and a kernel would divide by zero.
	causal = causal && (key.Numel() > 0 || key.Dim() < 2 || key.Size(-2) > 0)
	r := torch.BeginRaw(op, query, key, value, mask)
	return r.Tensor(aten.ScaledDotProductAttention(r.Ctx, q, k, v, m, p, causal, orNil(scaled, &scale), gqa))
}

// mustHaveHeads panics if a tensor has no heads and libtorch would divide by the number
// of heads, which crashes the process.
func mustHaveHeads(op string, query, key, value *torch.Tensor, gqa bool) {
	switch {
	case gqa && hasNoHeads(key):
		panic(noHeadsError(op, "key", key.Shape()))
	case gqa && hasNoHeads(value):
		panic(noHeadsError(op, "value", value.Shape()))
	case hasNoHeads(query) && query.Dim() == 4 && query.Size(2) > 0:
		panic(noHeadsError(op, "query", query.Shape()))
	}
}

// hasNoHeads reports whether the dimension of the heads has size 0. It checks Numel
// first, because Size allocates a slice and Numel does not.
func hasNoHeads(t *torch.Tensor) bool { return t.Numel() == 0 && t.Dim() >= 3 && t.Size(-3) == 0 }

func noHeadsError(op, arg string, shape torch.Shape) *torch.Error {
	return torch.NewError(op, torch.ErrShape, arg,
		fmt.Sprintf("expected at least one head, got a tensor of shape %v", shape))
}
