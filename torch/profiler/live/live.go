// Package live serves profiles of a running program, beside those of net/http/pprof.
//
// It is a package of its own, so that programs that serve nothing do not link net/http.
package live

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gotorch/gotorch/torch/profiler"
)

// Path is where the profile is served by convention, beside those of net/http/pprof.
const Path = "/debug/pprof/torch_ops"

// maxSeconds bounds a profile: it keeps every call in memory.
const maxSeconds = 300

// Handler returns a handler that profiles all goroutines for some seconds and answers with
// a profile for "go tool pprof": the time of operators by line of Go, as
// [profiler.Profile.WritePprof] writes it. The program decides where it is served, and who
// may ask: a profile slows all operators down and names the program's lines.
//
//	http.Handle(live.Path, live.Handler())
//
//	go tool pprof http://localhost:6060/debug/pprof/torch_ops?seconds=5
//
// Parameters of the request: seconds, from 0.01 to 300, 5 if it is not given; debug=1
// answers with a table as text, debug=2 with the page of [profiler.Profile.WriteHTML]. An
// answer is 400 for other parameters, and 409 while another profile is being recorded. When
// the client goes away the profile ends.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	seconds := 5.0
	if s := r.FormValue("seconds"); s != "" {
		var err error
		if seconds, err = strconv.ParseFloat(s, 64); err != nil || !(seconds >= 0.01 && seconds <= maxSeconds) {
			http.Error(w, fmt.Sprintf("seconds: expected a number from 0.01 to %d, got %q", maxSeconds, s), http.StatusBadRequest)
			return
		}
	}
	debug := r.FormValue("debug")
	switch debug {
	case "", "0", "1", "2":
	default:
		http.Error(w, fmt.Sprintf("debug: expected 0, 1 or 2, got %q", debug), http.StatusBadRequest)
		return
	}
	p := profiler.NewProfile(profiler.WithStack(true))
	if err := p.Start(); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	end := time.NewTimer(time.Duration(seconds * float64(time.Second)))
	defer end.Stop()
	select {
	case <-end.C:
	case <-r.Context().Done():
	}
	if err := p.Stop(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// An error of these is the connection's, and nobody is there to be told.
	switch debug {
	case "1":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprint(w, p.KeyAverages(profiler.GroupByStackN(1)).Table(profiler.SortBySelfCPUTimeTotal, profiler.RowLimit(-1)))
	case "2":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = p.WriteHTML(w)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="torch_ops"`)
		_ = p.WritePprof(w)
	}
}
