package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Embedding looks up rows of a table. Follows torch.nn.Embedding.
type Embedding struct {
	Base
	Weight *torch.Tensor // (rows, features)
	opts   []F.EmbeddingOption
	pad    *int64 // the row of zeros, or nil
}

// NewEmbedding makes a table of rows with the given number of features, drawn
// from the standard normal distribution. It panics with ErrValue for sizes that
// are negative or too large, with ErrOutOfMemory, with ErrIndex for a
// [PaddingIdx] outside the table and with ErrNil for a nil option. Follows
// torch.nn.Embedding.
func NewEmbedding(rows, features int64, opts ...EmbeddingOption) *Embedding {
	const op = "NewEmbedding"
	l := new(Embedding)
	extra := fmt.Sprintf("%d, %d", rows, features)
	byFreq, sparse := false, false
	var maxNorm *MaxNorm
	normType := 2.0
	var made making
	made.sizes(op, size{"rows", rows}, size{"features", features})
	for _, o := range opts {
		switch o := o.(type) {
		case PaddingIdx:
			l.pad = new(paddingRow(op, int64(o), rows))
		case MaxNorm:
			maxNorm = &o
		case NormType:
			normType = float64(o)
		case ScaleGradByFreq:
			byFreq = bool(o)
		case Sparse:
			sparse = bool(o)
		default:
			made.read(op, o)
		}
	}
	l.opts = []F.EmbeddingOption{F.ScaleGradByFreq(byFreq), F.Sparse(sparse)}
	if l.pad != nil {
		extra += fmt.Sprintf(", padding_idx=%d", *l.pad)
		l.opts = append(l.opts, F.PaddingIdx(*l.pad))
	}
	if maxNorm != nil {
		extra += ", max_norm=" + tensorfmt.PyFloat(float64(*maxNorm))
		l.opts = append(l.opts, *maxNorm, NormType(normType))
	}
	if normType != 2 {
		extra += ", norm_type=" + tensorfmt.PyFloat(normType)
	}
	if byFreq {
		extra += ", scale_grad_by_freq=True"
	}
	if sparse {
		extra += ", sparse=True"
	}
	l.start(l)
	returned := false
	defer made.undo(&l.Base, &returned)
	l.parameter("weight", &l.Weight, made.empty(rows, features))
	l.SetExtraRepr(extra)
	l.ResetParameters()
	made.as.register(l)
	returned = true
	return l
}

func paddingRow(op string, p, rows int64) int64 {
	if p < -rows || p >= rows {
		panic(torch.NewError(op, torch.ErrIndex, "PaddingIdx", fmt.Sprintf("%d is outside the %d rows", p, rows)))
	}
	if p < 0 {
		p += rows
	}
	return p
}

// ResetParameters draws new values for Weight, as NewEmbedding does.
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

// Forward takes integers of shape (*) and returns their rows, (*, features).
// With [MaxNorm] it changes rows that are too long in place. It panics with
// ErrIndex for an integer outside the table.
func (l *Embedding) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Embedding(x, l.Weight, l.opts...) })
}
