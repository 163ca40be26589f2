package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// WithDropout is the probability with which [NewMultiheadAttention] drops
// weights while training, dropout in Python; 0 without it.
type WithDropout float64

// BatchFirst makes the inputs and the result of an attention (N, L, E) instead
// of (L, N, E); false without it.
type BatchFirst bool

func (WithDropout) AttentionLayer() {}
func (BatchFirst) AttentionLayer()  {}

// NeedWeights returns the weights beside the result; true without it. Without
// the weights libtorch can use its fast kernels.
type NeedWeights bool

// AverageAttnWeights returns the mean of the weights over the heads, true without
// it, or those of each head, (N, heads, L, S).
type AverageAttnWeights bool

// IsCausal hides later keys from a query; false without it. Beside an [AttnMask]
// it is a hint, as in PyTorch: the mask is what counts.
type IsCausal = opt.IsCausal

func (NeedWeights) AttentionCall()        {}
func (AverageAttnWeights) AttentionCall() {}

// AttnMaskOption is what [AttnMask] returns.
type AttnMaskOption = opt.AttnMask

// AttnMask is an option of an attention's Forward, of shape (L, S) or (N * heads,
// L, S): true, or -inf, hides a key from a query; other numbers are added to the
// scores. Nil hides nothing.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// KeyPaddingMaskOption is what [KeyPaddingMask] returns.
type KeyPaddingMaskOption struct{ t *torch.Tensor }

func (KeyPaddingMaskOption) AttentionCall() {}

// KeyPaddingMask is an option of an attention's Forward, of shape (N, S) or (S):
// true, or -inf, hides a key from all queries. Nil hides nothing.
func KeyPaddingMask(mask *torch.Tensor) KeyPaddingMaskOption { return KeyPaddingMaskOption{mask} }
