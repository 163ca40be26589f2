package live_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gotorch/gotorch/torch/profiler/live"
)

// Example serves a page that profiles the running program for a few seconds.
func Example() {
	mux := http.NewServeMux()
	mux.Handle(live.Pattern, live.Handler())
	server := httptest.NewServer(mux) // in a real program, use http.ListenAndServe
	defer server.Close()
	answer, err := http.Get(server.URL + live.Path + "?seconds=0.1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// 200 OK
}
