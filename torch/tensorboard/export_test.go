package tensorboard

import "io"

// Disk is what a file of events is written to.
type Disk interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Wrap puts something between a writer and its main file.
func (w *SummaryWriter) Wrap(wrap func(Disk) Disk) {
	w.main.mu.Lock()
	defer w.main.mu.Unlock()
	w.main.disk = wrap(w.main.disk)
}
