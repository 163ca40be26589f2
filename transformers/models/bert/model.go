package bert

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// Model is the model without a head. Follows BertModel and RobertaModel.
type Model struct {
	nn.Base
	Config     Config `torch:"-"`
	Embeddings *Embeddings
	Encoder    *Stack
	Pooler     *Pooler // nil without Config.AddPoolingLayer
}

// NewModel returns a model with random weights. With models.Device(torch.Meta) it has none
// until LoadStateDict with nn.Assign sets them. The error names the field of the
// configuration that is wrong.
func NewModel(c Config, opts ...models.NewOption) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("bert.NewModel: %w: %w", torch.ErrValue, err)
	}
	m := &Model{Config: c.clone()}
	m.Init(m, nn.TypeName(kinds[c.ModelType]+"Model"))
	models.Build("bert.NewModel", opts, func() {
		m.Embeddings = newEmbeddings(c)
		m.Encoder = newStack(c)
		if c.AddPoolingLayer {
			m.Pooler = newPooler(c)
		}
	})
	return m, nil
}

// Forward implements [models.Encoder].
func (m *Model) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (features, pooled *torch.Tensor) {
	out := m.CallN([]*torch.Tensor{ids}, func(in []*torch.Tensor) []*torch.Tensor {
		x := m.run("Model.Forward", in[0], opts)
		if m.Pooler == nil {
			return []*torch.Tensor{x}
		}
		return []*torch.Tensor{x, m.Pooler.Forward(x)}
	})
	if len(out) == 1 {
		return out[0], nil
	}
	return out[0], out[1]
}

func (m *Model) run(op string, ids *torch.Tensor, opts []models.EncoderOption) *torch.Tensor {
	in := models.ReadEncoderInputs(op, ids, m.Config.longest(), opts)
	return m.Encoder.forward(m.Embeddings.forward(in), in.Mask)
}

// MaxLength implements [models.Encoder].
func (m *Model) MaxLength() int64 { return m.Config.longest() }

// LoadOptions let LoadStateDict read the files of transformers, those with a head and old
// ones included.
func (m *Model) LoadOptions() []nn.LoadOption { return m.Config.loadOptions("") }
