// Package groups adds up counts and bytes by key, and finds the sums that grew. Reports
// about tensors and about blocks of memory use it.
package groups

import (
	"cmp"
	"math"
	"slices"
)

// Group is the sum of the counts and bytes of all things with one key.
type Group struct {
	Key   string
	Count int64
	Bytes int64
}

// Growth is the change of a group between two points in time.
type Growth struct {
	Key        string
	Count      int64 // afterwards
	CountDelta int64
	Bytes      int64 // afterwards
	BytesDelta int64
}

// Sum groups things by key. The groups with the most bytes come first. weigh returns the
// count and bytes of a thing, because a sampled thing stands for several.
func Sum[T any](things []T, key func(T) string, weigh func(T) (count, bytes float64)) []Group {
	type sum struct{ count, bytes float64 }
	sums := map[string]*sum{}
	for _, t := range things {
		k := key(t)
		s := sums[k]
		if s == nil {
			s = &sum{}
			sums[k] = s
		}
		count, bytes := weigh(t)
		s.count += count
		s.bytes += bytes
	}
	out := make([]Group, 0, len(sums))
	for k, s := range sums {
		out = append(out, Group{k, int64(math.Round(s.count)), int64(math.Round(s.bytes))})
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// Diff compares two lists by key. The groups that grew most come first. Groups that did
// not change are left out.
func Diff(before, after []Group) []Growth {
	old := map[string]Group{}
	for _, g := range before {
		old[g.Key] = g
	}
	var out []Growth
	add := func(key string, a, b Group) {
		if a.Count != b.Count || a.Bytes != b.Bytes {
			out = append(out, Growth{key, b.Count, b.Count - a.Count, b.Bytes, b.Bytes - a.Bytes})
		}
	}
	for _, g := range after {
		add(g.Key, old[g.Key], g)
		delete(old, g.Key)
	}
	for _, g := range old {
		add(g.Key, g, Group{})
	}
	slices.SortFunc(out, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.BytesDelta, a.BytesDelta), cmp.Compare(b.CountDelta, a.CountDelta),
			cmp.Compare(a.Key, b.Key))
	})
	return out
}
