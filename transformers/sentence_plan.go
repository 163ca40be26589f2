package transformers

import (
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/t5"
	"github.com/gotorch/gotorch/transformers/weights"
)

// A SentencePlan says how much memory a [SentenceTransformer] needs, before it is loaded.
type SentencePlan struct {
	Weights            int64 // bytes of the parameters
	EmbeddingDimension int64 // the number of features of an embedding

	token int64 // bytes of the features of a token while they are computed
}

// NewSentencePlan reads the configuration and the list of tensors of a model that
// [LoadSentenceTransformer] would load with the same options. It reads no weights.
func NewSentencePlan(dir string, opts ...models.NewOption) (SentencePlan, error) {
	var p SentencePlan
	if err := p.read(dir, opts); err != nil {
		return SentencePlan{}, fmt.Errorf("transformers.NewSentencePlan: %w", err)
	}
	return p, nil
}

// BatchBytes returns about the memory that a batch of tokens, with its padding, needs
// besides the weights.
func (p SentencePlan) BatchBytes(tokens int64) int64 { return tokens * p.token }

func (p *SentencePlan) read(dir string, opts []models.NewOption) error {
	modules, err := readModules(dir)
	if err != nil {
		return err
	}
	if modules == nil {
		modules = []sentenceModule{{}}
	}
	config, newModel, err := find(filepath.Join(dir, modules[0].Path), textEncoders)
	if err != nil {
		return err
	}
	m, err := newModel(config, nil, onMeta(opts)...)
	if err != nil {
		return err
	}
	hidden, inner := int64(0), int64(0)
	switch m := m.(type) {
	case *bert.Model:
		hidden, inner = m.Config.HiddenSize, m.Config.IntermediateSize
	case *clip.TextModel:
		hidden, inner = m.Config.HiddenSize, m.Config.IntermediateSize
	case *t5.EncoderModel:
		hidden, inner = max(m.Config.Model, m.Config.Heads*m.Config.KeyValue), 2*m.Config.FeedForward
	}
	if err := m.ModuleBase().Close(); err != nil {
		return err
	}
	size := int64(4)
	for _, o := range opts {
		if d, ok := o.(models.DType); ok && d != 0 {
			size = torch.DType(d).Size()
		}
	}
	// What is there at the widest place of a layer: the features before and after the layer's
	// halves, and those of its feed-forward network before and after the activation.
	p.token, p.EmbeddingDimension = size*(2*inner+8*hidden), hidden
	for i, module := range modules {
		if err := p.add(i, module, filepath.Join(dir, module.Path), opts); err != nil {
			return err
		}
	}
	return nil
}

// add adds the module i, whose files are in dir.
func (p *SentencePlan) add(i int, module sentenceModule, dir string, opts []models.NewOption) error {
	kind := module.kind()
	switch {
	case kind == "Pooling":
		pool, err := readPooling(dir, p.EmbeddingDimension)
		p.EmbeddingDimension *= int64(len(pool.modes))
		return err
	case kind == "Dense":
		c, err := readDense(dir, p.EmbeddingDimension)
		if err != nil {
			return err
		}
		p.EmbeddingDimension = c.Out
	case i > 0 && kind != "LayerNorm": // without parameters
		return nil
	}
	n, err := weightBytes(dir, opts)
	p.Weights += n
	return err
}

// weightBytes returns the bytes of a folder's tensors.
func weightBytes(dir string, opts []models.NewOption) (n int64, err error) {
	file, err := weights.Open(dir, weightOptions(opts)...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	for _, name := range file.Names() {
		t, err := file.Meta(name)
		if err != nil {
			return 0, err
		}
		n += t.NBytes()
		_ = t.Close()
	}
	return n, nil
}
