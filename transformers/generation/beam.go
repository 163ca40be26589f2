package generation

import (
	"context"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// A beam is a sequence that beam search follows, or a finished one.
type beam struct {
	fresh []int64
	score float32 // the sum of the log probabilities; of a finished beam divided by its length
	row   int     // of the model's batch, for a beam that is followed
	ended bool
}

// hopeless is the score of a beam that must not be chosen, as in transformers.
const hopeless = -1e9

// reorderable is a cache that beam search can use.
type reorderable interface {
	kvcache.Cache
	Reorder(rows *torch.Tensor)
}

// search is the state of one prompt.
type search struct {
	running, finished []beam
	improvable        bool
	over              bool
}

// beamSearch follows the NumBeams most probable sequences of each prompt. It computes what
// GenerationMixin._beam_search does.
func beamSearch(ctx context.Context, op string, m models.CausalLM, prompts [][]int64, c Config) ([][]int64, error) {
	if _, ok := c.cache.(reorderable); c.cache != nil && !ok {
		panic(torch.NewError(op, torch.ErrValue, "UseCache", "beam search needs a cache with a method Reorder"))
	}
	r, err := start(op, m, prompts, c)
	if err != nil {
		return nil, err
	}
	defer r.close()
	all := make([]search, len(prompts))
	for i := range all {
		all[i].improvable = true
		for j := range c.NumBeams {
			b, empty := beam{row: i*c.NumBeams + j}, beam{score: hopeless}
			if j > 0 {
				b.score = hopeless // the beams are equal at first: only one counts
			}
			all[i].running = append(all[i].running, b)
			all[i].finished = append(all[i].finished, empty)
		}
	}
	for goesOn(all, c) && r.steps < c.MaxNewTokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.beamStep(all)
	}
	var out [][]int64
	for _, s := range all {
		for _, b := range s.finished[:c.NumReturnSequences] {
			out = append(out, b.fresh)
		}
	}
	return out, nil
}

// goesOn reports whether a step may still change the result.
func goesOn(all []search, c Config) bool {
	improvable, open, over := false, !c.EarlyStopping, true
	for _, s := range all {
		improvable = improvable || s.improvable
		over = over && s.over
		for _, b := range s.finished {
			open = open || !b.ended
		}
	}
	return improvable && open && !over
}

func (r *run) beamStep(all []search) {
	c := r.c
	keep := max(2, 1+len(c.EOSTokenIDs)) * c.NumBeams
	var scores []float32
	var places []int64
	var vocabulary int64
	torch.NoGrad(func() {
		torch.Scope(func() {
			logits := r.logits()
			vocabulary = logits.Size(1)
			keep = min(keep, c.NumBeams*int(vocabulary))
			before := make([]float32, 0, len(r.prompts))
			for i := range all {
				for _, b := range all[i].running {
					before = append(before, b.score)
				}
			}
			p := c.process(logits.LogSoftmax(-1), r.rows(), r.steps)
			p = p.Add(torch.FromSlice(before, int64(len(before)), 1).To(p.Device()))
			top, at := p.View(int64(len(all)), -1).TopK(int64(keep))
			scores, places = top.Reshape(-1).Float32s(), at.Reshape(-1).Int64s()
		})
	})
	r.steps++
	order := make([]int64, 0, len(r.prompts))
	for i := range all {
		s := &all[i]
		s.advance(c, r.steps, scores[i*keep:(i+1)*keep], places[i*keep:(i+1)*keep], vocabulary)
		for j := range s.running {
			b := &s.running[j]
			order = append(order, int64(b.row))
			b.row = i*c.NumBeams + j
			r.last[b.row], r.fresh[b.row] = b.fresh[len(b.fresh)-1], b.fresh
		}
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			r.cache.(reorderable).Reorder(torch.FromSlice(order).To(r.device))
		})
	})
}

// advance chooses the beams to follow and to keep after step n. The candidates have the
// given scores; the place of a candidate is its beam times vocabulary plus its token.
func (s *search) advance(c Config, n int, scores []float32, places []int64, vocabulary int64) {
	candidates := make([]beam, len(scores))
	s.over = true
	for k, place := range places {
		from, id := s.running[place/vocabulary], place%vocabulary
		candidates[k] = beam{
			fresh: append(slices.Clone(from.fresh), id), score: scores[k], row: from.row,
			ended: slices.Contains(c.EOSTokenIDs, id) || n == c.MaxNewTokens,
		}
		s.over = s.over && candidates[k].ended
	}
	length := float32(math.Pow(float64(n), c.LengthPenalty))
	full := c.EarlyStopping && !slices.ContainsFunc(s.finished, func(b beam) bool { return !b.ended })
	merged := slices.Clone(s.finished)
	for k, b := range candidates {
		chosen := b.ended && k < c.NumBeams
		b.score /= length
		for _, bad := range []bool{full, !s.improvable, !chosen} {
			if bad {
				b.score += hopeless
			}
		}
		b.ended = chosen
		merged = append(merged, b)
	}
	for k := range candidates {
		if candidates[k].ended {
			candidates[k].score += hopeless
		}
	}
	s.running, s.finished = best(candidates, c.NumBeams), best(merged, c.NumBeams)
	s.improvable = s.improvable && s.canImprove(c, n)
}

// canImprove reports whether a running beam may become better than a finished one.
func (s *search) canImprove(c Config, n int) bool {
	possible := s.running[0].score / float32(math.Pow(float64(n), c.LengthPenalty))
	worst := s.finished[len(s.finished)-1].score
	for _, b := range s.finished {
		limit := float32(hopeless)
		if b.ended {
			limit = worst
		}
		if possible > limit {
			return true
		}
	}
	return false
}

// best returns the n beams with the highest scores, in order.
func best(beams []beam, n int) []beam {
	slices.SortStableFunc(beams, func(a, b beam) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return slices.Clone(beams[:n])
}
