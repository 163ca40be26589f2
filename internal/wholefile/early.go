package wholefile

import "os"

// early writes a file whose bytes must be on the disk at the end. It asks the system to
// start writing them at once, so that the disk works while the rest is created.
type early struct {
	f       *os.File
	start   func(f *os.File, from, n int64)
	at      int64 // bytes written
	started int64 // bytes that the system was asked to write to the disk
}

// piece is the number of bytes that are passed to the disk at a time. Smaller pieces need
// more calls, and writing to a page that the disk is reading has to wait.
const piece = 8 << 20

// Write implements io.Writer.
func (e *early) Write(b []byte) (n int, err error) {
	for {
		k, err := e.f.Write(b[:min(len(b), piece)])
		n += k
		e.at += int64(k)
		if e.at-e.started >= piece {
			e.start(e.f, e.started, e.at-e.started)
			e.started = e.at
		}
		if b = b[k:]; err != nil || len(b) == 0 {
			return n, err
		}
	}
}
