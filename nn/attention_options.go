package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

type (
	// An AttentionOption is [DropoutP], [Bias], [BatchFirst], [KDim], [VDim],
	// [AddBiasKV], [AddZeroAttn], [Device], [DType] or [Base.As].
	AttentionOption interface{ opt.AttentionLayer }
	// An AttentionCallOption is [NeedWeights], [AverageAttnWeights], [AttnMask],
	// [KeyPaddingMask] or [IsCausal].
	AttentionCallOption interface{ opt.AttentionCall }
)

// DropoutP is the probability with which a layer that drops as a part of its work
// does so while training, dropout in Python. The default is 0, in a transformer 0.1.
type DropoutP = opt.DropoutP

// BatchFirst makes the inputs and results of attentions, recurrent layers and
// transformers (N, L, E) instead of (L, N, E). The default is false.
type BatchFirst = opt.BatchFirst

// KDim is the size of the keys that a [MultiheadAttention] takes. The default is that of
// the queries.
type KDim = opt.KDim

// VDim is the size of the values that a [MultiheadAttention] takes. The default is that
// of the queries.
type VDim = opt.VDim

// AddBiasKV gives a [MultiheadAttention] a key and a value of its own, which are trained.
// The default is false.
type AddBiasKV = opt.AddBiasKV

// AddZeroAttn gives a [MultiheadAttention] a key and a value of zeros. The default is
// false.
type AddZeroAttn = opt.AddZeroAttn

type (
	// NeedWeights says whether Forward also returns the weights. The default is
	// true. With false, libtorch can use its fast kernels.
	NeedWeights = opt.NeedWeights
	// AverageAttnWeights says whether the weights are averaged over the heads. The
	// default is true. With false they are returned for each head, (N, heads, L, S).
	AverageAttnWeights = opt.AverageAttnWeights
	// IsCausal hides later keys from a query. The default is false. Together with
	// an [AttnMask] it is only a hint, as in PyTorch: that mask is causal.
	IsCausal = opt.IsCausal
	// AttnMaskOption is what [AttnMask] returns.
	AttnMaskOption = opt.AttnMask
	// KeyPaddingMaskOption is what [KeyPaddingMask] returns.
	KeyPaddingMaskOption = opt.KeyPaddingMask
)

// AttnMask is an option of an attention's Forward, a mask of shape (L, S) or (N
// * heads, L, S). true or -inf hides a key from a query; other numbers are
// added to the scores. Nil hides nothing.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// KeyPaddingMask is an option of an attention's Forward, a mask of shape (N, S)
// or (S). true or -inf hides a key from all queries. Nil hides nothing.
func KeyPaddingMask(mask *torch.Tensor) KeyPaddingMaskOption { return opt.NewKeyPaddingMask(mask) }
