package text

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// Lines calls fn with each line of a file. It stops at an error of fn, and adds the line
// number to it.
func Lines(path string, fn func(line string) error) error {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20) // maximum length of a line
	for n := 1; lines.Scan(); n++ {
		if err := fn(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}
