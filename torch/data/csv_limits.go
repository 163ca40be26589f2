package data

import (
	"fmt"
	"io"

	"github.com/gotorch/gotorch/torch"
)

// MaxRowBytes is the largest size of a CSV row: its bytes, plus 48 for each field. The
// limit is needed because a quote that is never closed turns the rest of the file into
// one row. The default is 16 MiB; a number below 1 panics with ErrValue.
type MaxRowBytes int64

// MemoryLimit is the number of bytes that the result may take. In a table each number
// counts as 8 bytes, and each distinct word of [Categories] as 64 bytes plus its length.
// While it reads, the reader uses up to four times as much. The default is the larger of
// 1 GiB and 64 times the size of the file, if the size is known. A limit below 1 panics
// with ErrValue.
type MemoryLimit int64

const (
	defaultMaxRowBytes = 16 << 20
	minMemoryLimit     = 1 << 30
	expansion          = 64
	fieldCost          = 48
	cellCost           = 8
	wordCost           = 64
)

// mustBePositive panics with ErrValue unless n is positive.
func mustBePositive(op, option string, n int64) int64 {
	if n < 1 {
		panic(torch.NewError(op, torch.ErrValue, option, fmt.Sprintf("expected a positive number, got %d", n)))
	}
	return n
}

// rowLimit is a reader that returns an error when a row is much too long.
type rowLimit struct {
	r    io.Reader
	sep  byte // the last byte of the encoded separator
	most int64
	// the bytes that may still be read in this row, including those that package csv reads
	// ahead
	left      int64
	isReached bool
}

// readAhead is the number of bytes that package csv reads at a time. Some of them belong
// to the rows that follow.
const readAhead = 4096

func (l *rowLimit) begin() { l.left, l.isReached = min(l.most, 1<<60)+readAhead*(1+fieldCost), false }

// Read implements io.Reader.
func (l *rowLimit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		l.isReached = true
		return 0, errRow
	}
	n, err := l.r.Read(b)
	l.left -= int64(n)
	for _, c := range b[:n] {
		if c == l.sep {
			l.left -= fieldCost
		}
	}
	return n, err
}

// errRow is the error of a row that is too long. csvReader.fileError gives the details.
var errRow = fmt.Errorf("%w: a long row", torch.ErrFormat)

// tableLimit counts the bytes that a table takes, and limits them.
type tableLimit struct{ left, most int64 }

// take adds n bytes to the memory of the table. If the sum exceeds the limit, take returns
// a description of the error.
func (l *tableLimit) take(n int64) string {
	if l.left -= n; l.left < 0 {
		return fmt.Sprintf("the table takes more than the %d bytes that MemoryLimit allows", l.most)
	}
	return ""
}

// limitOf returns given, the value of an option. If given is 0, it returns the default
// limit for a file of size bytes. size is -1 if unknown.
func limitOf(given, size int64) int64 {
	if given > 0 {
		return given
	}
	return max(minMemoryLimit, expansion*min(size, 1<<56))
}
