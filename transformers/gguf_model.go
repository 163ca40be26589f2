package transformers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/quant"
)

// LoadGGUF loads a language model from a GGUF file of the architectures llama, qwen2 and
// qwen3. Matrices in a format that [quant.Supported] knows keep their blocks, so the model
// needs about as much memory as the file. Other matrices become float32, or the dtype of
// models.DType. The model is on the CPU and in evaluation mode; the caller closes it.
//
// The error is torch.ErrUnsupported for other architectures, tensors and devices, and
// torch.ErrFormat for a file whose tensors do not fit its metadata; see gguf.Open for other
// errors. LoadGGUF panics with ErrNil for a nil option.
func LoadGGUF(path string, opts ...models.NewOption) (models.CausalLM, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("transformers.LoadGGUF: %w", err)
	}
	defer func() { _ = f.Close() }()
	c, err := configOfGGUF(f)
	if err == nil {
		err = checkDevice(opts)
	}
	if err != nil {
		return nil, fmt.Errorf("transformers.LoadGGUF: %s: %w", path, err)
	}
	m, err := llama.NewForCausalLM(c, append(slices.Clone(opts), models.Device(torch.Meta))...)
	if err == nil {
		err = loadGGUF(m, c, f, opts)
		if err != nil {
			_ = m.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("transformers.LoadGGUF: %s: %w", path, err)
	}
	m.Eval()
	return m, nil
}

// configOfGGUF returns the configuration that the metadata describes.
func configOfGGUF(f *gguf.File) (llama.Config, error) {
	arch, _ := f.String("general.architecture")
	if !slices.Contains([]string{"llama", "qwen2", "qwen3"}, arch) {
		return llama.Config{}, fmt.Errorf("%w: the architecture %q; llama, qwen2 and qwen3 are supported",
			torch.ErrUnsupported, arch)
	}
	n := func(key string, other int64) int64 {
		if v, ok := f.Int(arch + "." + key); ok {
			return v
		}
		return other
	}
	x := func(key string, other float64) float64 {
		if v, ok := f.Float(arch + "." + key); ok {
			return v
		}
		return other
	}
	heads := n("attention.head_count", 0)
	c := llama.Config{
		ModelType: arch, HiddenSize: n("embedding_length", 0), IntermediateSize: n("feed_forward_length", 0),
		HiddenLayers: int(n("block_count", 0)), AttentionHeads: heads,
		KeyValueHeads: n("attention.head_count_kv", heads), HeadDim: n("attention.key_length", 0), HiddenAct: "silu",
		MaxPositions:     n("context_length", 0),
		InitializerRange: 0.02, RMSNormEps: x("attention.layer_norm_rms_epsilon", 1e-6), QKNorm: arch == "qwen3",
		AttentionBias: arch == "qwen2", Rope: models.Rope{Type: "default", Theta: x("rope.freq_base", 10000)},
	}
	embedding, err := f.Tensor("token_embd.weight")
	if err != nil {
		return c, err
	}
	if len(embedding.Shape) != 2 {
		return c, fmt.Errorf("%w: token_embd.weight: expected a matrix, got the shape %v", torch.ErrFormat,
			embedding.Shape)
	}
	if c.HiddenLayers > len(f.Names()) { // or a small file could ask for much memory
		return c, fmt.Errorf("%w: %s.block_count is %d, but the file has only %d tensors", torch.ErrFormat, arch,
			c.HiddenLayers, len(f.Names()))
	}
	c.VocabSize = embedding.Shape[0]
	_, err = f.Tensor("output.weight")
	c.TieWordEmbedding = err != nil
	for part, bias := range map[string]*bool{
		"attn_q": &c.AttentionBias, "attn_output": &c.OutputBias, "ffn_up": &c.MLPBias,
	} {
		if _, err := f.Tensor("blk.0." + part + ".bias"); err == nil {
			*bias = true
		}
	}
	return c, ropeOfGGUF(&c, arch, f)
}

// ropeOfGGUF reads how positions are scaled.
func ropeOfGGUF(c *llama.Config, arch string, f *gguf.File) error {
	if _, err := f.Tensor("rope_freqs.weight"); err == nil {
		t, err := f.Load("rope_freqs.weight")
		if err != nil {
			return err
		}
		var factors []float64
		torch.Scope(func() { factors = t.Double().Float64s() })
		_ = t.Close()
		c.Rope.Type, c.Rope.ShortFactor, c.Rope.LongFactor = "longrope", factors, factors
		c.Rope.AttentionFactor = new(1.0)
		return nil
	}
	kind, _ := f.String(arch + ".rope.scaling.type")
	switch kind {
	case "", "none":
		return nil
	case "linear", "yarn":
		c.Rope.Type = kind
		c.Rope.Factor, _ = f.Float(arch + ".rope.scaling.factor")
		c.Rope.OriginalMaxPositions, _ = f.Int(arch + ".rope.scaling.original_context_length")
		return nil
	}
	return fmt.Errorf("%w: rope.scaling.type %q", torch.ErrUnsupported, kind)
}

// namesOfGGUF are the names of the parts of a layer, and those of transformers.
var namesOfGGUF = map[string]string{
	"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
	"attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
	"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
	"ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}

// nameOfGGUF returns transformers' name of a tensor, or "" for other tensors.
func nameOfGGUF(name string) (string, error) {
	switch name {
	case "token_embd.weight":
		return "model.embed_tokens.weight", nil
	case "output_norm.weight":
		return "model.norm.weight", nil
	case "output.weight":
		return "lm_head.weight", nil
	case "rope_freqs.weight":
		return "", nil
	}
	parts := strings.Split(name, ".")
	if len(parts) == 4 && parts[0] == "blk" && namesOfGGUF[parts[2]] != "" {
		return "model.layers." + parts[1] + "." + namesOfGGUF[parts[2]] + "." + parts[3], nil
	}
	return "", noPlace(name)
}

func noPlace(name string) error {
	return fmt.Errorf("%w: the tensor %q has no place in the model", torch.ErrUnsupported, name)
}

// checkDevice refuses devices for which there are no kernels.
func checkDevice(opts []models.NewOption) error {
	for _, o := range opts {
		d, ok := o.(models.Device)
		if device := torch.Device(d); ok && device != torch.CPU && device != 0 {
			return fmt.Errorf("%w: models.Device: quantized weights are on the CPU, not on %v", torch.ErrUnsupported,
				device)
		}
	}
	return nil
}

// loadGGUF puts the tensors of the file into m.
func loadGGUF(m *llama.ForCausalLM, c llama.Config, f *gguf.File, opts []models.NewOption) error {
	var state nn.StateDict
	defer func() {
		for _, t := range state {
			_ = t.Tensor.Close()
		}
	}()
	shapes := map[string]torch.Shape{} // of the parameters of m
	for _, p := range m.NamedParameters() {
		shapes[p.Name] = p.Tensor.Shape()
	}
	for _, from := range f.Names() {
		t, err := loadTensor(m, c, f, from, shapes, opts)
		if err != nil {
			return err
		}
		if t.Tensor != nil {
			state = append(state, t)
		}
	}
	if err := m.LoadStateDict(state, nn.Assign(true)); err != nil {
		return err
	}
	m.TieWeights()
	return nil
}

// loadTensor returns a tensor of the file under its name in m, and in its order. It returns no
// tensor if m does not need it or already has it.
func loadTensor(m *llama.ForCausalLM, c llama.Config, f *gguf.File, from string, shapes map[string]torch.Shape,
	opts []models.NewOption,
) (named nn.NamedTensor, err error) {
	name, err := nameOfGGUF(from)
	if err != nil || name == "" {
		return named, err
	}
	info, err := f.Tensor(from)
	if err != nil {
		return named, err
	}
	if shape, ok := shapes[name]; !ok {
		return named, noPlace(from)
	} else if !slices.Equal(shape, info.Shape) {
		return named, fmt.Errorf("%w: %s: expected the shape %v, got %v", torch.ErrFormat, from, shape, info.Shape)
	}
	rows := rowsOfGGUF(from, info.Shape, c)
	defer func() { _ = rows.Close() }()
	if len(info.Shape) == 2 && quant.Supported(info.Type) {
		return named, keepBlocks(m, f, from, name, info, rows)
	}
	t, err := f.Load(from, loadOptions(opts)...)
	if err != nil {
		return named, err
	}
	moved := reordered(t, rows)
	if moved != t {
		_ = t.Close()
	}
	return nn.NamedTensor{Name: name, Tensor: moved}, nil
}

func loadOptions(opts []models.NewOption) (out []gguf.LoadOption) {
	for _, o := range opts {
		if d, ok := o.(models.DType); ok {
			out = append(out, gguf.DType(d))
		}
	}
	return out
}

// keepBlocks replaces the layer of a weight by one with the blocks of the file.
func keepBlocks(m *llama.ForCausalLM, f *gguf.File, from, name string, info gguf.Info, rows *torch.Tensor) error {
	var b *torch.Tensor
	var err error
	torch.Scope(func() {
		var mapped *torch.Tensor
		if mapped, err = f.RawTensor(from); err == nil {
			b = torch.Disown(reordered(mapped.View(info.Shape[0], -1), rows).Clone())
		}
	})
	if err != nil {
		return err
	}
	path := strings.TrimSuffix(name, ".weight")
	if name == "model.embed_tokens.weight" {
		replace(m, path, quant.NewEmbedding(b, info.Type))
		if m.Config.TieWordEmbedding {
			replace(m, "lm_head", quant.NewLinear(b, info.Type, nil))
		}
		return nil
	}
	var bias *torch.Tensor
	if _, err := f.Tensor(strings.TrimSuffix(from, ".weight") + ".bias"); err == nil {
		bias = torch.Disown(torch.Empty(torch.Shape{info.Shape[0]}, torch.Meta))
	}
	replace(m, path, quant.NewLinear(b, info.Type, bias))
	return nil
}

// replace puts l where another layer was, and closes that one.
func replace(m *llama.ForCausalLM, path string, l nn.Module) {
	old := m.Get(path)
	m.SetSubmodule(path, l)
	_ = old.ModuleBase().Close()
}

// rowsOfGGUF returns the order in which transformers has the rows of a tensor, or nil if it
// is the file's. For llama, files have the features of a head in pairs that are rotated
// together, and transformers has the halves of all pairs after each other.
func rowsOfGGUF(name string, shape []int64, c llama.Config) *torch.Tensor {
	heads := c.AttentionHeads
	switch {
	case c.ModelType != "llama":
		return nil
	case strings.Contains(name, ".attn_k."):
		heads = c.KeyValueHeads
	case !strings.Contains(name, ".attn_q."):
		return nil
	}
	if heads < 1 || shape[0]%(2*heads) != 0 {
		return nil // LoadStateDict reports the shape
	}
	return torch.Tidy(func() *torch.Tensor {
		return torch.Arange(shape[0]).View(heads, -1, 2).Transpose(1, 2).Reshape(-1)
	})
}

// reordered returns the rows of t in the given order, or t if rows is nil.
func reordered(t, rows *torch.Tensor) *torch.Tensor {
	if rows == nil {
		return t
	}
	return t.IndexSelect(0, rows)
}
