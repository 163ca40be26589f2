package transformers_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/quant"
)

// ggufFile is the content of a GGUF file of a small model, for tests to change.
type ggufFile struct {
	keys   map[string]any
	shapes map[string][]int64
}

func smallGGUF() ggufFile {
	f := ggufFile{
		keys: map[string]any{
			"general.architecture": "llama", "llama.block_count": uint32(1), "llama.embedding_length": uint32(32),
			"llama.feed_forward_length": uint32(64), "llama.attention.head_count": uint32(4),
			"llama.attention.head_count_kv": uint32(2), "llama.context_length": uint32(16),
			"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		},
		shapes: map[string][]int64{
			"token_embd.weight": {40, 32}, "output_norm.weight": {32}, "blk.0.attn_norm.weight": {32},
			"blk.0.ffn_norm.weight": {32}, "blk.0.attn_q.weight": {32, 32}, "blk.0.attn_k.weight": {16, 32},
			"blk.0.attn_v.weight": {16, 32}, "blk.0.attn_output.weight": {32, 32}, "blk.0.ffn_gate.weight": {64, 32},
			"blk.0.ffn_up.weight": {64, 32}, "blk.0.ffn_down.weight": {32, 64},
		},
	}
	return f
}

// write writes the file, with matrices of type as.
func (f ggufFile) write(t *testing.T, as gguf.Type) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gguf")
	var keys []gguf.KV
	for k, v := range f.keys {
		keys = append(keys, gguf.KV{Key: k, Value: v})
	}
	torch.Scope(func() {
		torch.ManualSeed(1)
		var data []gguf.Data
		for name, shape := range f.shapes {
			kind := gguf.TypeF32
			if len(shape) > 1 && shape[len(shape)-1]%32 == 0 {
				kind = as
			}
			data = append(data, gguf.FromTensor(name, torch.Randn(torch.Shape(shape)).MulScalar(0.1), kind))
		}
		require.NoError(t, gguf.Write(keys, data, path))
	})
	return path
}

// Dequantize keeps the logits of a GGUF file's model, and its tied weights tied.
func TestDequantizeGGUF(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := smallGGUF()
	f.shapes["blk.0.attn_q.bias"] = []int64{32}
	m, err := transformers.LoadGGUF(f.write(t, gguf.TypeQ8_0))
	require.NoError(t, err)
	torch.Scope(func() {
		ids := torch.Arange(20).View(1, 20) // with many rows, quantised layers are exact
		want := m.Forward(ids)
		before := len(m.ModuleBase().Parameters())
		assert.Equal(t, 9, quant.Dequantize(m))
		assert.Len(t, m.ModuleBase().Parameters(), before+8)
		torchtest.AllClose(t, want, m.Forward(ids), torchtest.ATol(1e-5), torchtest.RTol(1e-4))
		lm := m.(*llama.ForCausalLM)
		assert.Same(t, lm.InputEmbeddings().(*nn.Embedding).Weight, lm.OutputEmbeddings().(*models.Linear).Weight)
		m.Forward(ids).Sum().Backward()
		for _, p := range m.ModuleBase().NamedParameters() {
			assert.NotNil(t, p.Tensor.Grad(), p.Name)
		}
		assert.Zero(t, quant.Dequantize(m))
	})
	require.NoError(t, m.ModuleBase().Close())
}

// A model in blocks and one in float32 load and generate, and have the biases of the file.
func TestLoadGGUF(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, as := range []gguf.Type{gguf.TypeF32, gguf.TypeQ8_0} {
		f := smallGGUF()
		for _, part := range []string{"attn_q", "attn_output", "ffn_gate", "ffn_up", "ffn_down"} {
			f.shapes["blk.0."+part+".bias"] = f.shapes["blk.0."+part+".weight"][:1]
		}
		f.shapes["blk.0.attn_k.bias"], f.shapes["blk.0.attn_v.bias"] = []int64{16}, []int64{16}
		f.shapes["rope_freqs.weight"] = []int64{4}
		m, err := transformers.LoadGGUF(f.write(t, as), models.DType(torch.Float32), models.Device(torch.CPU))
		require.NoError(t, err, as)
		ids, err := generation.Generate(context.Background(), m, [][]int64{{1, 2, 3}}, generation.MaxNewTokens(4))
		require.NoError(t, err)
		assert.Len(t, ids[0], 4)
		require.NoError(t, m.ModuleBase().Close())
	}
}

// A file whose tensors do not fit its metadata is an error, whatever the type of its
// matrices, and leaves nothing behind.
func TestHostileGGUF(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	key := func(name string, v any) func(f ggufFile) { return func(f ggufFile) { f.keys["llama."+name] = v } }
	shape := func(name string, s ...int64) func(f ggufFile) { return func(f ggufFile) { f.shapes[name] = s } }
	changes := map[string]func(f ggufFile){
		"no architecture":    func(f ggufFile) { delete(f.keys, "general.architecture") },
		"architecture":       func(f ggufFile) { f.keys["general.architecture"] = "mamba" },
		"embedding vector":   shape("token_embd.weight", 32),
		"embedding scalar":   shape("token_embd.weight"),
		"embedding volume":   shape("token_embd.weight", 2, 20, 32),
		"no rows":            shape("token_embd.weight", 0, 32),
		"query rows":         shape("blk.0.attn_q.weight", 64, 32),
		"query columns":      shape("blk.0.attn_q.weight", 32, 64),
		"odd query rows":     shape("blk.0.attn_q.weight", 31, 32),
		"key rows":           shape("blk.0.attn_k.weight", 32, 32),
		"down":               shape("blk.0.ffn_down.weight", 64, 32),
		"norm matrix":        shape("blk.0.attn_norm.weight", 32, 32),
		"norm":               shape("output_norm.weight", 31),
		"output":             shape("output.weight", 41, 32),
		"layer 1":            shape("blk.1.attn_q.weight", 32, 32),
		"layer 00":           shape("blk.00.attn_q.weight", 32, 32),
		"no layer":           shape("blk..attn_q.weight", 32, 32),
		"layer of dots":      shape("blk.0.attn_q.x", 32, 32),
		"unknown part":       shape("blk.0.magic.weight", 32, 32),
		"unknown tensor":     shape("magic", 1),
		"norm bias":          shape("blk.0.attn_norm.bias", 32),
		"bias":               shape("blk.0.attn_q.bias", 31),
		"bias matrix":        shape("blk.0.attn_q.bias", 32, 32),
		"frequencies":        shape("rope_freqs.weight", 3),
		"frequency":          shape("rope_freqs.weight"),
		"layers":             key("block_count", uint32(2)),
		"many layers":        key("block_count", uint64(1<<62)),
		"65536 layers":       key("block_count", uint32(65536)),
		"-1 layers":          key("block_count", int64(-1)),
		"a text of layers":   key("block_count", "one"),
		"heads":              key("attention.head_count", uint32(3)),
		"many heads":         key("attention.head_count", uint64(1<<63)),
		"no heads":           key("attention.head_count", uint32(0)),
		"key heads":          key("attention.head_count_kv", uint32(3)),
		"many key heads":     key("attention.head_count_kv", uint32(1<<31)),
		"length of a key":    key("attention.key_length", uint32(7)),
		"large key":          key("attention.key_length", uint64(1<<40)),
		"hidden":             key("embedding_length", uint32(64)),
		"huge hidden":        key("embedding_length", uint64(1<<60)),
		"feed forward":       key("feed_forward_length", uint32(1<<31)),
		"no context":         key("context_length", uint32(0)),
		"base of positions":  key("rope.freq_base", float32(-1)),
		"scaling":            key("rope.scaling.type", "magic"),
		"scaling by nothing": key("rope.scaling.type", "yarn"),
	}
	for name := range smallGGUF().shapes {
		changes["without "+name] = func(f ggufFile) { delete(f.shapes, name) }
	}
	for _, as := range []gguf.Type{gguf.TypeF32, gguf.TypeQ8_0} {
		for name, change := range changes {
			f := smallGGUF()
			change(f)
			path := f.write(t, as)
			var err error
			require.NoError(t, torch.Try(func() { _, err = transformers.LoadGGUF(path) }), "%s, %v", name, as)
			if assert.Error(t, err, "%s, %v", name, as) {
				assert.Less(t, len(err.Error()), 500+len(path))
				assert.True(t, strings.HasPrefix(err.Error(), "transformers.LoadGGUF: "), err)
			}
		}
	}
	path := smallGGUF().write(t, gguf.TypeQ8_0)
	_, err := transformers.LoadGGUF(path, models.Device(torch.Meta))
	require.ErrorIs(t, err, torch.ErrUnsupported)
	assert.ErrorIs(t, torch.Try(func() { _, _ = transformers.LoadGGUF(path, nil) }), torch.ErrNil)
}

// The merges of a file's pieces can need far more memory than the file.
func TestHostilePieces(t *testing.T) {
	f := smallGGUF()
	f.keys["tokenizer.ggml.model"], f.keys["tokenizer.ggml.bos_token_id"] = "llama", uint32(0)
	for name, pieces := range map[string]func() []string{
		"many": func() (out []string) {
			for i := range 1000 {
				out = append(out, strings.Repeat("a", i+1))
			}
			return out
		},
		"long": func() []string { return []string{"a", strings.Repeat("a", 1<<20)} },
	} {
		tokens := pieces()
		f.keys["tokenizer.ggml.tokens"] = tokens
		f.keys["tokenizer.ggml.scores"] = make([]float32, len(tokens))
		_, err := transformers.Load(f.write(t, gguf.TypeF32))
		require.ErrorIs(t, err, torch.ErrFormat, name)
	}
}
