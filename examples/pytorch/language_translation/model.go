package main

import (
	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// size contains the sizes of a translator's layers.
type size struct {
	encoders, decoders, heads, embed, forward int64
	dropout                                   float64
}

// translator is a transformer with word embeddings and a layer that computes word logits.
// Sentences have shape (S, B), and translations (T, B).
type translator struct {
	nn.Base
	source      *nn.Embedding `torch:"src_embedding"`
	target      *nn.Embedding `torch:"tgt_embedding"`
	position    *torch.Tensor // (5000, 1, C)
	dropout     *nn.Dropout
	transformer *nn.Transformer
	ff          *nn.Linear
}

func newTranslator(s size, sourceWords, targetWords int64) *translator {
	m := new(translator)
	m.Init(m)
	m.source = nn.NewEmbedding(sourceWords, s.embed)
	m.target = nn.NewEmbedding(targetWords, s.embed)
	m.position = m.RegisterBuffer("position", text.Positions(5000, s.embed))
	m.dropout = nn.NewDropout(s.dropout)
	m.transformer = nn.NewTransformer(nn.DModel(s.embed), nn.NHead(s.heads), nn.NumEncoderLayers(s.encoders),
		nn.NumDecoderLayers(s.decoders), nn.DimFeedforward(s.forward), nn.DropoutP(s.dropout))
	m.ff = nn.NewLinear(s.embed, targetWords)
	for _, p := range m.Parameters() {
		if p.Dim() > 1 {
			nninit.XavierUniform_(p)
		}
	}
	return m
}

// Forward returns logits (T, B, words). For each word of the translations, they predict
// the word that follows it.
func (m *translator) Forward(source, target *torch.Tensor) *torch.Tensor {
	return m.Call2(source, target, func(source, target *torch.Tensor) *torch.Tensor {
		hidden := source.EqScalar(pad).T() // true for padding
		out := m.transformer.Forward(m.place(m.source, source), m.place(m.target, target),
			nn.TgtMask(behind(target.Size(0))),
			nn.SrcKeyPaddingMask(hidden), nn.TgtKeyPaddingMask(target.EqScalar(pad).T()),
			nn.MemoryKeyPaddingMask(hidden))
		return m.ff.Forward(out)
	})
}

// place returns the sum of the embeddings and the positional encodings of words.
func (m *translator) place(table *nn.Embedding, words *torch.Tensor) *torch.Tensor {
	return m.dropout.Forward(table.Forward(words).Add(m.position.Narrow(0, 0, words.Size(0))))
}

// behind returns an attention mask for n words: it hides from each word the words after it.
func behind(n int64) *torch.Tensor { return torch.Ones(torch.Shape{n, n}, torch.Bool).Triu(1) }

// greedy translates a sentence (S, 1). It appends the most likely next word until the
// sentence ends or has `most` words.
func (m *translator) greedy(source *torch.Tensor, most int) (words []int64) {
	words = []int64{bos}
	torch.Scope(func() {
		torch.NoGrad(func() {
			memory := m.transformer.Encoder.Forward(m.place(m.source, source))
			for len(words) <= most && words[len(words)-1] != eos {
				torch.Scope(func() {
					target := torch.FromSlice(words, int64(len(words)), 1)
					out := m.transformer.Decoder.Forward(m.place(m.target, target), memory,
						nn.TgtMask(behind(target.Size(0))))
					words = append(words, m.ff.Forward(out.Select(0, -1)).ArgMax().ItemInt())
				})
			}
		})
	})
	return words
}
