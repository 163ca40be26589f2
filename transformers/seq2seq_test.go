package transformers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/t5"
	"github.com/gotorch/gotorch/transformers/models/whisper"
)

// Outputs, losses and gradients of T5 with random weights equal Python's, with and without
// padding, at once and in steps with a cache. Files of version 1.1 load, too.
func TestT5EqualsPython(t *testing.T) {
	dir, names := written(t, "t5")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			path := filepath.Join(dir, name)
			var m nn.Module
			var err error
			switch name[strings.LastIndex(name, ".")+1:] {
			case "lm":
				m, err = transformers.LoadSeq2SeqLM(path)
			case "model":
				m, err = transformers.LoadModel(path)
			case "encoder":
				m, err = transformers.LoadTextEncoding(path)
			}
			require.NoError(t, err)
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, path)
				g.gradients(m, checkT5(g, m))
			})
		})
	}
}

// checkT5 checks the results of a T5 or a part of it, and returns its loss.
func checkT5(g *golden, m nn.Module) *torch.Tensor {
	ids, mask, decoder := g.get("ids"), models.AttentionMask(g.get("mask")), g.get("decoder")
	decoderMask := models.DecoderAttentionMask(g.get("decoder_mask"))
	switch m := m.(type) {
	case *t5.ForConditionalGeneration:
		torch.NoGrad(func() { // with gradients of the position bias, the attention has another kernel
			g.check("plain.decoded", m.Forward(ids, decoder))
			g.check("masked.decoded", m.Forward(ids, decoder, mask))
			g.check("both.decoded", m.Forward(ids, decoder, mask, decoderMask))
			g.check("masked.encoded", m.Encode(ids, mask))
			g.check("steps", decodeInSteps(g.t, m, decoder, m.Encode(ids, mask), mask))
		})
		labels := g.get("labels")
		return models.TokenLoss(m.Forward(ids, m.ShiftRight(labels), mask), labels)
	case *t5.Model:
		torch.NoGrad(func() {
			decoded, encoded := m.Forward(ids, decoder)
			g.check("plain.decoded", decoded)
			g.check("plain.encoded", encoded)
			decoded, _ = m.Forward(ids, decoder, mask, decoderMask)
			g.check("both.decoded", decoded)
		})
		decoded, encoded := m.Forward(ids, decoder, mask)
		g.check("masked.decoded", decoded)
		g.check("masked.encoded", encoded)
		return decoded.PowScalar(2).Mean()
	case *t5.EncoderModel:
		torch.NoGrad(func() {
			features, pooled := m.Forward(ids)
			require.Nil(g.t, pooled)
			g.check("plain.features", features)
		})
		features, _ := m.Forward(ids, mask)
		g.check("masked.features", features)
		return features.PowScalar(2).Mean()
	}
	g.t.Fatalf("a %T", m)
	return nil
}

func decodeInSteps(t *testing.T, m models.Seq2SeqLM, ids, features *torch.Tensor, opts ...models.Seq2SeqOption,
) *torch.Tensor {
	t.Helper()
	cache := kvcache.NewEncoderDecoder(kvcache.New(m.CacheSpec(), kvcache.Capacity(ids.Size(1))))
	defer func() { require.NoError(t, cache.Close()) }()
	var out []*torch.Tensor
	for _, cut := range [][2]int64{{0, 6}, {6, 7}, {7, 8}, {8, ids.Size(1)}} {
		part := ids.Narrow(1, cut[0], cut[1]-cut[0])
		out = append(out, m.Decode(part, features, append([]models.Seq2SeqOption{models.UseCache(cache)}, opts...)...))
	}
	assert.Zero(t, cache.Room())
	assert.Greater(t, cache.Bytes(), m.CacheSpec().Bytes(ids.Size(0), ids.Size(1)))
	return torch.Cat(out, 1)
}

// Every way to generate a text for an input gives Python's tokens.
func TestGenerateSeq2SeqEqualsPython(t *testing.T) {
	dir, names := written(t, "t5")
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name, "generate.json")); err != nil {
			continue // not all models generate
		}
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			m, err := transformers.LoadSeq2SeqLM(filepath.Join(dir, name))
			require.NoError(t, err)
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, filepath.Join(dir, name))
				checkGenerated(t, m, filepath.Join(dir, name), func(rows int64) generation.Seq2SeqInput {
					ids, mask := g.get("ids").Narrow(0, 0, rows), g.get("mask").Narrow(0, 0, rows)
					return generation.Seq2SeqInput{Input: ids, AttentionMask: mask}
				})
			})
		})
	}
}

// checkGenerated compares generated tokens with generate.json, for one row and for two.
func checkGenerated(t *testing.T, m models.Seq2SeqLM, dir string, input func(rows int64) generation.Seq2SeqInput) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "generate.json"))
	require.NoError(t, err)
	var python struct {
		Settings map[string]json.RawMessage
		Results  map[string][][][]int64
	}
	require.NoError(t, json.Unmarshal(data, &python))
	for setting, results := range python.Results {
		c, err := generation.ParseConfig(python.Settings[setting])
		require.NoError(t, err)
		c.PadTokenID = new(int64(0))
		for i, want := range results {
			torch.ManualSeed(7)
			got, err := generation.GenerateSeq2Seq(context.Background(), m, input(int64(i+1)), c)
			require.NoError(t, err)
			assert.Equal(t, unpadded(want, c), got, "%s, %d rows", setting, i+1)
		}
	}
}

// Outputs, losses and gradients of Whisper with random weights equal Python's, at once and
// in steps with a cache, and every way to generate gives its tokens.
func TestWhisperEqualsPython(t *testing.T) {
	dir, names := written(t, "whisper")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			path := filepath.Join(dir, name)
			var m nn.Module
			var err error
			if strings.HasSuffix(name, ".lm") {
				m, err = transformers.LoadSpeechSeq2Seq(path)
			} else {
				m, err = transformers.LoadModel(path)
			}
			require.NoError(t, err)
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, path)
				g.gradients(m, checkWhisper(g, m))
				if m, ok := m.(models.Seq2SeqLM); ok {
					checkGenerated(t, m, path, func(rows int64) generation.Seq2SeqInput {
						prompts := [][]int64{{3, 9, 12}, {3, 10, 12}}
						return generation.Seq2SeqInput{
							Input: g.get("features").Narrow(0, 0, rows), Prompts: prompts[:rows],
						}
					})
				}
			})
		})
	}
	t.Run("features", func(t *testing.T) { checkFeatures(t, dir) })
}

func checkWhisper(g *golden, m nn.Module) *torch.Tensor {
	features, decoder := g.get("features"), g.get("decoder")
	mask := models.DecoderAttentionMask(g.get("decoder_mask"))
	switch m := m.(type) {
	case *whisper.ForConditionalGeneration:
		g.check("plain.decoded", m.Forward(features, decoder))
		g.check("masked.decoded", m.Forward(features, decoder, mask))
		g.check("plain.encoded", m.Encode(features))
		torch.NoGrad(func() { g.check("steps", decodeInSteps(g.t, m, decoder, m.Encode(features))) })
		labels := g.get("labels")
		return models.TokenLoss(m.Forward(features, m.ShiftRight(labels)), labels)
	case *whisper.Model:
		decoded, _ := m.Forward(features, decoder, mask)
		g.check("masked.decoded", decoded)
		decoded, encoded := m.Forward(features, decoder)
		g.check("plain.decoded", decoded)
		g.check("plain.encoded", encoded)
		return decoded.PowScalar(2).Mean()
	}
	g.t.Fatalf("a %T", m)
	return nil
}

// checkFeatures compares the features of sounds with those of WhisperFeatureExtractor.
func checkFeatures(t *testing.T, dir string) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	data, err := os.ReadFile(filepath.Join(dir, "features.json"))
	require.NoError(t, err)
	var settings map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &settings))
	require.NotEmpty(t, settings)
	f, err := safetensors.Open(filepath.Join(dir, "features.safetensors"))
	require.NoError(t, err)
	g := &golden{t: t, f: f}
	for name, s := range settings {
		e, err := whisper.ParseFeatureExtractor(s)
		require.NoError(t, err)
		torch.Scope(func() {
			var sounds [][]float32
			for {
				x := g.optional(fmt.Sprintf("%s.sound%d", name, len(sounds)))
				if x == nil {
					break
				}
				sounds = append(sounds, x.Float32s())
			}
			g.check(name+".features", e.Extract(sounds))
		})
	}
	require.NoError(t, f.Close())
	t.Logf("%d of %d results are equal bit for bit, the largest difference is %.2g", g.equal, g.all, g.worst)
}
