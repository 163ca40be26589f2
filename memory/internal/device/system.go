package device

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/sysmem"
)

// SystemMemory returns the available and total bytes of the machine, or of the container
// if that has less.
func SystemMemory() (free, total int64, err error) {
	free, total, err = sysmem.Machine()
	if err != nil {
		return 0, 0, fmt.Errorf("memory: %w", err)
	}
	return free, total, nil
}
