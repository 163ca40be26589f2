package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An EmbeddingBagOption is an option of [EmbeddingBag]: [MaxNorm], [NormType],
// [ScaleGradByFreq], a [Mode], [Sparse], [PerSampleWeights], [IncludeLastOffset] or
// [PaddingIdx].
type EmbeddingBagOption interface{ opt.EmbeddingBagFunc }

// bagArgs holds the parsed options of EmbeddingBag.
type bagArgs struct {
	hasMaxNorm, scaleGradByFreq, sparse, includeLastOffset, hasPadding bool
	maxNorm, normType                                                  float64
	mode                                                               int64
	padding                                                            int64
}

// bagModes lists the modes. The index of a mode is its number in libtorch.
var bagModes = [...]Mode{ModeSum, ModeMean, ModeMax}

const bagSum, bagMean, bagMax = 0, 1, 2

// EmbeddingBag combines the rows of each bag and returns a tensor of shape (B, features),
// with zeros for an empty bag. ModeMean, the default, takes the mean of the rows, ModeSum
// the sum and ModeMax the largest elements. weight has shape (rows, features).
//
// input is int32 or int64. With shape (B, N), it holds one bag per row, and offsets is
// nil. With shape (N), it holds all bags one after the other, and offsets, of shape (B)
// and input's dtype, holds the start of each bag. With [IncludeLastOffset], offsets has
// one more element, the end of the last bag.
//
// [PerSampleWeights] multiplies the rows. A row at [PaddingIdx] is ignored. With
// [MaxNorm], each row that is used and whose norm exceeds the maximum is first scaled
// down in place.
//
// EmbeddingBag panics with ErrShape for a wrong number of dimensions and with ErrIndex
// for an index or a PaddingIdx outside weight. It panics with ErrValue for missing or
// superfluous offsets, an unknown mode, and options that exclude each other. Follows
// torch.nn.functional.embedding_bag.
func EmbeddingBag(input, weight, offsets *torch.Tensor, opts ...EmbeddingBagOption) *torch.Tensor {
	const op = "EmbeddingBag(input, weight, offsets)"
	b := bagArgs{normType: 2, mode: bagMean}
	var samples *torch.Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case MaxNorm:
			b.hasMaxNorm, b.maxNorm = true, float64(o)
		case NormType:
			b.normType = float64(o)
		case ScaleGradByFreq:
			b.scaleGradByFreq = bool(o)
		case Mode:
			b.mode = -1
			for i, word := range bagModes {
				if o == word {
					b.mode = int64(i)
				}
			}
			if b.mode < 0 {
				panic(torch.NewError(op, torch.ErrValue, "Mode",
					"expected sum, mean or max, got "+strconv.Quote(string(o))))
			}
		case Sparse:
			b.sparse = bool(o)
		case PerSampleWeightsOption:
			samples = o.Tensor()
		case IncludeLastOffset:
			b.includeLastOffset = bool(o)
		case PaddingIdx:
			b.hasPadding, b.padding = true, int64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	b.mustFit(op, input, weight, offsets, samples)
	if input.Dim() == 1 {
		return b.run(op, input, weight, offsets, samples)
	}
	// Each row of input is a bag. libtorch needs all indices in one dimension and the
	// offset of each bag.
	b.includeLastOffset = false
	flat, starts := splitRows(op, input)
	defer func() { _, _ = flat.Close(), starts.Close() }()
	if samples == nil {
		return b.run(op, flat, weight, starts, nil)
	}
	factors := flatten(op, samples)
	defer func() { _ = factors.Close() }()
	return b.run(op, flat, weight, starts, factors)
}

func (b *bagArgs) mustFit(op string, input, weight, offsets, samples *torch.Tensor) {
	input.HandleFor(op, 0)
	weight.HandleFor(op, 1)
	offsets.OptionalHandleFor(op, 2)
	fail := func(kind error, arg, format string, args ...any) {
		panic(torch.NewError(op, kind, arg, fmt.Sprintf(format, args...)))
	}
	if d := weight.Dim(); d != 2 {
		fail(torch.ErrShape, "weight", "expected 2 dimensions, got size %v", weight.Shape())
	}
	switch d := input.Dim(); {
	case d != 1 && d != 2:
		fail(torch.ErrShape, "input", "expected 1 or 2 dimensions, got size %v", input.Shape())
	case d == 2 && offsets != nil:
		fail(torch.ErrValue, "offsets",
			"expected nil for an input of 2 dimensions, where each row is a bag, got size %v", offsets.Shape())
	case d == 2 && input.Size(1) == 0:
		fail(torch.ErrValue, "input", "expected at least one index in each bag, got size %v", input.Shape())
	case d == 1 && offsets == nil:
		fail(torch.ErrValue, "offsets", "expected the start of each bag, because input has 1 dimension, got nil")
	case d == 1 && offsets.Dim() != 1:
		fail(torch.ErrShape, "offsets", "expected 1 dimension, got size %v", offsets.Shape())
	}
	if b.mode == bagMax && b.scaleGradByFreq {
		fail(torch.ErrValue, "ScaleGradByFreq", "cannot be combined with ModeMax")
	}
	if b.mode == bagMax && b.sparse {
		fail(torch.ErrValue, "Sparse", "ModeMax has no sparse gradient")
	}
	if samples != nil {
		samples.HandleFor("EmbeddingBag(PerSampleWeights)", 0)
		if !samples.Shape().Equal(input.Shape()) {
			fail(torch.ErrShape, "PerSampleWeights", "expected the size of input, %v, got %v", input.Shape(),
				samples.Shape())
		}
		if b.mode != bagSum {
			fail(torch.ErrValue, "PerSampleWeights", "applies only to ModeSum, got mode %s", bagModes[b.mode])
		}
	}
	if b.hasPadding {
		rows := weight.Size(0)
		if b.padding < -rows || b.padding >= rows {
			fail(torch.ErrIndex, "PaddingIdx", "%d is out of range for the %d rows of weight", b.padding, rows)
		}
	}
}

func (b *bagArgs) run(op string, input, weight, offsets, samples *torch.Tensor) *torch.Tensor {
	h, w, o, s := input.HandleFor(op, 0), weight.HandleFor(op, 1), offsets.HandleFor(op, 2),
		samples.OptionalHandleFor(op, 0)
	padding := orNil(b.hasPadding, &b.padding)
	if b.hasMaxNorm {
		r := torch.BeginRaw(op, input, weight)
		r.Status(aten.EmbeddingRenorm_(r.Ctx|abi.CtxNoGrad, w, h, b.maxNorm, b.normType))
	}
	r := torch.BeginRaw(op, input, weight, offsets)
	r.Use(samples)
	out, st := aten.EmbeddingBagPaddingIdx(r.Ctx, w, h, o, b.scaleGradByFreq, b.mode, b.sparse, s,
		b.includeLastOffset, padding)
	r.Status(st)
	for _, more := range out[1:] {
		_ = r.Wrap(more).Close() // the autograd graph keeps what the backward pass needs
	}
	return r.Wrap(out[0])
}

// splitRows flattens a matrix of indices and returns it with the offset at which each
// row starts.
func splitRows(op string, input *torch.Tensor) (flat, starts *torch.Tensor) {
	flat = flatten(op, input)
	returned := false
	defer func() {
		if !returned {
			_ = flat.Close()
		}
	}()
	starts = torch.Arange(int64(0), input.Numel(), input.Size(1), input.DType(), input.Device())
	returned = true
	return flat, starts
}

func flatten(op string, x *torch.Tensor) *torch.Tensor {
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Reshape(cx, h, []int64{-1}) }, x)
}
