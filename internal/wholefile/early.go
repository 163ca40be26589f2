package wholefile

import "os"

// early writes a file that must be on the disk when writing ends. After each part it asks
// the system to write that part to the disk, while the program creates the next parts.
type early struct {
	f       *os.File
	start   func(f *os.File, from, n int64)
	at      int64 // bytes written
	started int64 // bytes that the system was asked to write to the disk
}

// piece is the number of bytes that the system is asked to write at a time. Smaller
// pieces need more calls. They also make the program wait more often for a page that is
// being written.
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
