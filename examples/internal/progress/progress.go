// Package progress shows how far an epoch is.
package progress

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// New returns a bar of n steps on the standard error, one that shows nothing if
// that is no terminal or quiet is set. Exit ends it, whether full or not.
func New(n int, title string, quiet bool) *progressbar.ProgressBar {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return progressbar.NewOptions(
		n,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(terminal && !quiet),
		progressbar.OptionSetDescription(title),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
