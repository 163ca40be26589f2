package dcp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Shard is this rank's part of a larger tensor: a box of its elements. A []Shard contains several
// parts of one tensor.
//
// For Save, the shards of all ranks must make up the whole tensor. Several ranks may have the same
// part, which is then written once. For Load, a shard may be any part, however the tensor was
// sharded when it was saved. In Python these are DTensor and ShardedTensor.
type Shard struct {
	Tensor  *torch.Tensor // the part
	Offsets torch.Shape   // offsets of the part in the whole tensor
	Size    torch.Shape   // size of the whole tensor
}

// Bounds returns the part of a tensor that a rank has if dimension dim is sharded as by
// Shard(dim) of Python's DTensor: ceil(n/world) elements for each rank, and fewer or none
// for the last ranks. offsets and part are the Offsets of a [Shard] and the shape of its
// tensor. Bounds panics with a *torch.Error of kind ErrIndex for an invalid dimension or
// rank.
func Bounds(size torch.Shape, dim int64, rank, world int) (offsets, part torch.Shape) {
	const op = "dcp.Bounds"
	if dim < 0 || dim >= int64(len(size)) {
		panic(torch.NewError(op, torch.ErrIndex, "dim", fmt.Sprintf("expected 0 to %d, got %d", len(size)-1, dim)))
	}
	if world < 1 || rank < 0 || rank >= world {
		panic(torch.NewError(op, torch.ErrIndex, "rank", fmt.Sprintf("invalid rank %d of %d", rank, world)))
	}
	n, w, r := size[dim], int64(world), int64(rank)
	each := (n + w - 1) / w
	offsets, part = make(torch.Shape, len(size)), slices.Clone(size)
	offsets[dim] = min(n, r*each)
	part[dim] = min(n, (r+1)*each) - offsets[dim]
	return offsets, part
}

// box is a part of a tensor.
type box struct{ at, size []int64 }

// numElements returns the number of elements, or -1 if a tensor cannot have so many.
func numElements(size []int64) int64 {
	n, over := int64(1), false
	for _, s := range size {
		switch {
		case s == 0:
			return 0
		case s < 0 || n > math.MaxInt64/s:
			over = true
		default:
			n *= s
		}
	}
	if over {
		return -1
	}
	return n
}

// bytesOf returns the size in bytes, or -1 if it is too large.
func bytesOf(size []int64, d torch.DType) int64 {
	n := numElements(size)
	if each := d.Size(); n > 0 && each > 0 && n > math.MaxInt64/each {
		return -1
	}
	return n * max(d.Size(), 1)
}

// intersection returns the intersection of two boxes.
func intersection(a, b box) (box, bool) {
	c := box{make([]int64, len(a.at)), make([]int64, len(a.at))}
	for i := range a.at {
		c.at[i] = max(a.at[i], b.at[i])
		c.size[i] = min(a.at[i]+a.size[i], b.at[i]+b.size[i]) - c.at[i]
		if c.size[i] <= 0 {
			return box{}, false
		}
	}
	return c, true
}

// overlaps reports whether two boxes share an element.
func (b box) overlaps(other box) bool {
	for i := range b.at {
		if b.at[i] >= other.at[i]+other.size[i] || other.at[i] >= b.at[i]+b.size[i] {
			return false
		}
	}
	return true
}

// problem describes what is wrong with a box in a tensor of a given size. It returns "" if nothing
// is.
func (b box) problem(size []int64) string {
	if len(b.at) != len(size) || len(b.size) != len(size) {
		return fmt.Sprintf("the part has offset %v and size %v, but the tensor has %d dimensions", torch.Shape(b.at),
			torch.Shape(b.size), len(size))
	}
	for i, n := range size {
		if b.at[i] < 0 || b.size[i] < 0 || b.at[i] > n || b.size[i] > n-b.at[i] {
			return fmt.Sprintf("the part of size %v at offset %v exceeds the shape %v", torch.Shape(b.size),
				torch.Shape(b.at), torch.Shape(size))
		}
	}
	return ""
}

// mostPairs is the largest number of pairs of boxes that findOverlap compares, which takes one or
// two seconds. A grid of 100,000 parts in two or three dimensions has fewer pairs.
const mostPairs = 1 << 28

// findOverlap returns two boxes that share elements, or -1 and -1 if there are none. ok is false if
// there are too many pairs to compare.
func findOverlap(all []box) (i, j int, ok bool) {
	var some []int // indices of the boxes that have elements
	for k, b := range all {
		if numElements(b.size) != 0 {
			some = append(some, k)
		}
	}
	if len(some) < 2 {
		return -1, -1, true
	}
	dims := len(all[some[0]].at)
	if dims == 0 {
		return some[0], some[1], true
	}
	// Choose the dimension in which the fewest pairs of boxes overlap. In it, compare
	// each box only with the boxes that begin before it ends.
	dim, least := 0, int64(math.MaxInt64)
	for d := range dims {
		if n := pairs(all, some, d); n < least {
			dim, least = d, n
		}
	}
	if least > mostPairs {
		return -1, -1, false
	}
	slices.SortFunc(some, func(a, b int) int { return cmp.Compare(all[a].at[dim], all[b].at[dim]) })
	for n, a := range some {
		end := all[a].at[dim] + all[a].size[dim]
		for _, b := range some[n+1:] {
			if all[b].at[dim] >= end {
				break
			}
			if all[a].overlaps(all[b]) {
				return min(a, b), max(a, b), true
			}
		}
	}
	return -1, -1, true
}

// pairs returns the number of pairs of boxes that overlap in one dimension.
func pairs(all []box, some []int, dim int) int64 {
	begins, ends := make([]int64, len(some)), make([]int64, len(some))
	for i, k := range some {
		begins[i], ends[i] = all[k].at[dim], all[k].at[dim]+all[k].size[dim]
	}
	slices.Sort(begins)
	slices.Sort(ends)
	n, ended := int64(0), 0
	for i, b := range begins {
		for ended < len(ends) && ends[ended] <= b {
			ended++
		}
		n += int64(i - ended)
	}
	return n
}
