// Package progress shows a progress bar for an epoch of training.
package progress

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar is a progress bar on standard error.
type Bar struct{ bar *progressbar.ProgressBar }

// New returns a bar of n steps with a title. If quiet is true, or if standard error is not
// a terminal, the bar shows nothing.
func New(n int, title string, quiet bool) Bar {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return Bar{progressbar.NewOptions(
		n,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(terminal && !quiet),
		progressbar.OptionSetDescription(title),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Step counts one step. It ignores errors from writing to the terminal.
func (b Bar) Step() { _ = b.bar.Add(1) }

// End removes the bar from the terminal, full or not.
func (b Bar) End() { _ = b.bar.Finish() }
