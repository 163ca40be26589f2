package generation

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// process returns the scores of the next tokens, (N, vocabulary) in float32, with the
// settings of c applied. rows are the tokens so far, without padding; fresh is the number
// of generated ones. It follows the order of transformers.
func (c Config) process(scores *torch.Tensor, rows [][]int64, fresh int) *torch.Tensor {
	if c.RepetitionPenalty != 1 {
		seen := mark(scores, rows)
		p := c.RepetitionPenalty
		less := torch.Where(scores.LtScalar(0), scores.MulScalar(p), scores.DivScalar(p))
		scores = torch.Where(seen, less, scores)
	}
	if n := c.NoRepeatNGramSize; n > 0 {
		scores = remove(scores, mark(scores, banned(rows, n)))
	}
	if fresh < c.MinNewTokens && len(c.EOSTokenIDs) > 0 {
		scores = without(scores, c.EOSTokenIDs)
	}
	if len(c.SuppressTokens) > 0 {
		scores = without(scores, c.SuppressTokens)
	}
	if fresh == 0 && len(c.BeginSuppress) > 0 {
		scores = without(scores, c.BeginSuppress)
	}
	if c.DoSample {
		scores = c.warp(scores)
	}
	return scores
}

// choose returns a token for each row of scores: a vector. opts are those of a draw.
func (c Config) choose(scores *torch.Tensor, opts ...torch.MultinomialOption) *torch.Tensor {
	if c.DoSample {
		return scores.Softmax(-1).Multinomial(1, opts...).Squeeze(-1)
	}
	return scores.ArgMax(torch.Dim(-1))
}

// warp removes the tokens that are not sampled.
func (c Config) warp(scores *torch.Tensor) *torch.Tensor {
	if c.Temperature != 1 {
		scores = scores.DivScalar(c.Temperature)
	}
	if k := min(int64(c.TopK), scores.Size(-1)); k > 0 {
		top, _ := scores.TopK(k)
		scores = remove(scores, scores.Lt(top.Narrow(-1, k-1, 1)))
	}
	if c.TopP < 1 {
		sorted, order := scores.Sort()
		out := sorted.Softmax(-1).CumSum(-1).LeScalar(1 - c.TopP)
		out.Narrow(-1, out.Size(-1)-1, 1).Zero_() // at least one stays
		scores = remove(scores, out.Scatter(-1, order, out))
	}
	if c.MinP > 0 {
		p := scores.Softmax(-1)
		least := p.Amax(torch.Dim(-1), torch.KeepDim(true)).MulScalar(c.MinP)
		_, best := p.TopK(1)
		out := p.Lt(least).ScatterScalar_(-1, best, false)
		scores = remove(scores, out)
	}
	return scores
}

// banned returns, for each row, the tokens that would end an n-gram of the row once more.
func banned(rows [][]int64, n int) [][]int64 {
	out := make([][]int64, len(rows))
	for i, row := range rows {
		if len(row) < n {
			continue
		}
		prefix := row[len(row)-n+1:]
		for at := 0; at+n <= len(row); at++ {
			if slices.Equal(row[at:at+n-1], prefix) {
				out[i] = append(out[i], row[at+n-1])
			}
		}
	}
	return out
}

// mark returns a bool tensor of the shape of scores that is true for the tokens of each
// row. Tokens outside the vocabulary are left out.
func mark(scores *torch.Tensor, rows [][]int64) *torch.Tensor {
	n, v := scores.Size(0), scores.Size(1)
	at := make([]bool, n*v)
	for i, row := range rows {
		for _, id := range row {
			if id >= 0 && id < v {
				at[int64(i)*v+id] = true
			}
		}
	}
	return torch.FromSlice(at, n, v).To(scores.Device())
}

// without removes tokens from the scores of all rows.
func without(scores *torch.Tensor, ids []int64) *torch.Tensor {
	rows := make([][]int64, scores.Size(0))
	for i := range rows {
		rows[i] = ids
	}
	return remove(scores, mark(scores, rows))
}

func remove(scores, where *torch.Tensor) *torch.Tensor {
	return scores.MaskedFill(where, math.Inf(-1))
}
