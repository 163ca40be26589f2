//go:build !linux

package aoti

import (
	"errors"
	"fmt"
	"runtime"
)

// vectors returns Linux's names of what the processor can do: of arm64 only what all of
// them can.
func vectors() ([]string, error) {
	if runtime.GOARCH == "arm64" {
		return []string{"asimd"}, nil
	}
	return nil, fmt.Errorf("read the processor's features on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
