package gguf

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/torch"
)

// Dequantize converts raw, the blocks of a type, to float32, with several goroutines. The
// length of dst must be the number of elements in raw. The values equal those of Python's
// gguf.dequantize bit for bit (NaN payloads may differ).
//
// The error is a *torch.Error: ErrUnsupported for a type that is not [Type.Convertible], or
// ErrValue for wrong lengths. Nothing is converted then.
func Dequantize(t Type, raw []byte, dst []float32) error {
	const op = "gguf.Dequantize"
	l, err := convertible(op, t)
	if err != nil {
		return err
	}
	blocks := int64(len(raw)) / l.bytes
	if int64(len(raw))%l.bytes != 0 || int64(len(dst)) != blocks*l.block {
		return torch.NewError(op, torch.ErrValue, "raw", fmt.Sprintf("expected %d bytes for every %d elements of dst, "+
			"got %d bytes and %d elements", l.bytes, l.block, len(raw), len(dst)))
	}
	inParts(blocks, l, func(lo, hi int64) { l.read(dst[lo*l.block:hi*l.block], raw[lo*l.bytes:hi*l.bytes]) })
	return nil
}

func convertible(op string, t Type) (layout, error) {
	l := layouts[t]
	if l.read == nil {
		return l, torch.NewError(op, torch.ErrUnsupported, "t", fmt.Sprintf("cannot convert the type %v", t))
	}
	return l, nil
}

// partElements is the number of elements that a goroutine converts at a time.
const partElements = 1 << 15

// inParts calls fn with ranges of blocks that together are all blocks. It uses several
// goroutines if there are many.
func inParts(blocks int64, l layout, fn func(lo, hi int64)) {
	per := max(partElements/l.block, 1)
	parts := (blocks + per - 1) / per
	workers := min(int64(runtime.GOMAXPROCS(0)), parts)
	if workers <= 1 {
		if blocks > 0 {
			fn(0, blocks)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for {
			lo := (next.Add(1) - 1) * per
			if lo >= blocks {
				return
			}
			fn(lo, min(lo+per, blocks))
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// narrow converts blocks to 16-bit elements, a few at a time.
func narrow(dst, src []byte, t Type, convert func(float32) uint16) {
	var buf [1024]float32
	l := layouts[t]
	per := int64(len(buf)) / l.block
	for len(src) > 0 {
		n := min(per, int64(len(src))/l.bytes)
		values := buf[:n*l.block]
		l.read(values, src[:n*l.bytes])
		for i, v := range values {
			binary.LittleEndian.PutUint16(dst[2*i:], convert(v))
		}
		dst, src = dst[2*len(values):], src[n*l.bytes:]
	}
}
