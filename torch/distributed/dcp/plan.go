package dcp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// planItem is what a rank tells the coordinator of one thing that it could write.
type planItem struct {
	Name         string
	Path         []step
	DType        torch.DType // 0 for a value that is no tensor
	RequiresGrad bool
	Size         []int64 // of the whole tensor
	At, Part     []int64 // offsets and size of what this rank has
}

func (p *planItem) box() box { return box{p.At, p.Part} }

// cost is what it takes to write: its bytes, and something for the archive around them.
func (p *planItem) cost() int64 {
	const archive = 1200
	if p.DType == 0 {
		return archive
	}
	return bytesOf(p.Part, p.DType) + archive
}

// order is what the coordinator has a rank write.
type order struct {
	File  string
	Items []int // of the rank's plan
}

// source says who writes a chunk.
type source struct{ rank, item int }

// draft is a checkpoint in the making: its metadata, whose chunks have no places yet, and who
// writes each of them.
type draft struct {
	meta    *Metadata
	writers [][]source // of each item's chunks
	orders  []order
}

// newDraft puts the plans of all ranks together. What several ranks have is written by one of
// them: a value that is no tensor by the lowest, so that it is known whose value it is, and
// tensors so that the ranks have as many bytes to write each as can be.
func newDraft(dir string, plans [][]planItem, files []string, globalRank func(int) int) (*draft, error) {
	d := &draft{meta: &Metadata{Version: currentVersion, at: map[string]int{}}, orders: make([]order, len(plans))}
	var parts []*part
	at := map[partKey]*part{}
	for rank, plan := range plans {
		for i := range plan {
			p := &plan[i]
			item, err := d.item(dir, p, globalRank(rank))
			if err != nil {
				return nil, err
			}
			if p.DType != 0 && elements(p.Part) == 0 && (elements(p.Size) > 0 || len(d.meta.Items[item].Chunks) > 0) {
				continue // a rank without a part
			}
			key := partKey{p.Name, whole}
			if p.DType != 0 {
				key.offsets = packed(append(torch.Shape{}, p.At...))
			}
			if have := at[key]; have != nil {
				if !slices.Equal(have.Part, p.Part) {
					return nil, fault(dir, p.Name, ErrMismatch, "rank %d has a part of %v at %v, and rank %d one of %v",
						globalRank(have.who[0].rank), torch.Shape(have.Part), torch.Shape(p.At), globalRank(rank), torch.Shape(p.Part))
				}
				have.who = append(have.who, source{rank, i})
				continue
			}
			m := &part{planItem: p, item: item, chunk: len(d.meta.Items[item].Chunks), who: []source{{rank, i}}}
			at[key] = m
			parts = append(parts, m)
			d.meta.Items[item].Chunks = append(d.meta.Items[item].Chunks, Chunk{Offsets: p.At, Size: p.Part})
			d.writers[item] = append(d.writers[item], source{})
		}
	}
	if err := d.complete(dir); err != nil {
		return nil, err
	}
	d.distribute(parts)
	for rank := range d.orders {
		d.orders[rank].File = files[rank]
		slices.Sort(d.orders[rank].Items)
	}
	return d, nil
}

// part is a chunk, and the ranks that could write it.
type part struct {
	*planItem
	item, chunk int
	who         []source
}

// item returns the place of an item, which it makes if there is none. All ranks have to agree
// in what a tensor is.
func (d *draft) item(dir string, p *planItem, rank int) (int, error) {
	i, ok := d.meta.at[p.Name]
	if !ok {
		item := Item{Name: p.Name, DType: p.DType, RequiresGrad: p.RequiresGrad}
		for _, s := range p.Path {
			if s.List {
				item.Path = append(item.Path, s.Index)
			} else {
				item.Path = append(item.Path, s.Key)
			}
		}
		if p.DType != 0 {
			item.Shape, item.Layout = append(torch.Shape{}, p.Size...), torch.Strided
		}
		d.meta.at[p.Name] = len(d.meta.Items)
		d.meta.Items = append(d.meta.Items, item)
		d.writers = append(d.writers, nil)
		return len(d.meta.Items) - 1, nil
	}
	item := &d.meta.Items[i]
	if item.DType != p.DType || !item.Shape.Equal(p.Size) {
		return 0, fault(dir, p.Name, ErrMismatch, "rank %d has %s, and a rank before it %s", rank, describe(p.DType, p.Size), describe(item.DType, item.Shape))
	}
	return i, nil
}

func describe(d torch.DType, shape torch.Shape) string {
	if d == 0 {
		return "a value that is no tensor"
	}
	return fmt.Sprintf("a tensor of %v %v", d, shape)
}

// complete looks whether the parts of each tensor make it up.
func (d *draft) complete(dir string) error {
	for i := range d.meta.Items {
		item := &d.meta.Items[i]
		if !item.IsTensor() {
			continue
		}
		boxes := make([]box, len(item.Chunks))
		sum := int64(0)
		for n, c := range item.Chunks {
			boxes[n] = box{c.Offsets, c.Size}
			sum += elements(c.Size)
		}
		a, b, ok := overlapping(boxes)
		switch {
		case !ok:
			return fault(dir, item.Name, ErrUnsupported, "%d parts, which cannot be told apart in reasonable time", len(boxes))
		case a >= 0:
			return fault(dir, item.Name, ErrMismatch, "the part of %v at %v and the part of %v at %v overlap", item.Chunks[a].Size, item.Chunks[a].Offsets, item.Chunks[b].Size, item.Chunks[b].Offsets)
		case sum != elements(item.Shape):
			return fault(dir, item.Name, ErrMismatch, "the ranks have %d of its %d elements", sum, elements(item.Shape))
		}
	}
	return nil
}

// distribute says who writes what. What only one rank has comes first, then the largest, each
// to the rank that has the least to write so far.
func (d *draft) distribute(parts []*part) {
	load := make([]int64, len(d.orders))
	give := func(p *part, to source) {
		load[to.rank] += p.cost()
		d.writers[p.item][p.chunk] = to
		d.orders[to.rank].Items = append(d.orders[to.rank].Items, to.item)
	}
	var several []*part
	for _, p := range parts {
		if len(p.who) == 1 || p.DType == 0 {
			give(p, p.who[0])
		} else {
			several = append(several, p)
		}
	}
	slices.SortStableFunc(several, func(a, b *part) int { return cmp.Compare(b.cost(), a.cost()) })
	for _, p := range several {
		to := p.who[0]
		for _, w := range p.who[1:] {
			if load[w.rank] < load[to.rank] {
				to = w
			}
		}
		give(p, to)
	}
}

// written is where a rank has put what it was to write, in the order of its items.
type written struct{ Starts, Lengths []int64 }

// finish puts the places into the metadata.
func (d *draft) finish(all []written) (*Metadata, error) {
	index := make([]map[int]int, len(d.orders)) // of a rank's item in its order
	for r, o := range d.orders {
		index[r] = map[int]int{}
		for i, item := range o.Items {
			index[r][item] = i
		}
		if len(all[r].Starts) != len(o.Items) || len(all[r].Lengths) != len(o.Items) {
			return nil, fmt.Errorf("rank %d in the group has written %d values of %d", r, len(all[r].Starts), len(o.Items))
		}
	}
	for i, item := range d.meta.Items {
		for n := range item.Chunks {
			from := d.writers[i][n]
			at := index[from.rank][from.item]
			c := &item.Chunks[n]
			c.File, c.Start, c.Length = d.orders[from.rank].File, all[from.rank].Starts[at], all[from.rank].Lengths[at]
		}
	}
	return d.meta, nil
}
