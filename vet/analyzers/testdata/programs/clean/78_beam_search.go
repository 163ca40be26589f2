// Command beam_search decodes sequences with a recurrent model and a beam of four.
//
// Clean: each hypothesis owns its state. After each step only the four best hypotheses
// survive. The states of all others, and of the previous generation, are closed.
package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const vocabulary, hidden, beam, longest, end = 20, 16, 4, 10, 0

type hypothesis struct {
	tokens []int64
	score  float64
	state  *torch.Tensor // (1, hidden)
}

type decoder struct {
	table *nn.Embedding
	cell  *nn.GRUCell
	head  *nn.Linear
}

// extend returns the best continuations of a hypothesis. They share nothing with it.
func (d *decoder) extend(h *hypothesis) (out []*hypothesis) {
	torch.Scope(func() {
		last := torch.FromSlice(h.tokens[len(h.tokens)-1:])
		state := d.cell.Forward(d.table.Forward(last), h.state)
		scores, ids := F.LogSoftmax(d.head.Forward(state), 1).Squeeze(0).TopK(beam)
		best := ids.Int64s()
		for i, s := range scores.Float32s() {
			out = append(out, &hypothesis{
				tokens: append(slices.Clone(h.tokens), best[i]),
				score:  h.score + float64(s),
				state:  torch.Disown(state.Clone()),
			})
		}
	})
	return out
}

// prune sorts hypotheses and closes all except the best.
func prune(all []*hypothesis) []*hypothesis {
	slices.SortFunc(all, func(a, b *hypothesis) int { return cmp.Compare(b.score, a.score) })
	for _, h := range all[min(beam, len(all)):] {
		_ = h.state.Close()
	}
	return all[:min(beam, len(all))]
}

func (d *decoder) decode(first int64) (tokens []int64, score float64) {
	live := []*hypothesis{{tokens: []int64{first}, state: torch.Disown(torch.Zeros(torch.Shape{1, hidden}))}}
	for range longest {
		var next []*hypothesis
		for _, h := range live {
			if h.tokens[len(h.tokens)-1] == end {
				next = append(next, h)
				continue
			}
			next = append(next, d.extend(h)...)
			_ = h.state.Close()
		}
		live = prune(next)
	}
	tokens, score = live[0].tokens, live[0].score
	for _, h := range live {
		_ = h.state.Close()
	}
	return tokens, score
}

func main() {
	torch.ManualSeed(58)
	d := &decoder{nn.NewEmbedding(vocabulary, 8), nn.NewGRUCell(8, hidden), nn.NewLinear(hidden, vocabulary)}
	defer d.table.Close()
	defer d.cell.Close()
	defer d.head.Close()
	torch.NoGrad(func() {
		for first := int64(1); first <= 10; first++ {
			tokens, score := d.decode(first)
			fmt.Printf("%v %.2f\n", tokens, score)
		}
	})
}
