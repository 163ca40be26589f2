package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An EmbeddingOption is an option of [Embedding]: [PaddingIdx], [MaxNorm],
// [NormType], [ScaleGradByFreq] or [Sparse].
type EmbeddingOption interface{ opt.EmbeddingFunc }

// Embedding looks up rows of weight, which has shape (rows, features). int32 or int64
// input of shape (*) gives a result of shape (*, features). With [MaxNorm], looked-up
// rows whose norm exceeds the maximum are first scaled down in place. It panics with
// ErrIndex for an index or a PaddingIdx outside weight, and with ErrDType for input of
// any other dtype. Follows torch.nn.functional.embedding.
func Embedding(input, weight *torch.Tensor, opts ...EmbeddingOption) *torch.Tensor {
	const op = "Embedding(input, weight)"
	var padding int64
	var padded, limited, byFreq, sparse bool
	var maxNorm float64
	normType := 2.0
	for _, o := range opts {
		switch o := o.(type) {
		case PaddingIdx:
			padded, padding = true, int64(o)
		case MaxNorm:
			limited, maxNorm = true, float64(o)
		case NormType:
			normType = float64(o)
		case ScaleGradByFreq:
			byFreq = bool(o)
		case Sparse:
			sparse = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h, w := input.HandleFor(op, 0), weight.HandleFor(op, 1)
	if padded {
		rows := weight.Size(0)
		if padding < -rows || padding >= rows {
			panic(torch.NewError(op, torch.ErrIndex, "PaddingIdx",
				fmt.Sprintf("%d is out of range for the %d rows of weight", padding, rows)))
		}
		if padding < 0 {
			padding += rows
		}
	} else {
		padding = -1
	}
	if limited {
		r := torch.BeginRaw(op, input, weight)
		r.Status(aten.EmbeddingRenorm_(r.Ctx|abi.CtxNoGrad, w, h, maxNorm, normType))
	}
	r := torch.BeginRaw(op, input, weight)
	return r.Tensor(aten.Embedding(r.Ctx, w, h, padding, byFreq, sparse))
}

// OneHot returns an int64 tensor with the shape of input plus a last dimension of size
// NumClasses: for each index of input, 1 at that index and 0 elsewhere. input is int64.
// By default, and with -1, NumClasses is one more than the largest index; for an empty
// input it must be given. It panics with ErrValue for an index that is negative or at
// least NumClasses, and for a NumClasses below 1 other than -1. It panics with ErrDType
// for input of any other dtype. Follows torch.nn.functional.one_hot.
func OneHot(input *torch.Tensor, numClasses ...NumClasses) *torch.Tensor {
	const op = "OneHot(input)"
	classes := int64(lastOption(numClasses, -1))
	h := input.HandleFor(op, 0)
	switch dtype := input.DType(); {
	case dtype != torch.Int64:
		panic(torch.NewError(op, torch.ErrDType, "input", "expected int64, got "+dtype.String()))
	case classes < 1 && classes != -1:
		panic(torch.NewError(op, torch.ErrValue, "NumClasses",
			fmt.Sprintf("expected a positive number, or -1, got %d", classes)))
	case classes == -1 && input.Numel() == 0:
		panic(torch.NewError(op, torch.ErrValue, "NumClasses", "required, because input is empty"))
	}
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.OneHot(r.Ctx, h, classes))
}
