package kvcache

import (
	"cmp"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// layer is the buffer of one layer. Position first+i of the text is at index start+i of
// the buffers, for the positions from first to seen.
type layer struct {
	keys, values *torch.Tensor // (N, heads, room, D), nil until the first update
	start        int64         // the index of the first kept position
	first        int64         // the first kept position
	seen         int64         // the tokens so far
}

// kept returns the number of earlier tokens that a new token can see.
func (l *layer) kept(window int64) int64 {
	n := l.seen - l.first
	if window > 0 {
		n = min(n, window-1)
	}
	return n
}

func (l *layer) update(spec Layer, capacity int64, key, value *torch.Tensor) (keys, values *torch.Tensor) {
	n := key.Size(2)
	kept := l.kept(spec.Window)
	l.start += l.seen - l.first - kept
	l.first = l.seen - kept
	l.reserve(spec, capacity, key, kept, n)
	l.put(l.keys, key, kept)
	l.put(l.values, value, kept)
	l.seen += n
	return l.keys.Narrow(2, l.start, kept+n), l.values.Narrow(2, l.start, kept+n)
}

func (l *layer) put(buffer, t *torch.Tensor, kept int64) {
	to := buffer.Narrow(2, l.start+kept, t.Size(2))
	to.Copy_(t)
	_ = to.Close()
}

// reserve makes room for n more positions behind the kept ones.
func (l *layer) reserve(spec Layer, capacity int64, like *torch.Tensor, kept, n int64) {
	if l.keys != nil && l.start+kept+n <= l.keys.Size(2) {
		return
	}
	size := kept + n
	switch {
	case capacity > 0 || spec.Window > 0:
		size = max(size, room(spec, cmp.Or(capacity, math.MaxInt64)))
	default:
		size = (size + slack - 1) / slack * slack
	}
	l.keys = l.moved(l.keys, like, kept, size)
	l.values = l.moved(l.values, like, kept, size)
	l.start = 0
}

// moved returns a buffer of the given size that starts with the kept positions of old,
// which it closes.
func (l *layer) moved(old, like *torch.Tensor, kept, size int64) *torch.Tensor {
	s := like.Shape()
	t := torch.Disown(torch.Empty(torch.Shape{s[0], s[1], size, s[3]}, like.DType(), like.Device()))
	if kept > 0 {
		from, to := old.Narrow(2, l.start, kept), t.Narrow(2, 0, kept)
		to.Copy_(from)
		_, _ = from.Close(), to.Close()
	}
	_ = old.Close()
	return t
}

func (l *layer) reorder(rows *torch.Tensor) {
	if l.keys == nil {
		return
	}
	for _, t := range []**torch.Tensor{&l.keys, &l.values} {
		old := *t
		*t = torch.Disown(old.IndexSelect(0, rows))
		_ = old.Close()
	}
}

func (l *layer) crop(n int64) {
	l.seen = n
	l.first = min(l.first, n)
}

func (l *layer) close() {
	_, _ = l.keys.Close(), l.values.Close()
	l.keys, l.values = nil, nil
}
