package dcp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// planItem describes one value that a rank could write, for the coordinator.
type planItem struct {
	Name         string
	Path         []step
	DType        torch.DType // 0 for a value that is not a tensor
	RequiresGrad bool
	Size         []int64 // size of the whole tensor
	At, Part     []int64 // offsets and size of this rank's part
}

func (p *planItem) box() box { return box{p.At, p.Part} }

// problem describes what is wrong with an item that another rank has sent. It returns "" if nothing
// is.
func (p *planItem) problem() string {
	switch {
	case len(p.Path) == 0 || len(p.Path) > mostDepth || p.Name != nameOf(p.Path):
		return "the keys do not form the name"
	case len(p.Name) > mostName || !pickle.IsText(p.Name):
		return "the name is too long, or is not valid UTF-8"
	case slices.ContainsFunc(p.Path, func(s step) bool { return s.Index < 0 || s.Index > math.MaxInt32 }):
		return "the name has an invalid list index"
	case p.DType == 0 && len(p.Size)+len(p.At)+len(p.Part) > 0:
		return "a value that is not a tensor has a shape"
	case p.DType != 0 && (p.DType.Size() == 0 || p.DType.IsQuantized()):
		return fmt.Sprintf("a tensor of %v cannot be saved", p.DType)
	case len(p.Size) > mostDims || bytesOf(p.Size, p.DType) < 0:
		return "the tensor is too large"
	}
	return p.box().problem(p.Size)
}

// cost estimates how many bytes are written for the value and for the archive around it.
func (p *planItem) cost() int64 {
	const archive = 1200
	if p.DType == 0 {
		return archive
	}
	return bytesOf(p.Part, p.DType) + archive
}

// writeOrder lists the values that a rank must write.
type writeOrder struct {
	File  string
	Items []int // indices of the values in the rank's plan
}

// problem describes what is wrong with an order that the coordinator has sent to a rank with n items.
// It returns "" if nothing is.
func (o *writeOrder) problem(n int) string {
	if !dataName.MatchString(o.File) {
		return plain.Quote(o.File) + " is not the name of a data file"
	}
	last := -1
	for _, i := range o.Items {
		if i <= last || i >= n {
			return fmt.Sprintf("value %d after %d, of %d values", i, last, n)
		}
		last = i
	}
	return ""
}

// source says who writes a chunk: the rank, and the index of the item in that rank's plan.
type source struct{ rank, item int }

// draft is a checkpoint that is being planned: its metadata, whose chunks have no positions yet,
// and the rank that writes each chunk.
type draft struct {
	meta    *Metadata
	writers [][]source // for each item, the writer of each of its chunks
	orders  []writeOrder
}

// newDraft merges the plans of all ranks. If several ranks have a value, one of them
// writes it: for a value that is not a tensor, the lowest rank. Tensors are assigned so
// that all ranks write about the same number of bytes.
func newDraft(dir string, plans [][]planItem, files []string, globalRank func(int) int) (*draft, error) {
	d := &draft{meta: &Metadata{Version: currentVersion, at: map[string]int{}}, orders: make([]writeOrder, len(plans))}
	var parts []*part
	at := map[partKey]*part{}
	for rank, plan := range plans {
		for i := range plan {
			p := &plan[i]
			if text := p.problem(); text != "" {
				return nil, fileError(dir, p.Name, torch.ErrMismatch, "rank %d: %s", globalRank(rank), text)
			}
			item, err := d.item(dir, p, globalRank(rank))
			if err != nil {
				return nil, err
			}
			if p.DType != 0 && numElements(p.Part) == 0 &&
				(numElements(p.Size) > 0 || len(d.meta.Items[item].Chunks) > 0) {
				continue // this rank's part of the tensor is empty
			}
			key := partKey{p.Name, noOffsets}
			if p.DType != 0 {
				key.offsets = packOffsets(append(torch.Shape{}, p.At...))
			}
			if have := at[key]; have != nil {
				if !slices.Equal(have.Part, p.Part) {
					return nil, fileError(dir, p.Name, torch.ErrMismatch,
						"rank %d has a part of size %v at offset %v, but rank %d has a part of size %v",
						globalRank(have.writers[0].rank), torch.Shape(have.Part), torch.Shape(p.At), globalRank(rank),
						torch.Shape(p.Part))
				}
				have.writers = append(have.writers, source{rank, i})
				continue
			}
			m := &part{planItem: p, item: item, chunk: len(d.meta.Items[item].Chunks), writers: []source{{rank, i}}}
			at[key] = m
			parts = append(parts, m)
			d.meta.Items[item].Chunks = append(d.meta.Items[item].Chunks, Chunk{Offsets: p.At, Size: p.Part})
			d.writers[item] = append(d.writers[item], source{})
		}
	}
	if err := d.checkComplete(dir); err != nil {
		return nil, err
	}
	d.assignWriters(parts)
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
	writers     []source
}

// item returns the index of an item, which it creates if needed. A tensor's dtype and size must be
// equal on all ranks.
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
		return 0, fileError(dir, p.Name, torch.ErrMismatch, "rank %d has %s, but an earlier rank has %s", rank,
			describe(p.DType, p.Size), describe(item.DType, item.Shape))
	}
	return i, nil
}

func describe(d torch.DType, shape torch.Shape) string {
	if d == 0 {
		return "a value that is not a tensor"
	}
	return fmt.Sprintf("a tensor of %v %v", d, shape)
}

// checkComplete checks that the parts of each tensor cover it without overlap.
func (d *draft) checkComplete(dir string) error {
	for i := range d.meta.Items {
		item := &d.meta.Items[i]
		if !item.IsTensor() {
			continue
		}
		boxes := make([]box, len(item.Chunks))
		sum := int64(0)
		for n, c := range item.Chunks {
			boxes[n] = box{c.Offsets, c.Size}
			sum += numElements(c.Size)
		}
		a, b, ok := findOverlap(boxes)
		switch {
		case !ok:
			return fileError(dir, item.Name, torch.ErrUnsupported,
				"%d parts are too many to compare in reasonable time", len(boxes))
		case a >= 0:
			return fileError(dir, item.Name, torch.ErrMismatch,
				"the part of size %v at offset %v overlaps the part of size %v at offset %v",
				item.Chunks[a].Size, item.Chunks[a].Offsets, item.Chunks[b].Size, item.Chunks[b].Offsets)
		case sum != numElements(item.Shape):
			return fileError(dir, item.Name, torch.ErrMismatch, "the ranks have only %d of the tensor's %d elements",
				sum, numElements(item.Shape))
		}
	}
	return nil
}

// assignWriters chooses the rank that writes each part. First it assigns the parts that only one
// rank has. Then it assigns the others, largest first, each to the rank that has the least to write
// so far.
func (d *draft) assignWriters(parts []*part) {
	load := make([]int64, len(d.orders))
	give := func(p *part, to source) {
		load[to.rank] += p.cost()
		d.writers[p.item][p.chunk] = to
		d.orders[to.rank].Items = append(d.orders[to.rank].Items, to.item)
	}
	var several []*part
	for _, p := range parts {
		if len(p.writers) == 1 || p.DType == 0 {
			give(p, p.writers[0])
		} else {
			several = append(several, p)
		}
	}
	slices.SortStableFunc(several, func(a, b *part) int { return cmp.Compare(b.cost(), a.cost()) })
	for _, p := range several {
		to := p.writers[0]
		for _, w := range p.writers[1:] {
			if load[w.rank] < load[to.rank] {
				to = w
			}
		}
		give(p, to)
	}
}

// positions holds the positions at which a rank has written its items, in the order of
// its writeOrder.
type positions struct{ Starts, Lengths []int64 }

// putPositions stores the positions in the metadata. It returns an error if they are invalid.
func (d *draft) putPositions(dir string, all []positions) (*Metadata, error) {
	index := make([]map[int]int, len(d.orders)) // for each rank, an item's index in the rank's order
	for r, o := range d.orders {
		index[r] = map[int]int{}
		for i, item := range o.Items {
			index[r][item] = i
		}
		if len(all[r].Starts) != len(o.Items) || len(all[r].Lengths) != len(o.Items) {
			return nil, fmt.Errorf("rank %d of the group has written %d of %d values", r, len(all[r].Starts),
				len(o.Items))
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
	return d.meta, d.meta.checkClaims(dir)
}
