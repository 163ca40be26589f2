package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// newServer gives nobody more time or memory than an honest client needs.
func newServer(s *service) *http.Server {
	const read, write = 15 * time.Second, 15 * time.Second
	return &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       read,
		WriteTimeout:      read + s.timeout + write, // it counts from the header on
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ConnState:         s.clients.changed,
	}
}

// shutdown answers everybody who has connected, and ends the server. The server's own
// Shutdown does not: it drops whom it has not accepted yet, and a request that it reads
// after the call.
func (s *service) shutdown(ctx context.Context, server *http.Server, listener net.Listener) error {
	s.ending.Store(true) // every answer closes its connection from now on
	sleep(ctx, s.grace)
	// Connections are accepted in order: if a new one has its answer, so are all before it.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String()+"/healthz", nil)
	if err != nil {
		return err
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
	_ = listener.Close() // which Shutdown reports, too
	for s.clients.busy() && ctx.Err() == nil {
		sleep(ctx, 10*time.Millisecond)
	}
	return server.Shutdown(ctx)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// clients are the connections with a request that is being read or answered, and those that
// have yet to send one.
type clients struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// changed is the server's ConnState.
func (c *clients) changed(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateNew && state != http.StateActive {
		delete(c.open, connection)
		return
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[connection] = true
}

func (c *clients) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}
