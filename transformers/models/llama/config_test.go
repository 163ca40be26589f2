package llama_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// small is a configuration of a model that is made quickly.
const small = `"vocab_size": 32, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
	"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64`

// with returns small with other fields added, which replace equal ones.
func with(kind, fields string) []byte {
	if fields != "" {
		fields = ", " + fields
	}
	return []byte(fmt.Sprintf(`{"model_type": %q, %s%s}`, kind, small, fields))
}

// Each invalid field is an error that names the field.
func TestParseConfigErrors(t *testing.T) {
	for _, bad := range []struct {
		kind, fields, says string
		want               error
	}{
		{"bert", ``, "model_type", torch.ErrUnsupported},
		{"", ``, "model_type", torch.ErrUnsupported},
		{"llama", `"vocab_size": 0`, "vocab_size", torch.ErrFormat},
		{"llama", `"vocab_size": "many"`, "vocab_size", torch.ErrFormat},
		{"llama", `"vocab_size": 1e30`, "vocab_size", torch.ErrFormat},
		{"llama", `"hidden_size": -1`, "hidden_size", torch.ErrFormat},
		{"llama", `"hidden_size": 18`, "hidden_size", torch.ErrFormat},
		{"llama", `"hidden_size": 2147483649`, "hidden_size", torch.ErrFormat},
		{"llama", `"intermediate_size": 0`, "intermediate_size", torch.ErrFormat},
		{"llama", `"num_hidden_layers": 0`, "num_hidden_layers", torch.ErrUnsupported},
		{"llama", `"num_hidden_layers": 65537`, "num_hidden_layers", torch.ErrUnsupported},
		{"llama", `"num_attention_heads": 0`, "num_attention_heads", torch.ErrFormat},
		{"llama", `"num_key_value_heads": 3`, "num_key_value_heads", torch.ErrFormat},
		{"llama", `"num_key_value_heads": -2`, "num_key_value_heads", torch.ErrFormat},
		{"llama", `"max_position_embeddings": 0`, "max_position_embeddings", torch.ErrFormat},
		{"llama", `"head_dim": -4`, "head_dim", torch.ErrFormat},
		{"llama", `"head_dim": 4294967296`, "head_dim", torch.ErrFormat},
		{"llama", `"head_dim": 134217728`, "head_dim", torch.ErrFormat},
		{"llama", `"attention_dropout": 1.5`, "attention_dropout", torch.ErrFormat},
		{"llama", `"attention_dropout": -0.1`, "attention_dropout", torch.ErrFormat},
		{"llama", `"hidden_act": "magic"`, "magic", torch.ErrFormat},
		{"llama", `"rope_scaling": 3`, "rope_scaling", torch.ErrFormat},
		{"llama", `"rope_scaling": {"rope_type": 3}`, "rope_type", torch.ErrFormat},
		{"qwen2", `"layer_types": ["full_attention"]`, "layer_types", torch.ErrUnsupported},
		{"qwen2", `"layer_types": ["full_attention", "magic"]`, "layer_types[1]", torch.ErrUnsupported},
		{"smollm3", `"no_rope_layers": [1, 1, 1]`, "no_rope_layers", torch.ErrUnsupported},
		{"smollm3", `"no_rope_layers": 1`, "no_rope_layers", torch.ErrFormat},
	} {
		_, err := llama.ParseConfig(with(bad.kind, bad.fields))
		require.ErrorIs(t, err, bad.want, bad.fields)
		assert.Contains(t, err.Error(), "llama.ParseConfig: ", bad.fields)
		assert.Contains(t, err.Error(), bad.says, bad.fields)
	}
	for _, text := range []string{"", "{", "[]", "3", `{"model_type": 3}`} {
		_, err := llama.ParseConfig([]byte(text))
		assert.ErrorIs(t, err, torch.ErrFormat, text)
	}
}

// Positions that cannot be computed are an error of the constructor, which leaves nothing
// behind.
func TestRopeErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, bad := range [][2]string{
		{`"rope_theta": 0`, "rope_theta"},
		{`"rope_theta": -1`, "rope_theta"},
		{`"rope_scaling": {"type": "magic", "factor": 2}`, "magic"},
		{`"rope_scaling": {"type": "linear"}`, "factor"},
		{`"rope_scaling": {"type": "linear", "factor": -1}`, "factor"},
		{`"rope_scaling": {"type": "dynamic", "factor": 2}, "head_dim": 2`, "too small"},
		{`"rope_scaling": {"type": "yarn", "factor": 2, "rope_theta": 1}`, "rope_theta"},
		{`"rope_scaling": {"type": "longrope", "short_factor": [1], "long_factor": [1, 1]}`, "short_factor"},
		{`"rope_scaling": {"type": "llama3", "factor": 2}`, "low_freq_factor"},
		{
			`"rope_scaling": {"type": "llama3", "factor": 2, "low_freq_factor": 4, "high_freq_factor":4}`,
			"high_freq_factor",
		},
		{`"rope_scaling": {"partial_rotary_factor": 0.3}`, "cannot be rotated"},
		{`"rope_scaling": {"partial_rotary_factor": -1}`, "cannot be rotated"},
		{`"rope_scaling": {"partial_rotary_factor": 8}`, "cannot be rotated"},
		{`"head_dim": 3`, "cannot be rotated"},
		{`"rope_scaling": {"original_max_position_embeddings": -5}`, "max_position_embeddings"},
	} {
		fields, says := bad[0], bad[1]
		c, err := llama.ParseConfig(with("llama", fields))
		if err == nil {
			_, err = llama.NewForCausalLM(c, models.Device(torch.Meta))
			require.ErrorIs(t, err, torch.ErrValue, fields)
		}
		assert.ErrorContains(t, err, says, fields)
	}
}

// Fields that are absent or null have the defaults of transformers.
func TestParseConfigDefaults(t *testing.T) {
	c, err := llama.ParseConfig([]byte(`{"model_type": "llama"}`))
	require.NoError(t, err)
	assert.EqualValues(t, []int64{32000, 4096, 32, 128}, []int64{c.VocabSize, c.HiddenSize, c.KeyValueHeads, c.HeadDim})
	c, err = llama.ParseConfig([]byte(`{"model_type": "mistral", "num_key_value_heads": null}`))
	require.NoError(t, err)
	assert.EqualValues(t, 32, c.KeyValueHeads)
	assert.EqualValues(t, 4096, c.Windows[31])
	c, err = llama.ParseConfig([]byte(`{"model_type": "mistral", "sliding_window": 0}`))
	require.NoError(t, err)
	assert.Nil(t, c.Windows)
	c, err = llama.ParseConfig([]byte(`{"model_type": "smollm3"}`))
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false, false, true}, c.NoRope[:4])
	c, err = llama.ParseConfig(with("smollm3", `"no_rope_layer_interval": -1`))
	require.NoError(t, err)
	assert.Equal(t, []bool{true, true}, c.NoRope)
}

// No text makes ParseConfig panic, and every configuration that it accepts is one that the
// constructor accepts or refuses with an error.
func FuzzParseConfig(f *testing.F) {
	for _, kind := range strings.Fields("llama mistral qwen2 qwen3 smollm3") {
		f.Add(with(kind, ""))
		f.Add(with(kind, `"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 16},
			"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 8, "no_rope_layers": [0, 1]`))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := llama.ParseConfig(b)
		if err != nil || c.HiddenLayers > 4 {
			return
		}
		m, err := llama.NewForCausalLM(c, models.Device(torch.Meta))
		if err == nil {
			require.NoError(t, m.Close())
		}
	})
}
