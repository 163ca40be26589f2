package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// EmbeddingBag looks up rows of a table and combines the rows of each bag.
// Follows torch.nn.EmbeddingBag.
type EmbeddingBag struct {
	Base
	Weight                  *torch.Tensor // shape (NumEmbeddings, EmbeddingDim)
	NumEmbeddings           int64
	EmbeddingDim            int64
	MaxNorm                 *float64 // the largest norm of a row, or nil
	NormType                float64
	ScaleGradByFreq, Sparse bool
	Mode                    Mode
	IncludeLastOffset       bool
	PaddingIdx              *int64 // the index of the row that is ignored, or nil
}

// NewEmbeddingBag makes a table of rows with the given number of features, drawn from
// the standard normal distribution. It panics with ErrValue for sizes that are
// negative or too large and for an unknown [Mode], and with ErrIndex for a
// [PaddingIdx] outside the table. Follows torch.nn.EmbeddingBag.
func NewEmbeddingBag(rows, features int64, opts ...EmbeddingBagOption) *EmbeddingBag {
	t := readTable("NewEmbeddingBag", opts)
	l := new(EmbeddingBag)
	t.build(l, &l.Weight, rows, features, func() { l.setOptions(&t, rows, features) }, l.ResetParameters)
	return l
}

// NewEmbeddingBagFromPretrained makes an EmbeddingBag from an existing table of shape
// (rows, features). It takes ownership of the table, as [NewParameter] does. The
// table is not trained unless Freeze(false) is given. It panics as
// [NewEmbeddingFromPretrained] does, and with ErrValue for an unknown [Mode].
// Follows torch.nn.EmbeddingBag.from_pretrained.
func NewEmbeddingBagFromPretrained(embeddings *torch.Tensor, opts ...EmbeddingBagPretrainedOption) *EmbeddingBag {
	t := readTable("NewEmbeddingBagFromPretrained", opts)
	l := new(EmbeddingBag)
	t.adoptTable(l, &l.Weight, embeddings, func(rows, features int64) { l.setOptions(&t, rows, features) })
	return l
}

func (l *EmbeddingBag) setOptions(t *tableOptions, rows, features int64) {
	switch t.mode {
	case ModeSum, ModeMean, ModeMax:
	default:
		panic(torch.NewError(t.op, torch.ErrValue, "Mode",
			fmt.Sprintf("expected sum, mean or max, got %q", string(t.mode))))
	}
	l.NumEmbeddings, l.EmbeddingDim, l.PaddingIdx = rows, features, t.paddingIndex(rows)
	l.MaxNorm, l.NormType, l.ScaleGradByFreq, l.Sparse = t.maxNorm, t.normType, t.scaleGradByFreq, t.sparse
	l.Mode, l.IncludeLastOffset = t.mode, t.includeLastOffset
}

func (l *EmbeddingBag) describe() string {
	s := fmt.Sprintf("%d, %d%s, mode='%s'", l.NumEmbeddings, l.EmbeddingDim,
		describeNorms(l.MaxNorm, l.NormType, l.ScaleGradByFreq), string(l.Mode))
	if l.PaddingIdx != nil {
		s += fmt.Sprintf(", padding_idx=%d", *l.PaddingIdx)
	}
	return s
}

// ResetParameters draws new values for Weight, as NewEmbeddingBag does.
func (l *EmbeddingBag) ResetParameters() {
	mustBeMade("EmbeddingBag.ResetParameters", l)
	drawRows(l.Weight, l.PaddingIdx)
}

// Forward returns one combined row per bag, (B, features). input contains integers. If it
// has shape (B, N), each row is a bag, and offsets is nil. If it has shape (N), it holds
// the bags one after the other, and offsets, of shape (B), holds the start of each bag.
// [PerSampleWeights] multiplies the rows. With [MaxNorm], each row that is used and whose
// norm exceeds the maximum is first scaled down in place. Hooks receive input and
// offsets. Forward panics as F.EmbeddingBag does.
func (l *EmbeddingBag) Forward(input, offsets *torch.Tensor, opts ...EmbeddingBagCallOption) *torch.Tensor {
	weights := opt.Read("EmbeddingBag", opts, PerSampleWeightsOption{})
	return callLayer2(l, input, offsets, func(input, offsets *torch.Tensor) *torch.Tensor {
		opts := append(make([]F.EmbeddingBagOption, 0, 8), F.ScaleGradByFreq(l.ScaleGradByFreq), l.Mode,
			F.Sparse(l.Sparse),
			F.IncludeLastOffset(l.IncludeLastOffset), F.PerSampleWeights(weights.Tensor()))
		if l.PaddingIdx != nil {
			opts = append(opts, F.PaddingIdx(*l.PaddingIdx))
		}
		if l.MaxNorm != nil {
			opts = append(opts, F.MaxNorm(*l.MaxNorm), F.NormType(l.NormType))
		}
		return F.EmbeddingBag(input, l.Weight, offsets, opts...)
	})
}
