// Package live serves profiles of a running program over HTTP, like net/http/pprof.
//
// It is a separate package so that other programs do not link net/http.
package live

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

const (
	// Path is the usual path of the profile, next to the paths of net/http/pprof.
	Path = "/debug/pprof/torch_ops"
	// Pattern is the pattern with which to register [Handler]. Without the method GET, it would
	// conflict with the patterns of net/http/pprof.
	Pattern = "GET " + Path
)

// Truncated is a header of the response if the profile reached its [MemoryLimit]. Its
// value is the time at which that happened, such as "0.42s".
const Truncated = "X-Profile-Truncated"

const (
	maxSeconds = 300
	// look is the interval for checking whether a profile has reached its limit.
	look = 20 * time.Millisecond
)

// An Option is an option of [Handler]: [Hosts] or [MemoryLimit].
//
//gotorch:options Hosts MemoryLimit
type Option interface{ option() }

// Hosts are the names and addresses, without ports, by which clients may address the
// server, in addition to localhost and the loopback addresses. An example is
// "trainer.default.svc" or the address of a pod. [AnyHost] allows all names. The default
// is none. Hosts protects against DNS rebinding: otherwise a page in a browser on this
// machine could read profiles through a name that resolves to a loopback address.
//
// A browser says that a request comes from a page on another site only if the server is
// localhost or uses HTTPS. So over HTTP such a page can start a profile under an allowed
// name. It cannot read the profile.
type Hosts []string

// AnyHost in [Hosts] allows every name, for a server behind its own authentication.
const AnyHost = "*"

// MemoryLimit is the number of bytes that a recording may take; see
// [profiler.MemoryLimit]. Making the response temporarily takes about ten times as much
// memory. The default is 32 MiB, which is about 330,000 operators.
type MemoryLimit int64

// Handler returns a handler that profiles all goroutines for a few seconds. It responds
// with a profile for "go tool pprof", which shows the time of operators by Go line; see
// [profiler.Profile.WritePprof]. Restrict who can access it: a profile slows down all
// operators and reveals the program's source lines.
//
//	http.Handle(live.Pattern, live.Handler())
//
//	go tool pprof http://localhost:6060/debug/pprof/torch_ops?seconds=5
//
// The request has these parameters: seconds, from 0.01 to 300, default 5; debug=1 for a
// text table, and debug=2 for the page of [profiler.Profile.WriteHTML]. A profile that
// reaches its [MemoryLimit] ends early. The header [Truncated], the table, the page and
// "pprof -comments" say so. The profile also ends when the client disconnects.
//
// The status is 400 for invalid parameters, 405 for methods other than GET, and 409 while
// another profile is being recorded. It is 403 for a host that [Hosts] does not allow,
// and for a request from a page on another site. Handler panics with ErrNil for a nil
// option, and with ErrValue for an empty host or a memory limit that is not positive.
func Handler(opts ...Option) http.Handler {
	const op = "live.Handler"
	h := handler{limit: 32 << 20}
	for _, o := range opts {
		switch o := o.(type) {
		case Hosts:
			h.callers = newCallers(op, o)
		case MemoryLimit:
			if o <= 0 {
				panic(torch.NewError(op, torch.ErrValue, "MemoryLimit",
					fmt.Sprintf("expected a positive number of bytes, got %d", o)))
			}
			h.limit = profiler.MemoryLimit(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return h
}

type handler struct {
	callers callers
	limit   profiler.MemoryLimit
}

// request holds the parameters of a request.
type request struct {
	seconds float64
	debug   string
}

func parse(query url.Values) (request, error) {
	r := request{seconds: 5}
	for name, values := range query {
		if len(values) > 1 {
			return r, fmt.Errorf("%q: given more than once", name)
		}
		switch value := values[0]; name {
		case "seconds":
			var err error
			if r.seconds, err = strconv.ParseFloat(value, 64); err != nil ||
				!(r.seconds >= 0.01 && r.seconds <= maxSeconds) {
				return r, fmt.Errorf("seconds: expected a number from 0.01 to %d", maxSeconds)
			}
		case "debug":
			switch value {
			case "", "0", "1", "2":
			default:
				return r, fmt.Errorf("debug: expected 0, 1 or 2")
			}
			r.debug = value
		default:
			return r, fmt.Errorf("%q: expected seconds or debug", name)
		}
	}
	return r, nil
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "expected GET", http.StatusMethodNotAllowed)
		return
	}
	if why := h.callers.refuse(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery) // parameters in the body are ignored
	if err != nil {
		http.Error(w, "the query is invalid", http.StatusBadRequest)
		return
	}
	asked, err := parse(query)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p := profiler.NewProfile(profiler.WithStack(true), h.limit)
	if err := p.Start(); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	wait(r, p, time.Duration(asked.seconds*float64(time.Second)))
	if err := p.Stop(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, p, asked.debug)
}

// wait returns after duration d, or earlier if the client disconnects or the profile reaches its limit.
func wait(r *http.Request, p *profiler.Profile, d time.Duration) {
	end := time.NewTimer(d)
	defer end.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-end.C:
			return
		case <-r.Context().Done():
			return
		case <-tick.C:
			if _, full := p.Truncated(); full {
				return
			}
		}
	}
}

func answer(w http.ResponseWriter, p *profiler.Profile, debug string) {
	after, truncated := p.Truncated()
	if truncated {
		w.Header().Set(Truncated, after.Round(time.Millisecond).String())
	}
	// A write error means that the connection is broken, so it cannot be reported.
	switch debug {
	case "1":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if truncated {
			_, _ = fmt.Fprintf(w, "The profile reached its memory limit after %v: later events are missing.\n",
				after.Round(time.Millisecond))
		}
		_, _ = fmt.Fprint(w,
			p.KeyAverages(profiler.GroupByStackN(1)).Table(profiler.SortBySelfCPUTimeTotal, profiler.RowLimit(-1)))
	case "2":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = p.WriteHTML(w)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="torch_ops"`)
		_ = p.WritePprof(w)
	}
}
