package arrow

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// windows returns an error if decompressing a buffer takes more memory than allowed, in
// addition to the memory of the result. packed has the locations of the buffers in the
// body, which has size bytes and begins at offset base of the file. Each buffer begins
// with its decompressed size. A Zstandard frame states its window: how much of the output
// the decoder must keep. arrow-go's decoder keeps up to 512 MiB.
func (m ipcMessages) windows(packed []extent, base, size int64) error {
	for _, p := range packed {
		const head = 8
		if p.at < 0 || p.n < head || p.at > size-p.n {
			continue // empty, or arrow-go returns an error
		}
		var b [head]byte
		if _, err := m.r.ReadAt(b[:], base+p.at); err != nil {
			return early(err)
		}
		if binary.LittleEndian.Uint64(b[:]) == 1<<64-1 {
			continue // not compressed
		}
		if err := m.frames(base+p.at+head, p.n-head); err != nil {
			return err
		}
	}
	return nil
}

// frames checks the frames in n bytes at an offset of the file.
func (m ipcMessages) frames(at, n int64) error {
	r := bufio.NewReader(io.NewSectionReader(m.r, at, n))
	for {
		b, err := r.Peek(zstd.HeaderMaxSize)
		switch {
		case len(b) == 0 && errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		var h zstd.Header
		if err := h.Decode(b); err != nil {
			return err
		}
		window := h.WindowSize
		if h.SingleSegment {
			window = h.FrameContentSize
		}
		const most = 1 << 40                                         // fits in an int64; arrow-go refuses even less
		if err := m.mem.fits(int64(min(window, most))); err != nil { //nolint:gosec // at most that
			return err
		}
		rest := int64(h.SkippableSize)
		if err := discard(r, int64(h.HeaderSize)+rest); err != nil {
			return err
		}
		if h.Skippable {
			continue
		}
		if err := blocks(r, h.HasCheckSum); err != nil {
			return err
		}
	}
}

// blocks skips the blocks of a frame, and the checksum after them.
func blocks(r *bufio.Reader, sum bool) error {
	for last := false; !last; {
		var b [4]byte
		if _, err := io.ReadFull(r, b[:3]); err != nil {
			return early(err)
		}
		h := binary.LittleEndian.Uint32(b[:])
		last = h&1 == 1
		n := int64(h >> 3)
		switch kind := h >> 1 & 3; kind {
		case 1:
			n = 1 // one byte, repeated
		case 3:
			return fmt.Errorf("a block has the unknown kind %d", kind)
		}
		if err := discard(r, n); err != nil {
			return err
		}
	}
	if sum {
		return discard(r, 4)
	}
	return nil
}

func discard(r *bufio.Reader, n int64) error {
	_, err := r.Discard(int(n))
	return early(err)
}
