package transformers

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/quant"
)

// A Plan says how much memory a language model needs, before it is loaded.
type Plan struct {
	Weights   int64        // bytes of the parameters
	Cache     kvcache.Spec // of keys and values: its Bytes and PoolBytes
	VocabSize int64
	MaxLength int64 // the largest number of tokens of a text
}

// NewPlan reads the configuration and the list of tensors of a model that [Load] would load
// with the same options. It reads no weights.
func NewPlan(path string, opts ...models.NewOption) (Plan, error) {
	read := planOfFolder
	if strings.HasSuffix(path, ".gguf") {
		read = planOfGGUF
	}
	p, err := read(path, opts)
	if err != nil {
		return Plan{}, fmt.Errorf("transformers.NewPlan: %w", err)
	}
	return p, nil
}

// onMeta returns the options of a model without memory.
func onMeta(opts []models.NewOption) []models.NewOption {
	return append(opts[:len(opts):len(opts)], models.Device(torch.Meta))
}

func (p *Plan) describe(m models.CausalLM) {
	p.Cache, p.VocabSize, p.MaxLength = m.CacheSpec(), m.VocabSize(), m.MaxLength()
	_ = m.ModuleBase().Close()
}

func planOfFolder(dir string, opts []models.NewOption) (p Plan, err error) {
	config, newModel, err := find(dir, causalModels)
	if err != nil {
		return p, err
	}
	m, err := newModel(config, nil, onMeta(opts)...)
	if err != nil {
		return p, err
	}
	p.describe(m)
	p.Weights, err = weightBytes(dir, opts)
	return p, err
}

func planOfGGUF(path string, opts []models.NewOption) (p Plan, err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return p, err
	}
	defer func() { _ = f.Close() }()
	c, err := configOfGGUF(f)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	m, err := llama.NewForCausalLM(c, onMeta(opts)...)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	p.describe(m)
	size := int64(4)
	for _, o := range opts {
		if d, ok := o.(models.DType); ok {
			size = torch.DType(d).Size()
		}
	}
	for _, name := range f.Names() {
		info, err := f.Tensor(name)
		if err != nil {
			return p, err
		}
		if len(info.Shape) == 2 && quant.Supported(info.Type) {
			p.Weights += info.Bytes
			continue
		}
		p.Weights += info.Shape.Numel() * size
	}
	return p, nil
}
