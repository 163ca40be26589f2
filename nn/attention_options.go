package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// WithDropout is the probability with which [NewMultiheadAttention] drops
// weights while training, dropout in Python. The default is 0.
type WithDropout float64

// BatchFirst makes the inputs and the result of an attention (N, L, E) instead
// of (L, N, E). The default is false.
type BatchFirst bool

func (WithDropout) AttentionLayer() {}
func (BatchFirst) AttentionLayer()  {}

// NeedWeights says whether Forward also returns the weights. The default is
// true. With false, libtorch can use its fast kernels.
type NeedWeights bool

// AverageAttnWeights says whether the weights are averaged over the heads. The
// default is true. With false they are returned for each head, (N, heads, L,
// S).
type AverageAttnWeights bool

// IsCausal hides later keys from a query. The default is false. Together with
// an [AttnMask] it is only a hint, as in PyTorch, and the mask decides.
type IsCausal = opt.IsCausal

func (NeedWeights) AttentionCall()        {}
func (AverageAttnWeights) AttentionCall() {}

// AttnMaskOption is what [AttnMask] returns.
type AttnMaskOption = opt.AttnMask

// AttnMask is an option of an attention's Forward, a mask of shape (L, S) or (N
// * heads, L, S). true or -inf hides a key from a query; other numbers are
// added to the scores. Nil hides nothing.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// KeyPaddingMaskOption is what [KeyPaddingMask] returns.
type KeyPaddingMaskOption struct{ t *torch.Tensor }

func (KeyPaddingMaskOption) AttentionCall() {}

// KeyPaddingMask is an option of an attention's Forward, a mask of shape (N, S)
// or (S). true or -inf hides a key from all queries. Nil hides nothing.
func KeyPaddingMask(mask *torch.Tensor) KeyPaddingMaskOption { return KeyPaddingMaskOption{mask} }
