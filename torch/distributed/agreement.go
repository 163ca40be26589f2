package distributed

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// checkAgreement checks that all ranks make the same call: the largest and the smallest
// fingerprint of their calls must be equal. If they differ, the ranks exchange
// descriptions of their calls, for the error. The caller must have its turn; see queue.
// refused is the error about this rank's arguments, if any.
func (g *ProcessGroup) checkAgreement(ctx context.Context, c *call, refused error) error {
	n := fingerprint(c.text)
	if refused != nil {
		// No text has the fingerprint 1, so a refusal differs from every call; if all ranks refuse,
		// each returns its own error.
		n = 1
	}
	differ := false
	err := g.tryScoped(func() error {
		x := torch.FromSliceWith([]int64{n, -n}, torch.Shape{2}, torch.CPU)
		f, err := g.begin(ctx,
			&call{
				Call: native.Call{Op: native.AllReduce, Reduce: int(Max)}, op: c.op, outs: []*torch.Tensor{x},
				text: c.text,
			})
		if err == nil {
			err = f.wait(ctx)
		}
		if err == nil {
			v := x.Int64s()
			differ = v[0] != -v[1]
		}
		return err
	})
	if err != nil || !differ {
		return err
	}
	text := c.text
	if refused != nil {
		text = "refused: " + refused.Error()
	}
	texts, err := g.exchangeTexts(ctx, c, text)
	if err != nil {
		return err
	}
	return g.mismatchError(c, texts)
}

// runUncompared runs a collective that the comparison itself needs. No comparison precedes it.
func (g *ProcessGroup) runUncompared(ctx context.Context, c *call, what native.Call, outs, ins []*torch.Tensor) error {
	f, err := g.begin(ctx, &call{Call: what, op: c.op, outs: outs, ins: ins, text: c.text})
	if err != nil {
		return err
	}
	return f.wait(ctx)
}

// fingerprint returns a positive hash of a text.
func fingerprint(text string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
	return int64(h.Sum64()>>2) | 2
}

// mostText is the maximum number of bytes in which a rank describes its call to the other
// ranks.
const mostText = 400

// exchangeTexts returns every rank's description of its call, in rank order.
func (g *ProcessGroup) exchangeTexts(ctx context.Context, c *call, text string) ([]string, error) {
	row := make([]byte, mostText)
	copy(row, text)
	var texts []string
	err := g.tryScoped(func() error {
		x := torch.FromSliceWith(row, torch.Shape{mostText}, torch.CPU)
		all := torch.Empty(torch.Shape{int64(len(g.ranks)), mostText}, torch.Uint8, torch.CPU)
		err := g.runUncompared(ctx, c, native.Call{Op: native.AllGatherInto}, []*torch.Tensor{all.View(-1)},
			[]*torch.Tensor{x})
		if err != nil {
			return err
		}
		for row := range slices.Chunk(all.Flatten().Uint8s(), mostText) {
			texts = append(texts, printable(string(bytes.TrimRight(row, "\x00"))))
		}
		return nil
	})
	return texts, err
}

// tryScoped calls fn in a scope. If fn panics, tryScoped returns the panic as an error.
func (g *ProcessGroup) tryScoped(fn func() error) error {
	var err error
	if panicked := torch.Try(func() { torch.Scope(func() { err = fn() }) }); panicked != nil {
		return panicked
	}
	return err
}

// mismatchError returns an error that lists the ranks' calls. Its Ranks are the ranks
// that refused their arguments, and the ranks whose call differs from the most frequent
// call.
func (g *ProcessGroup) mismatchError(c *call, texts []string) error {
	groups := map[string][]int{}
	var order []string
	for r, text := range texts {
		if groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], g.ranks[r])
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(groups[b]) - len(groups[a]) })
	var parts []string
	e := &Error{Op: c.op, Kind: ErrMismatch, Rank: g.rank, World: len(g.ranks)}
	for i, text := range order {
		refused := strings.HasPrefix(text, "refused: ")
		if refused || i > 0 && len(groups[text]) < len(groups[order[0]]) {
			e.Ranks = append(e.Ranks, groups[text]...)
		}
		if i < 8 {
			parts = append(parts, fmt.Sprintf("%s: %s", rankNames(groups[text]), text))
		}
	}
	slices.Sort(e.Ranks)
	e.Detail = strings.Join(parts, "; ")
	return e
}

func rankNames(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + formatRanks(ranks)
}
