package bert

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForSequenceClassification assigns a label to a text. Follows
// BertForSequenceClassification and RobertaForSequenceClassification.
type ForSequenceClassification struct {
	nn.Base
	Config     Config      `torch:"-"`
	Body       *Model      // named bert or roberta
	Dropout    *nn.Dropout // nil for RoBERTa, whose Classifier has one
	Classifier nn.Layer    // a linear layer, or the ClassificationHead of RoBERTa
}

// NewForSequenceClassification returns a model with random weights; see [NewModel].
func NewForSequenceClassification(c Config, opts ...models.NewOption) (*ForSequenceClassification, error) {
	const op = "bert.NewForSequenceClassification"
	if len(c.Labels.Names) == 0 {
		return nil, fmt.Errorf("%s: %w: there are no labels", op, torch.ErrValue)
	}
	m := new(ForSequenceClassification)
	c, err := addBody(m, &m.Body, c, "ForSequenceClassification", !c.isRoberta(), opts)
	if err != nil {
		return nil, err
	}
	m.Config = c
	models.Build(op, opts, func() {
		if c.isRoberta() {
			m.Classifier = newClassificationHead(c)
			return
		}
		m.Dropout = nn.NewDropout(c.classifierDropout())
		m.Classifier = linear(c, c.HiddenSize, int64(len(c.Labels.Names)))
	})
	return m, nil
}

// Forward implements [models.SequenceClassifier].
func (m *ForSequenceClassification) Forward(ids *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		x := m.Body.run("ForSequenceClassification.Forward", ids, opts)
		if m.Body.Pooler != nil {
			x = m.Dropout.Forward(m.Body.Pooler.Forward(x))
		}
		return m.Classifier.Forward(x)
	})
}

// Labels implements [models.SequenceClassifier].
func (m *ForSequenceClassification) Labels() []string { return slices.Clone(m.Config.Labels.Names) }

// MaxLength implements [models.SequenceClassifier].
func (m *ForSequenceClassification) MaxLength() int64 { return m.Config.longest() }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForSequenceClassification) LoadOptions() []nn.LoadOption {
	return m.Config.loadOptions("classifier.")
}

// ClassificationHead computes logits of labels from the feature of the first token. Follows
// RobertaClassificationHead.
type ClassificationHead struct {
	nn.Base
	Dense, OutProj nn.Layer
	Dropout        *nn.Dropout
}

func newClassificationHead(c Config) *ClassificationHead {
	l := new(ClassificationHead)
	l.Init(l, nn.TypeName("RobertaClassificationHead"))
	l.Dense = linear(c, c.HiddenSize, c.HiddenSize)
	l.OutProj = linear(c, c.HiddenSize, int64(len(c.Labels.Names)))
	l.Dropout = nn.NewDropout(c.classifierDropout())
	return l
}

// Forward takes features (N, T, hidden) and returns logits (N, labels).
func (l *ClassificationHead) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = l.Dense.Forward(l.Dropout.Forward(x.Select(1, 0))).Tanh()
		return l.OutProj.Forward(l.Dropout.Forward(x))
	})
}

// ForTokenClassification assigns a label to each token. Follows BertForTokenClassification
// and RobertaForTokenClassification.
type ForTokenClassification struct {
	nn.Base
	Config     Config `torch:"-"`
	Body       *Model // named bert or roberta
	Dropout    *nn.Dropout
	Classifier nn.Layer
}

// NewForTokenClassification returns a model with random weights; see [NewModel].
func NewForTokenClassification(c Config, opts ...models.NewOption) (*ForTokenClassification, error) {
	const op = "bert.NewForTokenClassification"
	if len(c.Labels.Names) == 0 {
		return nil, fmt.Errorf("%s: %w: there are no labels", op, torch.ErrValue)
	}
	m := new(ForTokenClassification)
	c, err := addBody(m, &m.Body, c, "ForTokenClassification", false, opts)
	if err != nil {
		return nil, err
	}
	m.Config = c
	models.Build(op, opts, func() {
		m.Dropout = nn.NewDropout(c.classifierDropout())
		m.Classifier = linear(c, c.HiddenSize, int64(len(c.Labels.Names)))
	})
	return m, nil
}

// Forward implements [models.TokenClassifier].
func (m *ForTokenClassification) Forward(ids *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(m.Dropout.Forward(m.Body.run("ForTokenClassification.Forward", ids, opts)))
	})
}

// Labels implements [models.TokenClassifier].
func (m *ForTokenClassification) Labels() []string { return slices.Clone(m.Config.Labels.Names) }

// MaxLength implements [models.TokenClassifier].
func (m *ForTokenClassification) MaxLength() int64 { return m.Config.longest() }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForTokenClassification) LoadOptions() []nn.LoadOption {
	return m.Config.loadOptions("classifier.")
}

// ForQuestionAnswering finds answers in texts. Follows BertForQuestionAnswering and
// RobertaForQuestionAnswering.
type ForQuestionAnswering struct {
	nn.Base
	Config    Config   `torch:"-"`
	Body      *Model   // named bert or roberta
	QAOutputs nn.Layer `torch:"qa_outputs"`
}

// NewForQuestionAnswering returns a model with random weights; see [NewModel].
func NewForQuestionAnswering(c Config, opts ...models.NewOption) (*ForQuestionAnswering, error) {
	m := new(ForQuestionAnswering)
	c, err := addBody(m, &m.Body, c, "ForQuestionAnswering", false, opts)
	if err != nil {
		return nil, err
	}
	m.Config = c
	models.Build("bert.NewForQuestionAnswering", opts, func() { m.QAOutputs = linear(c, c.HiddenSize, 2) })
	return m, nil
}

// Forward implements [models.QuestionAnswerer].
func (m *ForQuestionAnswering) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (start, end *torch.Tensor) {
	out := m.CallN([]*torch.Tensor{ids}, func(in []*torch.Tensor) []*torch.Tensor {
		x := m.QAOutputs.Forward(m.Body.run("ForQuestionAnswering.Forward", in[0], opts))
		return []*torch.Tensor{x.Select(-1, 0), x.Select(-1, 1)}
	})
	return out[0], out[1]
}

// MaxLength implements [models.QuestionAnswerer].
func (m *ForQuestionAnswering) MaxLength() int64 { return m.Config.longest() }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForQuestionAnswering) LoadOptions() []nn.LoadOption {
	return m.Config.loadOptions("qa_outputs.")
}
