package tensorboard

import "io"

// Disk is the file that events are written to.
type Disk interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Wrap replaces the disk of the writer's main file with the result of wrap.
func (w *SummaryWriter) Wrap(wrap func(Disk) Disk) {
	w.main.mu.Lock()
	defer w.main.mu.Unlock()
	w.main.disk = wrap(w.main.disk)
}
