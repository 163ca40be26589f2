package arrow

import (
	"cmp"
	"fmt"
	"slices"
)

// extent is the position and the length of some bytes.
type extent struct{ at, n int64 }

// distinct returns an error if two extents overlap. A small file that stores some data once
// and refers to it many times could take hours to read.
func distinct(all []extent) error {
	all = slices.DeleteFunc(slices.Clone(all), func(e extent) bool { return e.n <= 0 })
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(all); i++ {
		if all[i].at-all[i-1].at < all[i-1].n {
			return fmt.Errorf("two parts of the file overlap at offset %d", all[i].at)
		}
	}
	return nil
}
