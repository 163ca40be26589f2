package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// EmbeddingBag looks up rows of a table and combines them, bag by bag. Follows
// torch.nn.EmbeddingBag.
type EmbeddingBag struct {
	Base
	Weight *torch.Tensor // (rows, features)
	opts   []F.EmbeddingBagOption
	pad    *int64 // the row that does not count, or nil
}

// NewEmbeddingBag makes a table of rows with the given number of features, drawn
// from the standard normal distribution. It panics with ErrValue for sizes that are
// negative or too large and for an unknown [Mode], with ErrOutOfMemory, with
// ErrIndex for a [PaddingIdx] outside the table and with ErrNil for a nil option.
// Follows torch.nn.EmbeddingBag.
func NewEmbeddingBag(rows, features int64, opts ...EmbeddingBagOption) *EmbeddingBag {
	t := readTable("NewEmbeddingBag", opts)
	l := new(EmbeddingBag)
	t.build(l, &l.Weight, rows, features, func() { l.set(&t, rows, features) }, l.ResetParameters)
	return l
}

// NewEmbeddingBagFromPretrained makes an EmbeddingBag of a table that is there, of
// shape (rows, features), and owns it from now on, as [NewParameter] does. It is not
// trained unless [Freeze] says so. It panics as [NewEmbeddingFromPretrained] does,
// and with ErrValue for an unknown [Mode]. Follows
// torch.nn.EmbeddingBag.from_pretrained.
func NewEmbeddingBagFromPretrained(embeddings *torch.Tensor, opts ...EmbeddingBagPretrainedOption) *EmbeddingBag {
	t := readTable("NewEmbeddingBagFromPretrained", opts)
	l := new(EmbeddingBag)
	t.adopt(l, &l.Weight, embeddings, func(rows, features int64) { l.set(&t, rows, features) })
	return l
}

// set keeps the options that Forward needs.
func (l *EmbeddingBag) set(t *table, rows, features int64) {
	switch t.mode {
	case ModeSum, ModeMean, ModeMax:
	default:
		panic(torch.NewError(t.op, torch.ErrValue, "Mode", fmt.Sprintf("expected sum, mean or max, got %q", string(t.mode))))
	}
	l.pad = t.padding(rows)
	l.opts = []F.EmbeddingBagOption{F.ScaleGradByFreq(t.byFreq), t.mode, F.Sparse(t.sparse), F.IncludeLastOffset(t.last)}
	if l.pad != nil {
		l.opts = append(l.opts, F.PaddingIdx(*l.pad))
	}
	if t.maxNorm != nil {
		l.opts = append(l.opts, *t.maxNorm, NormType(t.normType))
	}
	extra := fmt.Sprintf("%d, %d%s, mode='%s'", rows, features, t.norms(), string(t.mode))
	if l.pad != nil {
		extra += fmt.Sprintf(", padding_idx=%d", *l.pad)
	}
	l.SetExtraRepr(extra)
}

// ResetParameters draws new values for Weight, as NewEmbeddingBag does.
func (l *EmbeddingBag) ResetParameters() { drawRows(l.Weight, l.pad) }

// Forward takes integers of shape (B, N), with a bag in each row, and nil offsets;
// or integers of shape (N), one bag after the other, and where each begins, of shape
// (B). It returns (B, features). [PerSampleWeights] multiplies the rows. With
// [MaxNorm] it changes rows that are too long in place. Hooks see the integers and
// the offsets. It panics as F.EmbeddingBag does.
func (l *EmbeddingBag) Forward(input, offsets *torch.Tensor, opts ...EmbeddingBagCallOption) *torch.Tensor {
	var weights *torch.Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case PerSampleWeightsOption:
			weights = o.Tensor()
		default:
			panic(opt.Unknown("EmbeddingBag", o))
		}
	}
	return leaf2(l, input, offsets, func(input, offsets *torch.Tensor) *torch.Tensor {
		all := append(l.opts[:len(l.opts):len(l.opts)], F.PerSampleWeights(weights))
		return F.EmbeddingBag(input, l.Weight, offsets, all...)
	})
}
