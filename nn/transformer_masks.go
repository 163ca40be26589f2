package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of the transformers' Forward methods.
type (
	// An EncoderLayerCallOption is [SrcMask], [SrcKeyPaddingMask] or [IsCausal].
	EncoderLayerCallOption interface{ opt.EncoderPartCall }
	// An EncoderCallOption is [Mask], [SrcKeyPaddingMask] or [IsCausal].
	EncoderCallOption interface{ opt.EncoderCall }
	// A DecoderCallOption is [TgtMask], [MemoryMask], [TgtKeyPaddingMask],
	// [MemoryKeyPaddingMask], [TgtIsCausal] or [MemoryIsCausal].
	DecoderCallOption interface{ opt.DecoderCall }
	// A TransformerCallOption is a [DecoderCallOption], [SrcMask], [SrcKeyPaddingMask]
	// or [SrcIsCausal].
	TransformerCallOption interface{ opt.TransformerCall }
	// A SquareMaskOption is [Device] or [DType].
	SquareMaskOption interface{ opt.SquareMask }
)

// SrcIsCausal is a hint that the mask of the encoder is causal. Without it, the
// encoder inspects the mask.
type SrcIsCausal = opt.SrcIsCausal

// TgtIsCausal is a hint that the mask of the decoder is causal. Without it, a decoder
// inspects the mask, and a decoder layer assumes it is not causal.
type TgtIsCausal = opt.TgtIsCausal

// MemoryIsCausal is a hint that the mask of the memory is causal. The default is false.
type MemoryIsCausal = opt.MemoryIsCausal

// Mask options. In every mask, true or -inf hides a key from a query, and other numbers
// are added to the scores. A nil mask, the default, hides nothing.
type (
	// MaskOption is the result type of [Mask].
	MaskOption struct {
		opt.Mask
		t *torch.Tensor
	}
	// SrcMaskOption is the result type of [SrcMask].
	SrcMaskOption struct {
		opt.SrcMask
		t *torch.Tensor
	}
	// SrcKeyPaddingMaskOption is the result type of [SrcKeyPaddingMask].
	SrcKeyPaddingMaskOption struct {
		opt.SrcKeyPaddingMask
		t *torch.Tensor
	}
	// TgtMaskOption is the result type of [TgtMask].
	TgtMaskOption struct {
		opt.TgtMask
		t *torch.Tensor
	}
	// MemoryMaskOption is the result type of [MemoryMask].
	MemoryMaskOption struct {
		opt.MemoryMask
		t *torch.Tensor
	}
	// TgtKeyPaddingMaskOption is the result type of [TgtKeyPaddingMask].
	TgtKeyPaddingMaskOption struct {
		opt.TgtKeyPaddingMask
		t *torch.Tensor
	}
	// MemoryKeyPaddingMaskOption is the result type of [MemoryKeyPaddingMask].
	MemoryKeyPaddingMaskOption struct {
		opt.MemoryKeyPaddingMask
		t *torch.Tensor
	}
)

// Mask is a mask of shape (S, S) or (N * heads, S, S) for an encoder.
func Mask(mask *torch.Tensor) MaskOption { return MaskOption{t: mask} }

// SrcMask is a mask of shape (S, S) or (N * heads, S, S) for an encoder layer, or for
// the encoder of a [Transformer].
func SrcMask(mask *torch.Tensor) SrcMaskOption { return SrcMaskOption{t: mask} }

// SrcKeyPaddingMask is a mask of shape (N, S), or (S) without a batch, for an encoder.
func SrcKeyPaddingMask(mask *torch.Tensor) SrcKeyPaddingMaskOption {
	return SrcKeyPaddingMaskOption{t: mask}
}

// TgtMask is a mask of shape (T, T) or (N * heads, T, T) for a decoder.
func TgtMask(mask *torch.Tensor) TgtMaskOption { return TgtMaskOption{t: mask} }

// MemoryMask is a mask of shape (T, S) or (N * heads, T, S) for a decoder's attention
// to the encoder's output.
func MemoryMask(mask *torch.Tensor) MemoryMaskOption { return MemoryMaskOption{t: mask} }

// TgtKeyPaddingMask is a mask of shape (N, T), or (T) without a batch, for a decoder.
func TgtKeyPaddingMask(mask *torch.Tensor) TgtKeyPaddingMaskOption {
	return TgtKeyPaddingMaskOption{t: mask}
}

// MemoryKeyPaddingMask is a mask of shape (N, S), or (S) without a batch, for a
// decoder's attention to the encoder's output.
func MemoryKeyPaddingMask(mask *torch.Tensor) MemoryKeyPaddingMaskOption {
	return MemoryKeyPaddingMaskOption{t: mask}
}

// causalHint is an optional bool, None in Python if it is not given.
type causalHint struct{ isGiven, value bool }

func newCausalHint(is bool) causalHint { return causalHint{true, is} }

// GenerateSquareSubsequentMask returns a new mask of shape (size, size): -inf where a
// key is later than its query and 0 elsewhere. It panics with ErrValue for a negative
// size. Follows torch.nn.Transformer.generate_square_subsequent_mask.
func GenerateSquareSubsequentMask(size int64, opts ...SquareMaskOption) *torch.Tensor {
	const op = "GenerateSquareSubsequentMask"
	var maker paramMaker
	for _, o := range opts {
		maker.read(op, o)
	}
	if size < 0 {
		panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected a size of at least 0, got %d", size)))
	}
	return torch.Full(torch.Shape{size, size}, math.Inf(-1), maker.dtype, maker.device).Triu_(1)
}

// isCausal reports whether a mask for size queries is causal. It returns the hint h if
// it is given, and otherwise inspects the mask. Follows _detect_is_causal_mask.
func isCausal(mask *torch.Tensor, h causalHint, size int64) bool {
	if h.isGiven || mask == nil {
		return h.value
	}
	if !mask.Shape().Equal(torch.Shape{size, size}) || mask.Device() == torch.Meta {
		return false
	}
	var want *torch.Tensor
	if mask.DType() == torch.Bool {
		want = torch.Ones(torch.Shape{size, size}, torch.Bool, mask.Device()).Triu_(1)
	} else {
		want = torch.Full(torch.Shape{size, size}, math.Inf(-1), mask.DType(), mask.Device()).Triu_(1)
	}
	same := mask.Equal(want)
	own.ReleaseAll(want)
	return same
}

// sequenceLength returns the length of the sequences in x.
func sequenceLength(x *torch.Tensor, batchFirst bool) int64 {
	if x.Dim() == 3 && batchFirst {
		return x.Size(1)
	}
	return x.Size(0)
}
