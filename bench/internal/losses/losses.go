// Package losses reads the files that the programs of examples/, in Go and in Python,
// write with -losses. A file has one line per step, with the time in seconds and a number
// such as the loss. It may also have a line "# peak_bytes=N" for each process.
package losses

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A File contains each step's end time and number, and the peak native bytes of one
// process.
type File struct {
	Seconds, Numbers []float64
	Peak             int64
}

// Read reads the file at path. It returns an error if a line has an unknown format.
func Read(path string) (f File, err error) {
	text, err := os.ReadFile(path) //nolint:gosec // the caller's own file
	if err != nil {
		return f, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if peak, ok := strings.CutPrefix(line, "# peak_bytes="); ok {
			n, err := strconv.ParseInt(peak, 10, 64)
			if err != nil {
				return f, fmt.Errorf("%s: %w", path, err)
			}
			f.Peak = max(f.Peak, n)
			continue
		}
		var at, number float64
		if _, err := fmt.Sscan(line, &at, &number); err != nil {
			return f, fmt.Errorf("%s: %q is not seconds and a number: %w", path, line, err)
		}
		f.Seconds, f.Numbers = append(f.Seconds, at), append(f.Numbers, number)
	}
	return f, nil
}

// Rate returns the number of steps per second, not counting the first step, or 0 if there
// are too few steps.
func (f File) Rate() float64 {
	if n := len(f.Seconds); n > 1 && f.Seconds[n-1] > f.Seconds[0] {
		return float64(n-1) / (f.Seconds[n-1] - f.Seconds[0])
	}
	return 0
}
