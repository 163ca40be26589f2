package bert

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// ForMaskedLM predicts masked tokens. Follows BertForMaskedLM and RobertaForMaskedLM.
type ForMaskedLM struct {
	nn.Base
	Config Config      `torch:"-"`
	Body   *Model      // named bert or roberta
	CLS    *MLMHead    `torch:"cls"`     // of BERT, otherwise nil
	LMHead *Prediction `torch:"lm_head"` // of RoBERTa, otherwise nil
}

// NewForMaskedLM returns a model with random weights; see [NewModel].
func NewForMaskedLM(c Config, opts ...models.NewOption) (*ForMaskedLM, error) {
	m := new(ForMaskedLM)
	c, err := addBody(m, &m.Body, c, "ForMaskedLM", false, opts)
	if err != nil {
		return nil, err
	}
	m.Config = c
	models.Build("bert.NewForMaskedLM", opts, func() {
		if c.isRoberta() {
			m.LMHead = newPrediction(c)
		} else {
			m.CLS = newMLMHead(c)
		}
	})
	m.TieWeights()
	return m, nil
}

// addBody initializes m, a model with a head, and gives it its body.
func addBody(m nn.Module, body **Model, c Config, name string, pools bool, opts []models.NewOption) (Config, error) {
	c.AddPoolingLayer = pools
	b, err := NewModel(c, opts...)
	if err != nil {
		return c, err
	}
	c = b.Config
	base := m.ModuleBase()
	base.Init(m, nn.TypeName(kinds[c.ModelType]+name))
	base.Register(c.prefix(), b) // before the field is set, which would register it as body
	*body = b
	return c, nil
}

// TieWeights makes the head share the embedding's weights if the configuration says so.
// Call it after the weights were replaced. Follows tie_weights.
func (m *ForMaskedLM) TieWeights() {
	if !m.Config.TieWordEmbedding {
		return
	}
	head := m.LMHead
	if m.CLS != nil {
		head = m.CLS.Predictions
	}
	models.Tie(head.Decoder, m.Body.Embeddings.WordEmbeddings)
	if l, ok := head.Decoder.(*models.Linear); ok {
		l.Bias = head.Bias
	}
}

// Forward implements [models.MaskedLM].
func (m *ForMaskedLM) Forward(ids *torch.Tensor, opts ...models.EncoderOption) *torch.Tensor {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		x := m.Body.run("ForMaskedLM.Forward", ids, opts)
		if m.LMHead != nil {
			return m.LMHead.Forward(x)
		}
		return m.CLS.Forward(x)
	})
}

// MaxLength implements [models.MaskedLM].
func (m *ForMaskedLM) MaxLength() int64 { return m.Config.longest() }

// LoadOptions let LoadStateDict read the files of transformers, old ones included.
func (m *ForMaskedLM) LoadOptions() []nn.LoadOption {
	if m.LMHead != nil {
		return m.Config.loadOptions("lm_head.")
	}
	return m.Config.loadOptions("cls.predictions.")
}

// MLMHead is the head of a BERT. Follows BertOnlyMLMHead.
type MLMHead struct {
	nn.Base
	Predictions *Prediction
}

func newMLMHead(c Config) *MLMHead {
	l := new(MLMHead)
	l.Init(l, nn.TypeName("BertOnlyMLMHead"))
	l.Predictions = newPrediction(c)
	return l
}

// Forward takes features (N, T, hidden) and returns logits (N, T, vocabulary).
func (l *MLMHead) Forward(x *torch.Tensor) *torch.Tensor { return l.Call(x, l.Predictions.Forward) }

// Prediction computes logits of tokens. Follows BertLMPredictionHead, which has a
// Transform, and RobertaLMHead, which has Dense and LayerNorm.
type Prediction struct {
	nn.Base
	Transform *Transform    // of BERT, otherwise nil
	Dense     nn.Layer      // of RoBERTa, otherwise nil
	LayerNorm *nn.LayerNorm // of RoBERTa, otherwise nil
	Decoder   nn.Layer
	Bias      *torch.Tensor // Decoder's bias if the weights are tied
}

func newPrediction(c Config) *Prediction {
	l := new(Prediction)
	if c.isRoberta() {
		l.Init(l, nn.TypeName("RobertaLMHead"))
		l.Dense = linear(c, c.HiddenSize, c.HiddenSize)
		l.LayerNorm = norm(c)
	} else {
		l.Init(l, nn.TypeName("BertLMPredictionHead"))
		l.Transform = newTransform(c)
	}
	l.Decoder = linear(c, c.HiddenSize, c.VocabSize)
	l.Bias = l.RegisterParameter("bias", torch.Zeros(torch.Shape{c.VocabSize}))
	return l
}

// Forward takes features (N, T, hidden) and returns logits (N, T, vocabulary).
func (l *Prediction) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if l.Transform != nil {
			return l.Decoder.Forward(l.Transform.Forward(x))
		}
		return l.Decoder.Forward(l.LayerNorm.Forward(F.GELU(l.Dense.Forward(x))))
	})
}

// Transform is the first half of a BERT's head. Follows BertPredictionHeadTransform.
type Transform struct {
	nn.Base
	Dense     nn.Layer
	LayerNorm *nn.LayerNorm `torch:"LayerNorm"`
	act       func(*torch.Tensor) *torch.Tensor
}

func newTransform(c Config) *Transform {
	l := new(Transform)
	l.act, _ = models.Activation(c.HiddenAct) // check has checked it
	l.Init(l, nn.TypeName("BertPredictionHeadTransform"))
	l.Dense = linear(c, c.HiddenSize, c.HiddenSize)
	l.LayerNorm = norm(c)
	return l
}

// Forward takes x of shape (*, hidden) and returns a new tensor of that shape.
func (l *Transform) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.LayerNorm.Forward(l.act(l.Dense.Forward(x))) })
}
