package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// size contains the sizes of a classifier's layers.
type size struct {
	embed, proj, hidden, layers int64
	dropout                     float64
	oneWay, plain, trained      bool
}

// classifier encodes a premise and a hypothesis with the same encoder, and compares the two
// encodings.
type classifier struct {
	nn.Base
	size
	fixed      bool // whether the word features stay unchanged in training
	embed      *nn.Embedding
	projection *nn.Linear
	encoder    *nn.LSTM
	out        *nn.Sequential
}

func newClassifier(s size, words, labels int64) *classifier {
	m := &classifier{size: s}
	m.Init(m)
	m.embed = nn.NewEmbedding(words, s.embed)
	m.projection = nn.NewLinear(s.embed, s.proj)
	in, between, width := s.proj, s.dropout, 4*s.hidden
	if s.plain {
		in = s.embed
	}
	if s.layers == 1 {
		between = 0
	}
	if s.oneWay {
		width = 2 * s.hidden
	}
	m.encoder = nn.NewLSTM(in, s.hidden, nn.NumLayers(s.layers), nn.DropoutP(between), nn.Bidirectional(!s.oneWay))
	m.out = nn.NewSequential()
	for range 3 {
		m.out.Append(nn.NewLinear(width, width))
		m.out.Append(nn.NewReLU())
		m.out.Append(nn.NewDropout(s.dropout))
	}
	m.out.Append(nn.NewLinear(width, labels))
	return m
}

// Forward returns logits (B, labels). The arguments are sentences as word numbers, (T,
// B).
func (m *classifier) Forward(premise, hypothesis *torch.Tensor) *torch.Tensor {
	return m.Call2(premise, hypothesis, func(premise, hypothesis *torch.Tensor) *torch.Tensor {
		return m.out.Forward(torch.Cat([]*torch.Tensor{m.encode(premise), m.encode(hypothesis)}, 1))
	})
}

// encode returns the LSTM's state after the last word. The states of both directions are
// concatenated.
func (m *classifier) encode(sentence *torch.Tensor) *torch.Tensor {
	x := m.embed.Forward(sentence)
	if m.fixed {
		x = x.Detach()
	}
	if !m.plain {
		x = F.ReLU(m.projection.Forward(x))
	}
	_, h, _ := m.encoder.Forward(x, nil, nil)
	if m.oneWay {
		return h.Select(0, -1)
	}
	return h.Narrow(0, h.Size(0)-2, 2).Transpose(0, 1).Flatten(1, 2)
}

// score returns the mean loss and the accuracy on the validation pairs.
func (m *classifier) score(dev *data.Loader) (loss, accuracy float64) {
	m.Eval()
	defer m.Train()
	right, seen, batches := int64(0), int64(0), 0.0
	torch.NoGrad(func() {
		for batch := range dev.All() {
			answer := m.Forward(batch.Input, batch.Extra[0])
			right += answer.ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			loss += F.CrossEntropy(answer, batch.Target).Item()
			seen, batches = seen+batch.Target.Numel(), batches+1
		}
	})
	return loss / batches, float64(right) / float64(seen)
}

// know reads word vectors from a file. Training does not change them unless -train-embed
// is given.
func (m *classifier) know(path string, words *text.Vocabulary) error {
	m.fixed = !m.trained
	return text.Lines(path, func(line string) error {
		fields := strings.Fields(line)
		if len(fields) != int(m.size.embed)+1 {
			return fmt.Errorf("expected a word and %d numbers, got %d fields", m.size.embed, len(fields))
		}
		features := make([]float32, m.size.embed)
		for i, field := range fields[1:] {
			v, err := strconv.ParseFloat(field, 32)
			if err != nil {
				return err
			}
			features[i] = float32(v)
		}
		if row, ok := words.Find(fields[0]); ok {
			torch.Scope(func() { m.embed.Weight.Data().SetIndex(torch.FromSlice(features), row) })
		}
		return nil
	})
}
