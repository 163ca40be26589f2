package metrics

import (
	"bufio"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Handler returns a handler that answers every request with the metrics in Prometheus' text
// format, version 0.0.4.
//
//	http.Handle("GET /metrics", metrics.Handler())
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = Write(w, Read()) // an error: the client is gone
	})
}

// Write writes metrics in Prometheus' text format. Its errors are those of w.
func Write(w io.Writer, metrics []Metric) error {
	b := bufio.NewWriter(w)
	for _, m := range metrics {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", m.Name, escape(m.Help, false), m.Name, m.Kind)
		for _, s := range m.Samples {
			fmt.Fprintf(b, "%s %s\n", series(m.Name, s.Labels), strconv.FormatFloat(s.Value, 'g', -1, 64))
		}
	}
	return b.Flush()
}

// series is a name with labels, as Prometheus writes it.
func series(name string, labels []Label) string {
	if len(labels) == 0 {
		return name
	}
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = l.Name + `="` + escape(l.Value, true) + `"`
	}
	return name + "{" + strings.Join(parts, ",") + "}"
}

// escape replaces what ends a line, and what ends a quoted text in one.
func escape(text string, quoted bool) string {
	text = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text)
	if quoted {
		text = strings.ReplaceAll(text, `"`, `\"`)
	}
	return text
}

// Publish makes the metrics a variable of package expvar, which shows it at /debug/vars: an
// object with a number for each series, such as
// "gotorch_memory_reserved_bytes{device=\"cpu\"}". It panics with a *torch.Error: of kind
// torch.ErrValue for a name that is empty or that a variable has already.
func Publish(name string) {
	problem := ""
	switch {
	case name == "":
		problem = "the name of the variable is empty"
	case expvar.Get(name) != nil:
		problem = "there is a variable " + strconv.Quote(name) + " already: call Publish once, or with another name"
	}
	if problem != "" {
		panic(&torch.Error{Op: "metrics.Publish", Kind: torch.ErrValue, Message: problem})
	}
	expvar.Publish(name, expvar.Func(func() any {
		out := map[string]float64{}
		for _, m := range Read() {
			for _, s := range m.Samples {
				out[series(m.Name, s.Labels)] = s.Value
			}
		}
		return out
	}))
}
