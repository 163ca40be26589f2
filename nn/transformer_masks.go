package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of the Forward of transformers.
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

// SrcIsCausal is a hint that the mask of the encoder is causal. Without it, the mask is
// looked at.
type SrcIsCausal = opt.SrcIsCausal

// TgtIsCausal is a hint that the mask of the decoder is causal. Without it, a decoder
// looks at the mask, and a layer takes it to be none.
type TgtIsCausal = opt.TgtIsCausal

// MemoryIsCausal is a hint that the mask of the memory is causal. The default is false.
type MemoryIsCausal = opt.MemoryIsCausal

// Options that are masks. In all of them true or -inf hides a key from a query, other
// numbers are added to the scores, and nil, the default, hides nothing.
type (
	// MaskOption is what [Mask] returns.
	MaskOption struct {
		opt.Mask
		t *torch.Tensor
	}
	// SrcMaskOption is what [SrcMask] returns.
	SrcMaskOption struct {
		opt.SrcMask
		t *torch.Tensor
	}
	// SrcKeyPaddingMaskOption is what [SrcKeyPaddingMask] returns.
	SrcKeyPaddingMaskOption struct {
		opt.SrcKeyPaddingMask
		t *torch.Tensor
	}
	// TgtMaskOption is what [TgtMask] returns.
	TgtMaskOption struct {
		opt.TgtMask
		t *torch.Tensor
	}
	// MemoryMaskOption is what [MemoryMask] returns.
	MemoryMaskOption struct {
		opt.MemoryMask
		t *torch.Tensor
	}
	// TgtKeyPaddingMaskOption is what [TgtKeyPaddingMask] returns.
	TgtKeyPaddingMaskOption struct {
		opt.TgtKeyPaddingMask
		t *torch.Tensor
	}
	// MemoryKeyPaddingMaskOption is what [MemoryKeyPaddingMask] returns.
	MemoryKeyPaddingMaskOption struct {
		opt.MemoryKeyPaddingMask
		t *torch.Tensor
	}
)

// Mask is a mask of shape (S, S) or (N * heads, S, S) for an encoder.
func Mask(mask *torch.Tensor) MaskOption { return MaskOption{t: mask} }

// SrcMask is a mask of shape (S, S) or (N * heads, S, S) for a layer of an encoder, or
// the encoder of a [Transformer].
func SrcMask(mask *torch.Tensor) SrcMaskOption { return SrcMaskOption{t: mask} }

// SrcKeyPaddingMask is a mask of shape (N, S), or (S) without a batch, for an encoder.
func SrcKeyPaddingMask(mask *torch.Tensor) SrcKeyPaddingMaskOption {
	return SrcKeyPaddingMaskOption{t: mask}
}

// TgtMask is a mask of shape (T, T) or (N * heads, T, T) for a decoder.
func TgtMask(mask *torch.Tensor) TgtMaskOption { return TgtMaskOption{t: mask} }

// MemoryMask is a mask of shape (T, S) or (N * heads, T, S) of what a decoder reads from
// the encoder.
func MemoryMask(mask *torch.Tensor) MemoryMaskOption { return MemoryMaskOption{t: mask} }

// TgtKeyPaddingMask is a mask of shape (N, T), or (T) without a batch, for a decoder.
func TgtKeyPaddingMask(mask *torch.Tensor) TgtKeyPaddingMaskOption {
	return TgtKeyPaddingMaskOption{t: mask}
}

// MemoryKeyPaddingMask is a mask of shape (N, S), or (S) without a batch, of what a
// decoder reads from the encoder.
func MemoryKeyPaddingMask(mask *torch.Tensor) MemoryKeyPaddingMaskOption {
	return MemoryKeyPaddingMaskOption{t: mask}
}

// hint is a bool that may not be given, None in Python.
type hint struct{ given, is bool }

func hinted(is bool) hint { return hint{true, is} }

// GenerateSquareSubsequentMask returns a mask of shape (size, size), -inf where a key is
// later than its query and 0 elsewhere, a new tensor. It panics with ErrValue for a
// negative size, and with ErrNil for a nil option.
// Follows torch.nn.Transformer.generate_square_subsequent_mask.
func GenerateSquareSubsequentMask(size int64, opts ...SquareMaskOption) *torch.Tensor {
	const op = "GenerateSquareSubsequentMask"
	var made making
	for _, o := range opts {
		made.read(op, o)
	}
	if size < 0 {
		panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected a size from 0, got %d", size)))
	}
	return torch.Full(torch.Shape{size, size}, math.Inf(-1), made.dtype, made.device).Triu_(1)
}

// isCausal says whether a mask for size queries is causal: what the hint says, or else
// what is in the mask. Follows _detect_is_causal_mask.
func isCausal(mask *torch.Tensor, h hint, size int64) bool {
	if h.given || mask == nil {
		return h.is
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

// sequenceLength is the number of elements of the sequences in x.
func sequenceLength(x *torch.Tensor, batchFirst bool) int64 {
	if x.Dim() == 3 && batchFirst {
		return x.Size(1)
	}
	return x.Size(0)
}
