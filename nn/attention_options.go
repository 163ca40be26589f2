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

// DropoutP is the dropout probability of a layer that uses dropout internally; dropout in
// Python. The default is 0, or 0.1 in transformers.
type DropoutP = opt.DropoutP

// BatchFirst says whether the inputs and results of attention, recurrent and transformer
// layers have shape (N, L, E) instead of (L, N, E). The default is false.
type BatchFirst = opt.BatchFirst

// KDim is the size of a [MultiheadAttention]'s keys. The default is the size of the
// queries.
type KDim = opt.KDim

// VDim is the size of a [MultiheadAttention]'s values. The default is the size of the
// queries.
type VDim = opt.VDim

// AddBiasKV says whether a learned key and a learned value are added to the keys and
// values of a [MultiheadAttention]. The default is false.
type AddBiasKV = opt.AddBiasKV

// AddZeroAttn says whether a key and a value of zeros are added to the keys and values of
// a [MultiheadAttention]. The default is false.
type AddZeroAttn = opt.AddZeroAttn

type (
	// NeedWeights says whether Forward also returns the weights. The default is
	// true. With false, libtorch can use its fast kernels.
	NeedWeights = opt.NeedWeights
	// AverageAttnWeights says whether the weights are averaged over the heads. The
	// default is true. With false they are returned for each head, (N, heads, L, S).
	// With NeedWeights(false) it is ErrValue; Python ignores it then.
	AverageAttnWeights = opt.AverageAttnWeights
	// IsCausal says whether later keys are hidden from a query. The default is false.
	// Together with an [AttnMask] it is only a hint that the mask is causal, as in
	// PyTorch.
	IsCausal = opt.IsCausal
	// AttnMaskOption is the result type of [AttnMask].
	AttnMaskOption = opt.AttnMask
	// KeyPaddingMaskOption is the result type of [KeyPaddingMask].
	KeyPaddingMaskOption = opt.KeyPaddingMask
)

// AttnMask is an option of an attention's Forward: a mask of shape (L, S) or (N*heads, L,
// S). Where a bool mask is true, it hides a key from a query. Other masks are added to
// the scores; -inf hides a key. A nil mask hides nothing.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// KeyPaddingMask is an option of an attention's Forward: a mask of shape (N, S) or
// (S). true or -inf hides a key from all queries. A nil mask hides nothing.
func KeyPaddingMask(mask *torch.Tensor) KeyPaddingMaskOption { return opt.NewKeyPaddingMask(mask) }
