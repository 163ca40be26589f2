package wholefile

import "os"

// early writes a file whose bytes are to be on the disk at its end, and has the system
// begin with them at once: the disk works while the rest is made, not only after it.
type early struct {
	f       *os.File
	start   func(f *os.File, from, n int64)
	at      int64 // bytes written
	started int64 // bytes that the system was told to begin with
}

// piece is how many bytes are handed to the disk at a time. Pages that are written to
// again while the disk reads them have to wait, and less is more calls.
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
