package tensorboard

import "io"

// Disk is what an event file is written to.
type Disk interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Wrap wraps a writer's main file.
func (w *SummaryWriter) Wrap(wrap func(Disk) Disk) {
	w.main.mu.Lock()
	defer w.main.mu.Unlock()
	w.main.disk = wrap(w.main.disk)
}
