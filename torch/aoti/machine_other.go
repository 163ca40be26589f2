//go:build !linux

package aoti

import (
	"errors"
	"fmt"
	"runtime"
)

// vectors returns the processor's extensions, under Linux's names. On arm64 it returns
// only those that all processors have.
func vectors() ([]string, error) {
	if runtime.GOARCH == "arm64" {
		return []string{"asimd"}, nil
	}
	return nil, fmt.Errorf("read the processor's features on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
