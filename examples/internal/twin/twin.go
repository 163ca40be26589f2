// Package twin logs the numbers that must be the same in an example and its reference.py.
// `make bench MODE=twins` runs both programs and compares their numbers. It also runs the
// example a second time without scopes.
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

// Unscoped is an environment variable that makes the program run as if it had no scopes.
// The garbage collector then frees what torch.Scope and a loader's steps would free. The
// collector runs whenever native memory has grown by a fifth.
const Unscoped = "GOTORCH_TWIN_UNSCOPED"

func init() { unscope(os.Getenv(Unscoped) != "") }

func unscope(really bool) {
	if really {
		own.IgnoreScopes(true)
		memory.SetGCPercent(20)
		memory.SetMinHeap(4 << 10)
	}
}

// Log is a file with one line per number: the time in seconds since 1970, and the number.
// The last line begins with # and contains the peak native bytes of this process.
// reference.py writes the same format. A nil Log writes nothing.
type Log struct {
	file *os.File
	out  *bufio.Writer
}

// Create creates a log file. If path is empty, it returns nil.
func Create(path string) (*Log, error) { return open(path, os.O_TRUNC) }

// Append is like Create, but appends to an existing file, for programs that consist of
// several processes.
func Append(path string) (*Log, error) { return open(path, os.O_APPEND) }

func open(path string, mode int) (*Log, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // a nil Log is valid
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if err != nil {
		return nil, err
	}
	return &Log{file: f, out: bufio.NewWriter(f)}, nil
}

// Add writes one line for each number of a step.
func (l *Log) Add(numbers ...float64) {
	if l == nil {
		return
	}
	for _, v := range numbers {
		fmt.Fprintf(l.out, "%.6f %.9g\n", 1e-6*float64(time.Now().UnixMicro()), v) // Close returns write errors
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
