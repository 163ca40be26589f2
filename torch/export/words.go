package export

import (
	"math"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/torch"
)

// words writes values in the format that cgotorch/export defines.
type words []uint64

func (w *words) add(n ...uint64) { *w = append(*w, n...) }

func (w *words) tag(kind, n int) { w.add(uint64(n)<<8 | uint64(kind)) }

func (w *words) int(n int64) { w.add(native.Int, uint64(n)) }

func (w *words) float(f float64) { w.add(native.Float, math.Float64bits(f)) }

func (w *words) bool(b bool) {
	n := 0
	if b {
		n = 1
	}
	w.tag(native.Bool, n)
}

func (w *words) text(s string) {
	w.tag(native.String, len(s))
	for ; s != ""; s = s[min(8, len(s)):] {
		var b [8]byte
		copy(b[:], s)
		w.add(*(*uint64)(unsafe.Pointer(&b)))
	}
}

// decode returns the values that a run wrote.
func decode(w []uint64, tensors []*torch.Tensor) []any {
	var all []any
	for len(w) > 0 {
		n := int(w[0] >> 8)
		switch w[0] & 0xff {
		case native.Tensor:
			all = append(all, tensors[n])
		case native.Bool:
			all = append(all, n != 0)
		case native.Int:
			w = w[1:]
			all = append(all, int64(w[0]))
		case native.Float:
			w = w[1:]
			all = append(all, math.Float64frombits(w[0]))
		case native.String:
			size := (n + 7) / 8
			all = append(all, string(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w[1:]))), n)))
			w = w[size:]
		default:
			all = append(all, nil)
		}
		w = w[1:]
	}
	return all
}
