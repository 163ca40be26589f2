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
	t := readTable("NewEmbedding", opts)
	l := new(Embedding)
	t.build(l, &l.Weight, rows, features, func() { l.set(&t, rows, features) }, l.ResetParameters)
	return l
}

// NewEmbeddingFromPretrained makes an Embedding of a table that is there, of shape
// (rows, features), and owns it from now on, as [NewParameter] does. It is not
// trained unless [Freeze] says so, and its row at [PaddingIdx] stays as it is. It
// panics with ErrShape for another number of dimensions, with ErrAutograd for a
// table that was computed from others, with ErrIndex for a PaddingIdx outside the
// table and with ErrNil for a nil option. Follows
// torch.nn.Embedding.from_pretrained.
func NewEmbeddingFromPretrained(embeddings *torch.Tensor, opts ...EmbeddingPretrainedOption) *Embedding {
	t := readTable("NewEmbeddingFromPretrained", opts)
	l := new(Embedding)
	t.adopt(l, &l.Weight, embeddings, func(rows, features int64) { l.set(&t, rows, features) })
	return l
}

// set keeps the options that Forward needs.
func (l *Embedding) set(t *table, rows, features int64) {
	l.pad = t.padding(rows)
	l.opts = []F.EmbeddingOption{F.ScaleGradByFreq(t.byFreq), F.Sparse(t.sparse)}
	if l.pad != nil {
		l.opts = append(l.opts, F.PaddingIdx(*l.pad))
	}
	if t.maxNorm != nil {
		l.opts = append(l.opts, *t.maxNorm, NormType(t.normType))
	}
	extra := fmt.Sprintf("%d, %d", rows, features)
	if l.pad != nil {
		extra += fmt.Sprintf(", padding_idx=%d", *l.pad)
	}
	extra += t.norms()
	if t.sparse {
		extra += ", sparse=True"
	}
	l.SetExtraRepr(extra)
}

// ResetParameters draws new values for Weight, as NewEmbedding does.
func (l *Embedding) ResetParameters() { drawRows(l.Weight, l.pad) }

// Forward takes integers of shape (*) and returns their rows, (*, features).
// With [MaxNorm] it changes rows that are too long in place. It panics with
// ErrIndex for an integer outside the table.
func (l *Embedding) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Embedding(x, l.Weight, l.opts...) })
}

// table are the options of tables of rows, read.
type table struct {
	op             string
	pad            *int64
	maxNorm        *MaxNorm
	normType       float64
	byFreq, sparse bool
	mode           Mode
	last, freeze   bool
	making
}

func readTable[O any](op string, opts []O) table {
	t := table{op: op, normType: 2, mode: ModeMean, freeze: true}
	for _, o := range opts {
		switch o := any(o).(type) {
		case PaddingIdx:
			t.pad = new(int64(o))
		case MaxNorm:
			t.maxNorm = &o
		case NormType:
			t.normType = float64(o)
		case ScaleGradByFreq:
			t.byFreq = bool(o)
		case Sparse:
			t.sparse = bool(o)
		case Mode:
			t.mode = o
		case IncludeLastOffset:
			t.last = bool(o)
		case Freeze:
			t.freeze = bool(o)
		default:
			t.making.read(op, o)
		}
	}
	return t
}

// build makes a table and registers it with l. set is called when the sizes are
// known to fit, and reset when there is a table.
func (t *table) build(l Module, weight **torch.Tensor, rows, features int64, set, reset func()) {
	t.sizes(t.op, size{"rows", rows}, size{"features", features})
	b := l.ModuleBase()
	b.start(l)
	set()
	returned := false
	defer t.undo(b, &returned)
	b.parameter("weight", weight, t.empty(rows, features))
	reset()
	t.as.register(l)
	returned = true
}

// adopt registers a table that is there with l.
func (t *table) adopt(l Module, weight **torch.Tensor, embeddings *torch.Tensor, set func(rows, features int64)) {
	embeddings.HandleFor(t.op+"(embeddings)", 0)
	s := embeddings.Shape()
	if len(s) != 2 {
		panic(torch.NewError(t.op, torch.ErrShape, "embeddings", fmt.Sprintf("expected 2 dimensions, got size %v", s)))
	}
	b := l.ModuleBase()
	b.start(l)
	set(s[0], s[1])
	asParameter(t.op, "embeddings", embeddings)
	b.parameter("weight", weight, embeddings)
	if t.freeze {
		embeddings.SetRequiresGrad(false)
	}
	t.as.register(l)
}

// padding returns the row that is not trained, counted from the first, or nil.
func (t *table) padding(rows int64) *int64 {
	if t.pad == nil {
		return nil
	}
	p := *t.pad
	if p < -rows || p >= rows {
		panic(torch.NewError(t.op, torch.ErrIndex, "PaddingIdx", fmt.Sprintf("%d is outside the %d rows", p, rows)))
	}
	if p < 0 {
		p += rows
	}
	return &p
}

// norms is what Python prints of a limit and of the gradient.
func (t *table) norms() string {
	extra := ""
	if t.maxNorm != nil {
		extra += ", max_norm=" + tensorfmt.PyFloat(float64(*t.maxNorm))
	}
	if t.normType != 2 {
		extra += ", norm_type=" + tensorfmt.PyFloat(t.normType)
	}
	if t.byFreq {
		extra += ", scale_grad_by_freq=True"
	}
	return extra
}

// drawRows draws a table from the standard normal distribution, with zeros in a row.
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
