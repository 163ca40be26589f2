package nn

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	nninit "github.com/gotorch/gotorch/nn/init"
	"github.com/gotorch/gotorch/torch"
)

// Embedding looks up rows of a table.
type Embedding struct {
	Base
	Weight *torch.Tensor // (rows, features)
	opts   []F.EmbeddingOption
	pad    *int64 // the row of zeros, or nil
}

// EmbeddingOptions are the rarer arguments of [NewEmbedding].
type EmbeddingOptions struct {
	PaddingIdx      *int64 // a row of zeros that is not trained; nil: none
	ScaleGradByFreq bool   // divide a row's gradient by how often it occurs
	Sparse          bool   // a sparse gradient
	Device          torch.Device
	DType           torch.DType
}

// NewEmbedding makes a table of rows with the given number of features, drawn
// from the standard normal distribution. It panics with ErrValue for negative
// sizes and with ErrIndex for a PaddingIdx beyond the rows. Follows
// torch.nn.Embedding.
func NewEmbedding(rows, features int64, opts ...EmbeddingOptions) *Embedding {
	const op = "NewEmbedding"
	o := option(op, opts)
	checkSizes(op, rows, features)
	l := &Embedding{opts: []F.EmbeddingOption{F.ScaleGradByFreq(o.ScaleGradByFreq), F.Sparse(o.Sparse)}}
	extra := fmt.Sprintf("%d, %d", rows, features)
	if o.PaddingIdx != nil {
		p := *o.PaddingIdx
		if p < -rows || p >= rows {
			panic(torch.NewError(op, torch.ErrIndex, "PaddingIdx", fmt.Sprintf("%d is outside the %d rows", p, rows)))
		}
		if p < 0 {
			p += rows
		}
		l.pad, l.opts = &p, append(l.opts, F.PaddingIdx(p))
		extra += fmt.Sprintf(", padding_idx=%d", p)
	}
	l.Weight = parameter(torch.Shape{rows, features}, o.DType, o.Device)
	l.tidy = l
	l.RegisterParameter("weight", l.Weight)
	l.SetExtraRepr(extra)
	l.ResetParameters()
	return l
}

// ResetParameters draws Weight anew, as NewEmbedding does.
func (l *Embedding) ResetParameters() {
	nninit.Normal_(l.Weight, 0, 1)
	if p := l.pad; p != nil {
		torch.NoGrad(func() {
			row := l.Weight.Index(*p)
			defer func() { _ = row.Close() }()
			nninit.Zeros_(row)
		})
	}
}

// Forward takes integers of shape (*) and returns (*, features).
func (l *Embedding) Forward(x *torch.Tensor) *torch.Tensor {
	return F.Embedding(x, l.Weight, l.opts...)
}
