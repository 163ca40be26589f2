//go:build !linux

package aoti

import (
	"errors"
	"fmt"
	"runtime"
)

// vectors returns Linux's names of the processor's extensions; on arm64 only those that
// all processors have.
func vectors() ([]string, error) {
	if runtime.GOARCH == "arm64" {
		return []string{"asimd"}, nil
	}
	return nil, fmt.Errorf("read the processor's features on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
