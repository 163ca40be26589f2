package gpt2_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
)

// with returns a configuration of a small model with other fields added.
func with(fields string) []byte {
	if fields != "" {
		fields = ", " + fields
	}
	return []byte(fmt.Sprintf(`{"model_type": "gpt2", "vocab_size": 32, "n_positions": 16, "n_embd": 12, "n_layer": 2,
		"n_head": 3%s}`, fields))
}

// Each invalid field is an error that names the field.
func TestParseConfigErrors(t *testing.T) {
	for _, bad := range []struct {
		fields, says string
		want         error
	}{
		{`"model_type": "bert"`, "model_type", torch.ErrUnsupported},
		{`"model_type": null, "model_type": ""`, "model_type", torch.ErrUnsupported},
		{`"add_cross_attention": true`, "add_cross_attention", torch.ErrUnsupported},
		{`"reorder_and_upcast_attn": true`, "reorder_and_upcast_attn", torch.ErrUnsupported},
		{`"vocab_size": 0`, "vocab_size", torch.ErrFormat},
		{`"vocab_size": "many"`, "vocab_size", torch.ErrFormat},
		{`"n_positions": -1`, "n_positions", torch.ErrFormat},
		{`"n_embd": 0`, "n_embd", torch.ErrFormat},
		{`"n_embd": 13`, "n_embd", torch.ErrFormat},
		{`"n_embd": 2147483649`, "n_embd", torch.ErrFormat},
		{`"n_layer": 0`, "n_layer", torch.ErrFormat},
		{`"n_layer": 65537`, "n_layer", torch.ErrFormat},
		{`"n_head": 0`, "n_head", torch.ErrFormat},
		{`"n_head": 1.5`, "n_head", torch.ErrFormat},
		{`"n_inner": -1`, "n_inner", torch.ErrFormat},
		{`"resid_pdrop": 1.1`, "resid_pdrop", torch.ErrFormat},
		{`"embd_pdrop": -0.1`, "embd_pdrop", torch.ErrFormat},
		{`"attn_pdrop": 2`, "attn_pdrop", torch.ErrFormat},
		{`"activation_function": "magic"`, "magic", torch.ErrFormat},
	} {
		_, err := gpt2.ParseConfig(with(bad.fields))
		require.ErrorIs(t, err, bad.want, bad.fields)
		assert.Contains(t, err.Error(), "gpt2.ParseConfig: ", bad.fields)
		assert.Contains(t, err.Error(), bad.says, bad.fields)
	}
	for _, text := range []string{"", "{", "[]", "3"} {
		_, err := gpt2.ParseConfig([]byte(text))
		assert.ErrorIs(t, err, torch.ErrFormat, text)
	}
	_, err := gpt2.NewForCausalLM(gpt2.Config{})
	assert.ErrorIs(t, err, torch.ErrValue)
}

// Absent fields have the defaults of transformers, and n_inner null means 4 * n_embd.
func TestParseConfigDefaults(t *testing.T) {
	c, err := gpt2.ParseConfig([]byte(`{"model_type": "gpt2", "n_inner": null}`))
	require.NoError(t, err)
	want := gpt2.DefaultConfig()
	want.Inner = 3072
	assert.Equal(t, want, c)
}

// No text makes ParseConfig panic, and the constructor takes every configuration that it
// accepts.
func FuzzParseConfig(f *testing.F) {
	f.Add(with(""))
	f.Add(with(`"n_inner": 7, "scale_attn_by_inverse_layer_idx": true, "tie_word_embeddings": false`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := gpt2.ParseConfig(b)
		if err != nil || c.Layers > 4 {
			return
		}
		m, err := gpt2.NewForCausalLM(c, models.Device(torch.Meta))
		require.NoError(t, err)
		require.NoError(t, m.Close())
	})
}
