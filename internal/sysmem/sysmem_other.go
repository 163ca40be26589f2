//go:build !linux

package sysmem

import (
	"errors"
	"fmt"
	"runtime"
)

func machine() (free, total int64, err error) {
	return 0, 0, fmt.Errorf("read system memory of %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func resident() (now, peak int64) { return 0, 0 }

func tightest() (Group, bool) { return Group{}, false }

func ulimit() (free, limit int64) { return 0, 0 }
