// Package closed runs programs that have to close all their tensors.
package closed

import (
	"errors"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// After runs a program and returns its error, also one that the library panics with. A program
// that leaves tensors open when it has succeeded is an error too.
func After(program func() error) (err error) {
	start := torch.NumLiveTensors()
	if wrong := torch.Try(func() { err = program() }); wrong != nil || err != nil {
		return errors.Join(wrong, err)
	}
	if os.Getenv(twin.Unscoped) != "" {
		memory.Collect() // without scopes it is the collector that closes
	}
	if left := torch.NumLiveTensors() - start; left != 0 {
		return fmt.Errorf("%d tensors are left open", left)
	}
	return nil
}
