package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gotorch/gotorch/memory/metrics"
	"github.com/gotorch/gotorch/torch"
)

// A server exports its metrics to Prometheus.
func Example() {
	x := torch.Ones(torch.Shape{1000})
	defer x.Close()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics.Handler())

	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.Contains(line, "gotorch_memory_requested_bytes") {
			fmt.Print(line)
		}
	}
	// Output:
	// # HELP gotorch_memory_requested_bytes Bytes requested by tensors, by device.
	// # TYPE gotorch_memory_requested_bytes gauge
	// gotorch_memory_requested_bytes{device="cpu"} 4000
}

// A program that uses a different metrics library passes the samples to it.
func ExampleRead() {
	for _, m := range metrics.Read() {
		if m.Name == "gotorch_collections_total" {
			fmt.Println(m.Kind, m.Help, len(m.Samples))
		}
	}
	// Output: counter Garbage collections that native memory caused. 1
}
