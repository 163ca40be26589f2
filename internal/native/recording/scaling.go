package recording

import "github.com/gotorch/gotorch/internal/native/goroutine"

// scaling holds, for each goroutine within WatchScaling, whether it has scaled a loss.
var scaling goroutine.Local[bool]

// Scaled records that the running goroutine scales a loss, as amp.GradScaler does.
func Scaled() {
	if s := scaling.Get(); s != nil {
		*s = true
	}
}

// WatchScaling runs fn and reports whether it scaled a loss.
func WatchScaling(fn func()) (scaled bool) {
	if outer := scaling.Get(); outer != nil {
		before := *outer
		*outer = false
		defer func() { *outer = before }()
		fn()
		return *outer
	}
	scaling.Set(&scaled)
	defer scaling.Delete()
	fn()
	return scaled
}
