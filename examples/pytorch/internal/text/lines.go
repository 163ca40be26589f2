package text

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// Lines calls fn with each line of a file. If fn returns an error, Lines stops and returns
// that error with the line number.
func Lines(path string, fn func(line string) error) error {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20) // a line may have up to 1 MiB
	for n := 1; lines.Scan(); n++ {
		if err := fn(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}
