package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
)

// This file reads the bytes of a pickle.

func (u *Reader) byte() byte {
	b, err := u.r.ReadByte()
	if err != nil {
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
	u.read++
	return b
}

// bytes reads n bytes. If n is larger than the rest of the file, it allocates no memory
// for the missing bytes.
func (u *Reader) bytes(n uint64) []byte {
	if n <= 1<<12 {
		b := make([]byte, n)
		u.full(b)
		return b
	}
	if n > math.MaxInt64 {
		u.Fail("length %d", n)
	}
	var buf bytes.Buffer
	got, err := io.CopyN(&buf, u.r, int64(n))
	u.read += got
	if err != nil {
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
	return buf.Bytes()
}

func (u *Reader) full(b []byte) {
	n, err := io.ReadFull(u.r, b)
	u.read += int64(n)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		panic(corrupt{"the pickle ends too early", notEOF(err)})
	}
}

func (u *Reader) uint(n int) uint64 {
	var b [8]byte
	u.full(b[:n])
	return binary.LittleEndian.Uint64(b[:])
}

func (u *Reader) line() string {
	b, err := u.r.ReadSlice('\n')
	if err != nil {
		panic(corrupt{"a line of text that does not end", notEOF(err)})
	}
	u.read += int64(len(b))
	return strings.TrimSuffix(string(b), "\n")
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
