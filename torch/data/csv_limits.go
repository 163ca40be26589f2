package data

import (
	"fmt"
	"io"

	"github.com/gotorch/gotorch/torch"
)

// MaxRowBytes is how much a row of a CSV file may take: its bytes, and 48 more for each field. A
// quote that is never closed makes one row of the rest of the file. The default is 16 MiB; less
// than 1 is ErrValue.
type MaxRowBytes int64

// MemoryLimit is how many bytes what is read may take. In a table each number counts 8, and a
// word of [Categories] 64 beside its own. Reading takes up to four times as much.
// The default is 1 GiB, or 64 times the size of the file if that is known and is more. Less than
// 1 is ErrValue.
type MemoryLimit int64

const (
	defaultMaxRowBytes = 16 << 20
	leastMemoryLimit   = 1 << 30
	expansion          = 64
	fieldCost          = 48
	cellCost           = 8
	wordCost           = 64
)

// positive panics for a limit that allows nothing.
func positive(op, option string, n int64) int64 {
	if n < 1 {
		panic(torch.NewError(op, torch.ErrValue, option, fmt.Sprintf("expected a positive number, got %d", n)))
	}
	return n
}

// rowLimit is a reader that fails within a row that is much too long.
type rowLimit struct {
	r       io.Reader
	sep     byte // the last byte of the separator
	most    int64
	left    int64 // more than a row may take by what is read ahead
	reached bool
}

// ahead is how many bytes package csv reads at once, of which some belong to rows behind.
const ahead = 4096

// begin allows for another row.
func (l *rowLimit) begin() { l.left, l.reached = l.most+ahead*(1+fieldCost), false }

// Read implements io.Reader.
func (l *rowLimit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		l.reached = true
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

// errRow is an error of [rowLimit], which csvReader.failed explains.
var errRow = fmt.Errorf("%w: a long row", ErrFormat)

// tableLimit counts what a table takes.
type tableLimit struct{ left, most int64 }

// take counts n bytes more and says what is wrong if they are too many.
func (l *tableLimit) take(n int64) string {
	if l.left -= n; l.left < 0 {
		return fmt.Sprintf("a table of more than the %d bytes that MemoryLimit allows", l.most)
	}
	return ""
}

// limitOf is the limit for a file of size bytes, -1 if nobody knows, unless one is given.
func limitOf(given, size int64) int64 {
	if given > 0 {
		return given
	}
	return max(leastMemoryLimit, expansion*min(size, 1<<56))
}
