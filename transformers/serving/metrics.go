package serving

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// bounds are the upper bounds, in seconds, of the buckets for the time to the first token.
var bounds = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// counts are what a Server counts itself.
type counts struct {
	mu       sync.Mutex
	requests map[int]int64 // by status
	buckets  []int64       // of the time to the first token
	sum      float64
}

func (c *counts) request(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == nil {
		c.requests = map[int]int64{}
	}
	c.requests[status]++
}

func (c *counts) first(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buckets == nil {
		c.buckets = make([]int64, len(bounds)+1)
	}
	i, _ := slices.BinarySearch(bounds, d.Seconds())
	c.buckets[i]++
	c.sum += d.Seconds()
}

// metrics answers in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	var e Stats
	if s.Engine != nil {
		e = s.Engine.Stats()
	}
	var b EmbedderStats
	if s.Embedder != nil {
		b = s.Embedder.Stats()
	}
	for _, m := range []struct {
		name, kind, help string
		value            int64
	}{
		{"gotorch_prompt_tokens_total", "counter", "Tokens of prompts.", e.PromptTokens},
		{"gotorch_new_tokens_total", "counter", "Generated tokens.", e.NewTokens},
		{"gotorch_steps_total", "counter", "Passes through the model.", e.Steps},
		{"gotorch_texts_finished_total", "counter", "Texts that were generated to their end.", e.Finished},
		{"gotorch_texts_cancelled_total", "counter", "Texts whose client left, or whose time was over.", e.Cancelled},
		{"gotorch_texts_refused_total", "counter", "Texts that found the queue full.", e.Refused},
		{"gotorch_texts_waiting", "gauge", "Texts that wait.", int64(e.Waiting)},
		{"gotorch_texts_active", "gauge", "Texts that are generated.", int64(e.Active)},
		{"gotorch_cache_tokens", "gauge", "Tokens for which there is memory.", e.CacheTokens},
		{"gotorch_cache_free_tokens", "gauge", "Tokens for which memory is free.", e.CacheFree},
		{"gotorch_cache_bytes", "gauge", "Bytes of keys and values.", e.CacheBytes},
		{"gotorch_embedded_texts_total", "counter", "Texts whose embeddings were computed.", b.Texts},
		{"gotorch_embedded_tokens_total", "counter", "Tokens of these texts.", b.Tokens},
		{"gotorch_embedding_batches_total", "counter", "Batches of these texts.", b.Batches},
		{"gotorch_embeddings_cancelled_total", "counter", "Requests for embeddings whose client left.", b.Cancelled},
		{"gotorch_embeddings_refused_total", "counter", "Requests for embeddings without room.", b.Refused},
		{"gotorch_embedding_texts", "gauge", "Texts of requests for embeddings in progress.", int64(b.InUse)},
		{"gotorch_native_bytes", "gauge", "Bytes of all tensors.", memory.Requested(torch.CPU)},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	c := &s.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	const requests = "gotorch_http_requests_total"
	fmt.Fprintf(w, "# HELP %s Requests by status.\n# TYPE %s counter\n", requests, requests)
	for _, status := range slices.Sorted(maps.Keys(c.requests)) {
		fmt.Fprintf(w, "%s{status=\"%d\"} %d\n", requests, status, c.requests[status])
	}
	const first = "gotorch_first_token_seconds"
	fmt.Fprintf(w, "# HELP %s Time to the first token of a text.\n# TYPE %s histogram\n", first, first)
	total := int64(0)
	for i, n := range c.buckets {
		total += n
		if i < len(bounds) {
			fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", first, bounds[i], total)
		}
	}
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", first, total, first, c.sum, first, total)
}
