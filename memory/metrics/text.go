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

// Handler returns a handler that serves the metrics in Prometheus' text format, version
// 0.0.4.
//
//	http.Handle("GET /metrics", metrics.Handler())
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = Write(w, Read()) // an error means that the client has disconnected
	})
}

// Write writes metrics in Prometheus' text format. It returns the errors of w. If w is nil,
// it returns an error of kind torch.ErrNil.
func Write(w io.Writer, metrics []Metric) error {
	if w == nil {
		return torch.NewError("metrics.Write", torch.ErrNil, "w", "a nil writer")
	}
	b := bufio.NewWriter(w)
	for _, m := range metrics {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", m.Name, escape(m.Help, false), m.Name, m.Kind)
		for _, s := range m.Samples {
			fmt.Fprintf(b, "%s %s\n", series(m.Name, s.Labels), strconv.FormatFloat(s.Value, 'g', -1, 64))
		}
	}
	return b.Flush()
}

// series returns a metric's name and labels in Prometheus' format.
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

// escape escapes backslashes, line ends and, in quoted text, quotation marks.
func escape(text string, quoted bool) string {
	text = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text)
	if quoted {
		text = strings.ReplaceAll(text, `"`, `\"`)
	}
	return text
}

// Publish publishes the metrics as a variable of package expvar, which serves it at
// /debug/vars. The variable is an object with one number for each combination of metric and
// labels, such as "gotorch_memory_reserved_bytes{device=\"cpu\"}". Publish panics with a
// *torch.Error of kind torch.ErrValue if name is empty or already in use.
func Publish(name string) {
	problem := ""
	switch {
	case name == "":
		problem = "the name of the variable is empty"
	case expvar.Get(name) != nil:
		problem = "there is already a variable " + strconv.Quote(name) + ": call Publish once, or with another name"
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
