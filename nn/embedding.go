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
	Weight                  *torch.Tensor // shape (NumEmbeddings, EmbeddingDim)
	NumEmbeddings           int64
	EmbeddingDim            int64
	PaddingIdx              *int64   // the index of the row that is not trained, or nil
	MaxNorm                 *float64 // the largest norm of a row, or nil
	NormType                float64
	ScaleGradByFreq, Sparse bool
}

// NewEmbedding makes a table of rows with the given number of features, drawn from
// the standard normal distribution. It panics with ErrValue for sizes that are
// negative or too large, and with ErrIndex for a [PaddingIdx] outside the table.
// Follows torch.nn.Embedding.
func NewEmbedding(rows, features int64, opts ...EmbeddingOption) *Embedding {
	t := readTable("NewEmbedding", opts)
	l := new(Embedding)
	t.build(l, &l.Weight, rows, features, func() { l.setOptions(&t, rows, features) }, l.ResetParameters)
	return l
}

// NewEmbeddingFromPretrained makes an Embedding from an existing table of shape
// (rows, features). It takes ownership of the table, as [NewParameter] does. The
// table is not trained unless Freeze(false) is given. The row at [PaddingIdx] keeps
// its values. It panics with ErrShape unless the table has two dimensions, with
// ErrAutograd for a table that was computed from other tensors, and with ErrIndex for
// a PaddingIdx outside the table. Follows torch.nn.Embedding.from_pretrained.
func NewEmbeddingFromPretrained(embeddings *torch.Tensor, opts ...EmbeddingPretrainedOption) *Embedding {
	t := readTable("NewEmbeddingFromPretrained", opts)
	l := new(Embedding)
	t.adoptTable(l, &l.Weight, embeddings, func(rows, features int64) { l.setOptions(&t, rows, features) })
	return l
}

func (l *Embedding) setOptions(t *tableOptions, rows, features int64) {
	l.NumEmbeddings, l.EmbeddingDim, l.PaddingIdx = rows, features, t.paddingIndex(rows)
	l.MaxNorm, l.NormType, l.ScaleGradByFreq, l.Sparse = t.maxNorm, t.normType, t.scaleGradByFreq, t.sparse
}

func (l *Embedding) describe() string {
	s := fmt.Sprintf("%d, %d", l.NumEmbeddings, l.EmbeddingDim)
	if l.PaddingIdx != nil {
		s += fmt.Sprintf(", padding_idx=%d", *l.PaddingIdx)
	}
	s += describeNorms(l.MaxNorm, l.NormType, l.ScaleGradByFreq)
	if l.Sparse {
		s += ", sparse=True"
	}
	return s
}

// ResetParameters draws new values for Weight, as NewEmbedding does.
func (l *Embedding) ResetParameters() {
	mustBeMade("Embedding.ResetParameters", l)
	drawRows(l.Weight, l.PaddingIdx)
}

// Forward takes integers of shape (*) and returns their rows, (*, features). With
// [MaxNorm], each of these rows whose norm exceeds the maximum is first scaled down in
// place. Forward panics with ErrIndex for an integer outside the table.
func (l *Embedding) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		opts := append(make([]F.EmbeddingOption, 0, 5), F.ScaleGradByFreq(l.ScaleGradByFreq), F.Sparse(l.Sparse))
		if l.PaddingIdx != nil {
			opts = append(opts, F.PaddingIdx(*l.PaddingIdx))
		}
		if l.MaxNorm != nil {
			opts = append(opts, F.MaxNorm(*l.MaxNorm), F.NormType(l.NormType))
		}
		return F.Embedding(x, l.Weight, opts...)
	})
}

// tableOptions holds the parsed options of embedding tables.
type tableOptions struct {
	op                        string
	pad                       *int64
	maxNorm                   *float64
	normType                  float64
	scaleGradByFreq, sparse   bool
	mode                      Mode
	includeLastOffset, freeze bool
	paramMaker
}

func readTable[O any](op string, opts []O) tableOptions {
	t := tableOptions{op: op, normType: 2, mode: ModeMean, freeze: true}
	for _, o := range opts {
		switch o := any(o).(type) {
		case PaddingIdx:
			t.pad = new(int64(o))
		case MaxNorm:
			t.maxNorm = new(float64(o))
		case NormType:
			t.normType = float64(o)
		case ScaleGradByFreq:
			t.scaleGradByFreq = bool(o)
		case Sparse:
			t.sparse = bool(o)
		case Mode:
			t.mode = o
		case IncludeLastOffset:
			t.includeLastOffset = bool(o)
		case Freeze:
			t.freeze = bool(o)
		default:
			t.paramMaker.read(op, o)
		}
	}
	return t
}

// build makes a table and registers it with l. It calls set after checking the sizes,
// and reset after making the table.
func (t *tableOptions) build(l Module, weight **torch.Tensor, rows, features int64, set, reset func()) {
	t.setSizes(t.op, size{"rows", rows}, size{"features", features})
	b := l.ModuleBase()
	b.startLayer(l)
	set()
	returned := false
	defer t.closeAfterPanic(b, &returned)
	b.parameter("weight", weight, t.empty(rows, features))
	reset()
	t.as.register(l)
	returned = true
}

// adoptTable registers an existing table with l.
func (t *tableOptions) adoptTable(l Module, weight **torch.Tensor, embeddings *torch.Tensor,
	set func(rows, features int64),
) {
	embeddings.HandleFor(t.op+"(embeddings)", 0)
	s := embeddings.Shape()
	if len(s) != 2 {
		panic(torch.NewError(t.op, torch.ErrShape, "embeddings", fmt.Sprintf("expected 2 dimensions, got size %v", s)))
	}
	b := l.ModuleBase()
	b.startLayer(l)
	set(s[0], s[1])
	toParameter(t.op, "embeddings", embeddings, !t.freeze)
	b.parameter("weight", weight, embeddings)
	t.as.register(l)
}

// paddingIndex returns the non-negative index of the row that is not trained, or nil.
func (t *tableOptions) paddingIndex(rows int64) *int64 {
	if t.pad == nil {
		return nil
	}
	p := *t.pad
	if p < -rows || p >= rows {
		panic(torch.NewError(t.op, torch.ErrIndex, "PaddingIdx", fmt.Sprintf("%d is out of range for %d rows", p,
			rows)))
	}
	if p < 0 {
		p += rows
	}
	return &p
}

// describeNorms formats the norm limit and the gradient settings as Python prints
// them.
func describeNorms(maxNorm *float64, normType float64, byFreq bool) string {
	s := ""
	if maxNorm != nil {
		s += ", max_norm=" + tensorfmt.PyFloat(*maxNorm)
	}
	if normType != 2 {
		s += ", norm_type=" + tensorfmt.PyFloat(normType)
	}
	if byFreq {
		s += ", scale_grad_by_freq=True"
	}
	return s
}

// drawRows fills a table from the standard normal distribution. If zero is not nil, it
// then sets row *zero to 0.
func drawRows(weight *torch.Tensor, zero *int64) {
	nninit.Normal_(weight, 0, 1)
	if zero == nil {
		return
	}
	torch.NoGrad(func() {
		row := weight.Index(*zero)
		defer func() { _ = row.Close() }()
		nninit.Zeros_(row)
	})
}
