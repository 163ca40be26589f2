// Package progress shows the progress of an epoch.
package progress

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar is a progress bar on standard error.
type Bar struct{ bar *progressbar.ProgressBar }

// New returns a bar of n steps. It shows nothing if quiet is set or standard error is not a
// terminal.
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

// Step counts one step. It ignores write errors of the terminal.
func (b Bar) Step() { _ = b.bar.Add(1) }

// End removes the bar, full or not.
func (b Bar) End() { _ = b.bar.Finish() }
