// Package closed runs programs and checks that they close all tensors.
package closed

import (
	"errors"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// After runs a program and returns its error, or the *torch.Error that it panics with. If
// the program succeeds but leaves tensors open, that is an error too.
func After(program func() error) (err error) {
	start := torch.NumLiveTensors()
	if wrong := torch.Try(func() { err = program() }); wrong != nil || err != nil {
		return errors.Join(wrong, err)
	}
	if os.Getenv(twin.Unscoped) != "" {
		memory.Collect() // in programs without scopes the garbage collector closes the tensors
	}
	if left := torch.NumLiveTensors() - start; left != 0 {
		return fmt.Errorf("%d tensors were left open", left)
	}
	return nil
}
