// Package twin writes the numbers in which an example and its reference.py have to agree.
// `make bench MODE=twins` runs both and compares them, and has the example run once more without scopes.
package twin

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Unscoped names the environment variable that, set, has the program run as if it had no
// scope: what torch.Scope and a loader's steps would free, the collector frees, each time
// that native memory has grown by a fifth.
const Unscoped = "GOTORCH_TWIN_UNSCOPED"

func init() { unscope(os.Getenv(Unscoped) != "") }

func unscope(really bool) {
	if really {
		own.IgnoreScopes(true)
		memory.SetGCPercent(20)
		memory.SetMinHeap(4 << 10)
	}
}

// Log is a file with a line for each step: seconds since 1970, and a number.
// The last line, which begins with #, says how many native bytes were alive at once since the
// program began. reference.py writes the lines of its steps alike. A nil Log
// writes nothing.
type Log struct {
	file *os.File
	out  *bufio.Writer
}

// Create begins a log. For "" it is nil.
func Create(path string) (*Log, error) { return open(path, os.O_TRUNC) }

// Append begins a log behind what is in the file: for programs of several processes.
func Append(path string) (*Log, error) { return open(path, os.O_APPEND) }

func open(path string, mode int) (*Log, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // a nil Log is one
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if err != nil {
		return nil, err
	}
	return &Log{file: f, out: bufio.NewWriter(f)}, nil
}

// Add writes the numbers of a step, a line each.
func (l *Log) Add(numbers ...float64) {
	if l == nil {
		return
	}
	for _, v := range numbers {
		fmt.Fprintf(l.out, "%.6f %.9g\n", 1e-6*float64(time.Now().UnixMicro()), v) // the error is Close's
	}
}

// Close ends the log.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	fmt.Fprintf(l.out, "# peak_bytes=%d\n", memory.MaxRequested(torch.CPU))
	return errors.Join(l.out.Flush(), l.file.Close())
}
