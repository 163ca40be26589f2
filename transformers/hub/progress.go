package hub

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Event says how far a download is.
type Event struct {
	File  string // the name in the repository
	Done  int64  // bytes of the file that have been downloaded, in earlier calls too
	Total int64  // bytes of the file, or -1 if the hub does not say
	Ended bool   // the file is complete and its hash is right

	Files, FilesEnded int // of the call; files in the cache have ended
}

// reporter calls the program's function for events, one at a time.
type reporter struct {
	mu           sync.Mutex
	to           func(Event)
	files, ended int
}

// expect says how many files there are.
func (r *reporter) expect(files int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = files
}

// bytes reports bytes of a file.
func (r *reporter) bytes(file string, done, total int64) {
	r.send(Event{File: file, Done: done, Total: total})
}

// end reports that a file is complete.
func (r *reporter) end(file string, size int64) {
	r.send(Event{File: file, Done: size, Total: size, Ended: true})
}

func (r *reporter) send(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Ended {
		r.ended++
	}
	if r.to != nil {
		e.Files, e.FilesEnded = r.files, r.ended
		r.to(e)
	}
}

// ProgressBar returns a [Progress] that draws a bar in one line of a terminal, and ends the
// line after the last file.
//
//	dir, err := hub.Snapshot(ctx, "owner/name", hub.ProgressBar(os.Stderr))
func ProgressBar(w io.Writer) Progress {
	done, total := map[string]int64{}, map[string]int64{}
	last := ""
	return func(e Event) {
		done[e.File], total[e.File] = e.Done, max(e.Total, e.Done)
		var d, t int64
		for file := range done {
			d, t = d+done[file], t+total[file]
		}
		const width = 30
		filled := width
		if t > 0 {
			filled = int(float64(d) / float64(t) * width)
		}
		line := fmt.Sprintf("\r[%s%s] %d/%d files, %s of %s", strings.Repeat("=", filled),
			strings.Repeat(" ", width-filled), e.FilesEnded, e.Files, megabytes(d), megabytes(t))
		if line != last { // otherwise a large file draws the same line again and again
			last = line
			_, _ = io.WriteString(w, line) // a bar that cannot be drawn is no reason to stop
		}
		if e.Ended && e.FilesEnded == e.Files {
			_, _ = io.WriteString(w, "\n")
		}
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
