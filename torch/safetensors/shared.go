package safetensors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// area is the part of a storage that one tensor uses.
type area struct {
	index        int // index of the tensor in the list of tensors to write
	device       torch.Device
	base         uintptr // address of the storage
	size         int64   // size of the storage in bytes
	start, stop  uintptr
	wholeStorage bool
}

func areaOf(i int, t *torch.Tensor) area {
	a := area{index: i, device: t.Device(), size: t.StorageBytes(), start: t.DataPtr()}
	a.base = a.start - uintptr(t.StorageOffset()*t.ElementSize())
	last := int64(0)
	strides := t.Stride()
	for d, n := range t.Shape() {
		last += (n - 1) * strides[d]
	}
	a.stop = a.start + uintptr((last+1)*t.ElementSize())
	a.wholeStorage = a.start == a.base && t.NBytes() == a.size
	return a
}

// sharing returns groups of tensors. The tensors in a group share bytes.
func sharing(l list) [][]area {
	var areas []area
	for i := range l {
		if l[i].bytes > 0 {
			areas = append(areas, areaOf(i, l[i].tensor))
		}
	}
	slices.SortStableFunc(areas, func(a, b area) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.base, b.base), cmp.Compare(a.size, b.size),
			cmp.Compare(a.start, b.start))
	})
	var groups [][]area
	stop := uintptr(0)
	for i, a := range areas {
		n := len(groups) - 1
		same := i > 0 && a.device == areas[i-1].device && a.base == areas[i-1].base && a.size == areas[i-1].size &&
			a.base != 0
		if same && a.start < stop {
			groups[n] = append(groups[n], a)
			stop = max(stop, a.stop)
			continue
		}
		groups, stop = append(groups, []area{a}), a.stop
	}
	return slices.DeleteFunc(groups, func(g []area) bool { return len(g) < 2 })
}

// unshared returns the list without the tensors that RemoveDuplicates leaves out. If it
// fails, it returns an error and the whole list.
func (s *saving) unshared(l list) (list, error) {
	removed := map[int]bool{}
	for _, g := range sharing(l) {
		// sorting by index sorts by name, because the list is sorted by name
		slices.SortFunc(g, func(a, b area) int { return cmp.Compare(a.index, b.index) })
		names := make([]string, len(g))
		for i, a := range g {
			names[i] = quote(l[a.index].name)
		}
		if len(names) > 10 {
			names = append(names[:10], "…")
		}
		all := strings.Join(names, ", ")
		if !s.remove {
			return l, torch.NewError(s.op, torch.ErrValue, "tensors",
				fmt.Sprintf("%s share memory, which the format does not support; use RemoveDuplicates(true) to "+
					"save one of them, or save Clones", all))
		}
		keep := slices.IndexFunc(g, func(a area) bool { return a.wholeStorage })
		if keep < 0 {
			return l, torch.NewError(s.op, torch.ErrValue, "tensors",
				fmt.Sprintf(
					"%s share memory, but none spans all of it, so no single one can be saved for all; save Clones",
					all))
		}
		for i, a := range g {
			if i == keep {
				continue
			}
			removed[a.index] = true
			if s.metadata == nil {
				s.metadata = map[string]string{}
			}
			// an entry of the caller's own metadata is not replaced
			if _, there := s.metadata[l[a.index].name]; !there {
				s.metadata[l[a.index].name] = l[g[keep].index].name
			}
		}
	}
	kept := make(list, 0, len(l))
	for i := range l {
		if removed[i] {
			_ = l[i].tensor.Close() // always nil
			continue
		}
		kept = append(kept, l[i])
	}
	return kept, nil
}
