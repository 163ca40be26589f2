package serving

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// part is what a request adds to a step: its next tokens.
type part struct {
	r    *request
	ids  []int64
	last bool // the logits of the last of ids are those of a new token

	chosen int64 // the new token, or
	err    error // why there is none
}

// parts chooses the tokens of a step: one of each text in progress, and of the prompts as
// many as are allowed.
func (e *Engine) parts() []part {
	var all []part
	left := int64(e.prefil)
	for _, r := range e.active {
		if n := len(r.fresh); n > 0 {
			all = append(all, part{r: r, ids: r.fresh[n-1:], last: true})
			continue
		}
		from := r.text.Len()
		n := min(left, int64(len(r.prompt))-from)
		if n > 0 {
			all = append(all, part{r: r, ids: r.prompt[from : from+n], last: from+n == int64(len(r.prompt))})
			left -= n
		}
	}
	return all
}

// step passes tokens through the model and sends the new ones to the clients.
func (e *Engine) step() {
	all := e.parts()
	err := torch.Try(func() {
		torch.NoGrad(func() {
			torch.Scope(func() { e.forward(all) })
		})
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Steps++
	if err != nil { // such as memory that ran out
		for _, p := range all {
			e.remove(p.r)
			e.end(p.r, err)
		}
		return
	}
	for _, p := range all {
		if !p.last {
			continue
		}
		r, id := p.r, p.chosen
		if p.err != nil { // such as NaN for all tokens: the others continue
			e.remove(r)
			e.end(r, p.err)
			continue
		}
		r.fresh = append(r.fresh, id)
		r.out <- id
		e.stats.NewTokens++
		if len(r.fresh) == r.c.MaxNewTokens || slices.Contains(r.c.EOSTokenIDs, id) {
			e.remove(r)
			e.stats.Finished++
			e.end(r, nil)
		}
	}
}

func (e *Engine) remove(r *request) {
	e.active = slices.DeleteFunc(e.active, func(other *request) bool { return other == r })
}

// forward chooses the next token of each part that is complete.
func (e *Engine) forward(all []part) {
	var ids, ends []int64
	var parts []kvcache.Part
	for _, p := range all {
		ids = append(ids, p.ids...)
		parts = append(parts, kvcache.Part{Text: p.r.text, Tokens: int64(len(p.ids))})
		if p.last {
			ends = append(ends, int64(len(ids))-1)
		}
	}
	batch := e.pool.NewBatch(parts)
	n := int64(len(ids))
	opts := []models.ForwardOption{
		models.UseCache(batch), models.PositionIDs(torch.FromSlice(batch.Positions(), 1, n)), models.LogitsAt(ends),
	}
	if len(ends) == 0 {
		opts = append(opts, models.LogitsAt{n - 1}) // the result is not used
	}
	logits := e.m.Forward(torch.FromSlice(ids, 1, n), opts...).Select(0, 0).Float()
	batch.Done()
	row := int64(0)
	for i := range all {
		p := &all[i]
		if !p.last {
			continue
		}
		p.err = torch.Try(func() { p.chosen = p.r.sampler.Next(logits.Narrow(0, row, 1), p.r.prompt, p.r.fresh) })
		row++
	}
}
